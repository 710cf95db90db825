// SPDX-License-Identifier: Apache-2.0
import type { Command, OptionSpec } from "../command.ts";
import { COMMANDS } from "../command_table.ts";
import { optionSchema } from "../option_values.ts";

/** A command as a tool. */
export interface CommandTool {
  readonly command: Command;
  /** Names of the command's positionals, in order; the last may be a list. */
  readonly positionals: readonly string[];
  /** Names of the positionals and options that a call must have. */
  readonly required: readonly string[];
  /** Schemas of its answers in words, `docs/schema/NAME-VERSION.json` each. */
  readonly answers: string;
}

/** Options that tools do not have: they choose another form of output, or how `bench` keeps and divides its work. */
const OUTPUT_FORMS: ReadonlySet<string> = new Set([
  "json",
  "format",
  "emit",
  "print-analysis",
  "trace-solver",
  "detail-op",
  "merge",
  "resume",
  "jobs",
  "save",
]);

/** Options described in a tool's schema; the others are only named there, and described in docs/cli.md. */
const DESCRIBED: ReadonlySet<string> = new Set([
  "policy",
  "policies",
  "policy-a",
  "policy-b",
  "device",
  "op",
  "top",
  "group-by",
  "id-range",
  "log",
  "message",
  "keeps",
  "threshold",
  "weights",
  "dtype",
  "attr",
  "output",
  "profile",
  "gap",
  "search",
  "trace",
  "uncovered",
  "grid",
]);

const POSITIONALS: Readonly<Record<string, unknown>> = {
  file: { type: "string", description: "Path of a TTNN or TTIR file, below the server's folders" },
  files: { type: "array", items: { type: "string" }, description: "Paths, folders or patterns" },
  a: { type: "string", description: "Path of a file, or - for the text" },
  b: { type: "string", description: "Path of the other; without it policies or devices are compared on a" },
  tensor: { type: "string", description: "A tensor type, such as tensor<2x3x64x128xf32>" },
  name: { type: "string", description: "Name of the op, such as matmul" },
  shapes: {
    type: "array",
    items: { type: "string" },
    description: "Shape per operand, such as 32x4096 or 4096x14336:bfp8",
  },
  show: { type: "string", description: "Name of one to show with the source of every constant" },
};

/** `text` takes the place of the file in all tools that read one; a call has either. */
const TEXT = { type: "string", description: "IR instead of a file" };

/**
 * The commands that are tools, each with its positionals, `[optional]` or not, and every `--option` that a call must
 * have, and with the name of its answers.
 */
const USAGES: Readonly<Record<string, readonly [usage: string, answers: string]>> = {
  optimize: ["[file]", "tilewright.plan/1; with top, group-by or id-range tilewright.rows/1"],
  advise: ["[file]", "tilewright.advice/1"],
  simulate: ["[file]", "tilewright.simulation/1; with top, group-by or id-range tilewright.rows/1"],
  diff: ["a [b]", "tilewright.diff/1"],
  explain: ["[file]", "tilewright.explanation/1; with gap or search for the whole plan"],
  doctor: ["[file]", "tilewright.doctor/1"],
  layout: ["tensor", "tilewright.layout/1"],
  price: ["name shapes", "tilewright.price/1"],
  lint: ["[file]", "tilewright.lint/1"],
  minimise: ["[file] --keeps", "tilewright.minimal/1"],
  bench: ["files", "tilewright.bench/1"],
  ops: ["", "tilewright.ops/1"],
  devices: ["[show]", "tilewright.devices/1, or one device"],
};

/** The server's tools that run commands. */
export const TOOLS: readonly CommandTool[] = Object.entries(USAGES).flatMap(([name, [usage, answers]]) => {
  const words = usage.split(" ").filter((word) => word !== "");
  const nameOf = (word: string) => word.replaceAll(/^--|[[\]]/g, "");
  return COMMANDS.filter((command) => command.name === name).map((command) => ({
    command,
    positionals: words.filter((word) => !word.startsWith("--")).map(nameOf),
    required: words.filter((word) => !word.startsWith("[")).map(nameOf),
    answers,
  }));
});

function readsText({ positionals }: CommandTool): boolean {
  return positionals.some((name) => name === "file" || name === "a");
}

function optionsOf({ command }: CommandTool): readonly OptionSpec[] {
  return command.options.filter(({ name }) => !OUTPUT_FORMS.has(name));
}

function propertiesOf(tool: CommandTool): Readonly<Record<string, unknown>> {
  return {
    ...Object.fromEntries(tool.positionals.map((name) => [name, POSITIONALS[name]])),
    ...(readsText(tool) ? { text: TEXT } : {}),
  };
}

/** JSON schema of a call for clients: the common options, and the names of all others. */
export function inputSchema(tool: CommandTool): { readonly type: "object"; readonly [key: string]: unknown } {
  const options = optionsOf(tool);
  const others = otherOptionsOf(tool);
  return {
    type: "object",
    properties: {
      ...propertiesOf(tool),
      ...Object.fromEntries(
        options.filter(({ name }) => DESCRIBED.has(name)).map((spec) => [spec.name, optionSchema(spec)]),
      ),
    },
    required: tool.required,
    ...(others.length === 0 ? { additionalProperties: false } : {
      description: `Also, as 'tilewright ${tool.command.name} --help' has them: ${namesOf(tool, others)}`,
    }),
  };
}

function otherOptionsOf(tool: CommandTool): readonly string[] {
  return optionsOf(tool).map(({ name }) => name).filter((name) => !DESCRIBED.has(name));
}

/** Names of options; most tools that decide refer to those of `optimize`, as clients read all tools at once. */
function namesOf(tool: CommandTool, names: readonly string[]): string {
  const optimize = TOOLS.find(({ command }) => command.name === "optimize");
  const known = optimize === undefined || optimize === tool ? [] : otherOptionsOf(optimize);
  const missing = known.filter((name) => !names.includes(name));
  if (2 * missing.length >= known.length) return names.join(", ");
  const except = missing.length === 0 ? "" : ` except ${missing.join(", ")}`;
  return [...names.filter((name) => !known.includes(name)), `those that optimize lists${except}`].join(", ");
}

/** JSON schema that a call is validated with: every option by name. */
export function callSchema(tool: CommandTool): { readonly type: "object"; readonly [key: string]: unknown } {
  return {
    type: "object",
    properties: {
      ...propertiesOf(tool),
      ...Object.fromEntries(optionsOf(tool).map((spec) => [spec.name, optionSchema(spec)])),
    },
    required: tool.required,
    additionalProperties: false,
  };
}

/**
 * The command line of a call. Values follow `=`, positionals follow `--`, so that none is parsed as an
 * option.
 */
export function commandLine(tool: CommandTool, input: Readonly<Record<string, unknown>>): readonly string[] {
  const words = [tool.command.name, "--json"];
  for (const { name } of tool.command.options) {
    const value = input[name];
    if (value === undefined) continue;
    for (const one of Array.isArray(value) ? value : [value]) words.push(`--${name}=${one}`);
  }
  const given = tool.positionals.flatMap((name) => {
    const value = input[name];
    if (value === undefined) return [];
    const texts = (Array.isArray(value) ? value : [value]).map(String);
    return name === "show" ? ["show", ...texts] : texts;
  });
  if (given.length === 0 && input.text !== undefined) given.push("-");
  return [...words, "--", ...given];
}
