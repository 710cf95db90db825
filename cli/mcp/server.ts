// SPDX-License-Identifier: Apache-2.0
import { Server } from "@modelcontextprotocol/sdk/server";
import {
  CallToolRequestSchema,
  type CallToolResult,
  ListToolsRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/sdk/validation/ajv";
import { isRecord } from "../../lib/diagnostics/diagnostic.ts";
import { EXIT } from "../command.ts";
import { COMMANDS } from "../command_table.ts";
import { runCommandLine } from "../dispatch.ts";
import type { Host } from "../host.ts";
import { rootedHost, type Roots } from "./rooted_host.ts";
import { commandLine, type CommandTool, inputSchema, outputSchema, TOOLS } from "./tools.ts";

// @ts-types="@modelcontextprotocol/sdk/types"

/** Permissions and answer size of a server. */
export interface McpOptions {
  readonly roots: Roots;
  /** Characters of an answer's data, at most. */
  readonly maxCharacters: number;
  readonly version: string;
}

/** A tool with the validators of its calls and answers. */
interface CheckedTool extends CommandTool {
  readonly checkInput: ReturnType<AjvJsonSchemaValidator["getValidator"]>;
  readonly checkAnswer: ReturnType<AjvJsonSchemaValidator["getValidator"]>;
}

const INSTRUCTIONS =
  "Layouts, L1 and predicted time of TTNN graphs on Tenstorrent chips, without hardware. " +
  "Start with simulate for a file as it is, optimize for what could be, explain for one op, doctor for L1 clashes.";

/** A server and its pending answers. */
export interface McpServer {
  readonly server: Server;
  /** Settles once every call that came in has its answer. */
  readonly answered: () => Promise<void>;
}

/** A Model Context Protocol server whose tools are commands. */
export function createMcpServer(host: Host, options: McpOptions): McpServer {
  const running = new Set<Promise<CallToolResult>>();
  const server = new Server({ name: "tilewright", version: options.version }, {
    capabilities: { tools: {} },
    instructions: INSTRUCTIONS,
  });
  const validator = new AjvJsonSchemaValidator();
  const tools = new Map(TOOLS.map((tool): [string, CheckedTool] => [tool.command.name, {
    ...tool,
    checkInput: validator.getValidator(inputSchema(tool)),
    checkAnswer: validator.getValidator(outputSchema(tool)),
  }]));
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: TOOLS.map((tool) => ({
      name: tool.command.name,
      description: [tool.command.summary, ...tool.command.notes ?? []].join("\n"),
      inputSchema: inputSchema(tool),
      outputSchema: outputSchema(tool),
      annotations: { readOnlyHint: options.roots.write.length === 0, openWorldHint: false },
    })),
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }): Promise<CallToolResult> => {
    const tool = tools.get(params.name);
    if (tool === undefined) {
      return failure(`Unknown tool '${params.name}'; tools: ${[...tools.keys()].join(", ")}`);
    }
    const input = params.arguments ?? {};
    const checked = tool.checkInput(input);
    if (!checked.valid) return failure(`${params.name}: ${checked.errorMessage}`);
    const answer = call(tool, input, host, options);
    running.add(answer);
    try {
      return await answer;
    } finally {
      running.delete(answer);
    }
  });
  const answered = async (): Promise<void> => {
    // A turn for what was read last to become a call, and one for the last answer to be written.
    await nextTurn();
    while (running.size > 0) await Promise.allSettled(running);
    await nextTurn();
  };
  return { server, answered };
}

function nextTurn(): Promise<void> {
  return new Promise((done) => setTimeout(done, 0));
}

async function call(
  tool: CheckedTool,
  input: Readonly<Record<string, unknown>>,
  base: Host,
  { roots, maxCharacters, version }: McpOptions,
): Promise<CallToolResult> {
  const text = typeof input.text === "string" ? input.text : undefined;
  const host = rootedHost(base, roots, text);
  const commands = COMMANDS.map((command) => command.name === tool.command.name ? tool.command : command);
  const code = await runCommandLine(commandLine(tool, input), host, version, commands);
  if (code !== EXIT.ok && code !== EXIT.finding) return failure(clipped(host.err(), maxCharacters));
  let data: unknown;
  try {
    data = JSON.parse(host.out());
  } catch {
    return failure(clipped(`${host.err()}${host.out()}`, maxCharacters));
  }
  const { value, omitted } = boundedJson(data, maxCharacters);
  const remarks = [
    ...(omitted.length === 0 ? [] : [`Bounded to ${maxCharacters} characters. ${omitted.join("; ")}`]),
    ...(host.err() === "" ? [] : [clipped(host.err(), maxCharacters)]),
  ];
  const content = [JSON.stringify(value), ...remarks].map((one) => ({ type: "text" as const, text: one }));
  const checked = tool.checkAnswer(value);
  if (!checked.valid || !isRecord(value)) {
    const reason = checked.valid ? "it is not an object" : checked.errorMessage;
    return {
      content: [{ type: "text", text: `The answer does not match its schema: ${reason}` }, ...content],
      isError: true,
    };
  }
  return { content, structuredContent: value };
}

function failure(text: string): CallToolResult {
  return { content: [{ type: "text", text: text.trim() }], isError: true };
}

function clipped(text: string, characters: number): string {
  return text.length <= characters ? text : `${text.slice(0, characters)} …`;
}

/** A shortened value, and what was left out. */
export interface BoundedJson {
  readonly value: unknown;
  /** In words: `ops: 200 of 295 left out`. */
  readonly omitted: readonly string[];
}

/** A list inside a value. */
interface List {
  readonly path: string;
  readonly items: unknown[];
  readonly before: number;
}

/**
 * Cuts the ends of long lists off until a value prints in so many characters: always half of the list that prints the
 * longest. Objects and texts stay whole, so that the value keeps its schema.
 */
export function boundedJson(value: unknown, characters: number): BoundedJson {
  const copy: unknown = structuredClone(value);
  const lists: List[] = [];
  collect(copy, "", lists);
  const cut = new Set<List>();
  while (JSON.stringify(copy).length > characters) {
    let longest: Longest = { list: undefined, length: 0 };
    for (const list of lists) {
      const length = list.items.length === 0 ? 0 : JSON.stringify(list.items).length;
      if (length > longest.length) longest = { list, length };
    }
    if (longest.list === undefined) break;
    const { items } = longest.list;
    items.length = Math.floor(items.length / 2);
    cut.add(longest.list);
  }
  const omitted = [...cut].map(({ path, items, before }) =>
    `${path}: ${before - items.length} of ${before} left out`
  );
  return { value: copy, omitted };
}

interface Longest {
  readonly list: List | undefined;
  readonly length: number;
}

function collect(value: unknown, path: string, lists: List[]): void {
  if (Array.isArray(value)) {
    lists.push({ path: path === "" ? "the list" : path, items: value, before: value.length });
    value.forEach((item, index) => collect(item, `${path}[${index}]`, lists));
  } else if (typeof value === "object" && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      collect(item, path === "" ? key : `${path}.${key}`, lists);
    }
  }
}
