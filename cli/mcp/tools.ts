// SPDX-License-Identifier: Apache-2.0
import diffSchema from "../../docs/schema/tilewright.diff-1.json" with { type: "json" };
import doctorSchema from "../../docs/schema/tilewright.doctor-1.json" with { type: "json" };
import explanationSchema from "../../docs/schema/tilewright.explanation-1.json" with { type: "json" };
import layoutSchema from "../../docs/schema/tilewright.layout-1.json" with { type: "json" };
import planSchema from "../../docs/schema/tilewright.plan-1.json" with { type: "json" };
import simulationSchema from "../../docs/schema/tilewright.simulation-1.json" with { type: "json" };
import type { Command } from "../command.ts";
import { diff } from "../commands/diff.ts";
import { doctor } from "../commands/doctor.ts";
import { explain } from "../commands/explain.ts";
import { layout } from "../commands/layout.ts";
import { optimize } from "../commands/optimize.ts";
import { simulate } from "../commands/simulate.ts";
import { optionSchema } from "../option_values.ts";

/** A command as a tool. */
export interface CommandTool {
  /** The command with its code. */
  readonly command: Command;
  /** Names of the command's positionals, in order. */
  readonly positionals: readonly string[];
  /** Those that a call must give. */
  readonly required: readonly string[];
  /** JSON schema of what the command prints as data. */
  readonly answer: Readonly<Record<string, unknown>>;
}

/** Options that choose another form of output. */
const OUTPUT_FORMS: ReadonlySet<string> = new Set([
  "json",
  "format",
  "emit",
  "print-analysis",
  "trace-solver",
  "detail-op",
]);

const POSITIONALS: Readonly<Record<string, string>> = {
  file: "Path of a TTNN or TTIR file, below the server's folders",
  a: "Path of a file, or - for the text",
  b: "Path of the file to compare with; without it two policies or devices are compared on the first",
  tensor: "A tensor type, for example tensor<2x3x64x128xf32>",
};

/** `text` stands for a file in all tools that read one. */
const TEXT = { type: "string", description: "IR instead of a file" };

/** The tools of the server. */
export const TOOLS: readonly CommandTool[] = [
  {
    command: { ...optimize, load: () => import("../run/optimize.ts") },
    positionals: ["file"],
    required: [],
    answer: planSchema,
  },
  {
    command: { ...simulate, load: () => import("../run/simulate.ts") },
    positionals: ["file"],
    required: [],
    answer: simulationSchema,
  },
  {
    command: { ...diff, load: () => import("../run/diff.ts") },
    positionals: ["a", "b"],
    required: ["a"],
    answer: diffSchema,
  },
  {
    command: { ...explain, load: () => import("../run/explain.ts") },
    positionals: ["file"],
    required: ["op"],
    answer: explanationSchema,
  },
  {
    command: { ...doctor, load: () => import("../run/doctor.ts") },
    positionals: ["file"],
    required: [],
    answer: doctorSchema,
  },
  {
    command: { ...layout, load: () => import("../run/layout.ts") },
    positionals: ["tensor"],
    required: ["tensor"],
    answer: layoutSchema,
  },
];

/** Whether the tool reads IR, and takes it as text. */
function readsText({ positionals }: CommandTool): boolean {
  return positionals.some((name) => name === "file" || name === "a");
}

/** JSON schema of a call. */
export function inputSchema(tool: CommandTool): { readonly type: "object"; readonly [key: string]: unknown } {
  const options = tool.command.options.filter(({ name }) => !OUTPUT_FORMS.has(name));
  return {
    type: "object",
    properties: {
      ...Object.fromEntries(
        tool.positionals.map((name) => [name, { type: "string", description: POSITIONALS[name] }]),
      ),
      ...(readsText(tool) ? { text: TEXT } : {}),
      ...Object.fromEntries(options.map((spec) => [spec.name, optionSchema(spec)])),
    },
    required: tool.required,
    additionalProperties: false,
  };
}

/**
 * JSON schema of an answer: that of the command, open for keys that it gains, and without the keys that bounding or a
 * rarer input may leave out.
 */
export function outputSchema(
  tool: CommandTool,
): { readonly type: "object"; readonly [key: string]: unknown } {
  const { $schema: _dialect, ...schema } = tool.answer;
  return { ...opened(schema), type: "object", required: ["schema"] };
}

function opened(schema: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key, value]) =>
        !(key === "additionalProperties" && value === false) && !isRequiredList(key, value)
      )
      .map(([key, value]) => [key, openedValue(value)]),
  );
}

function openedValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(openedValue);
  return typeof value === "object" && value !== null ? opened(value) : value;
}

function isRequiredList(key: string, value: unknown): boolean {
  return key === "required" && Array.isArray(value);
}

/** The command line that a call stands for. Values come behind `=`, positionals behind `--`, so that none is an option. */
export function commandLine(tool: CommandTool, input: Readonly<Record<string, unknown>>): readonly string[] {
  const words = [tool.command.name, "--json"];
  for (const { name } of tool.command.options) {
    const value = input[name];
    if (value === undefined) continue;
    for (const one of Array.isArray(value) ? value : [value]) words.push(`--${name}=${one}`);
  }
  const given = tool.positionals.flatMap((name) => {
    const value = input[name];
    return value === undefined ? [] : [String(value)];
  });
  if (given.length === 0 && input.text !== undefined) given.push("-");
  return [...words, "--", ...given];
}
