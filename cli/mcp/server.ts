// SPDX-License-Identifier: Apache-2.0
import { join, relative } from "@std/path";
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
import { callSchema, commandLine, type CommandTool, inputSchema, LIST_FILES, TOOLS } from "./tools.ts";

/** File name suffixes that a command reads. */
const READ = /\.(?:mlir|csv|json|log|txt)$/;

/** Most listed files. */
const MOST_FILES = 1000;

/** The document of the files below some folders, with their sizes: possible arguments of the tools. */
async function filesJson(folders: readonly string[]): Promise<Readonly<Record<string, unknown>>> {
  const [first = ""] = folders;
  const files: { readonly path: string; readonly bytes: number }[] = [];
  const list = async (folder: string): Promise<void> => {
    const entries = await Array.fromAsync(Deno.readDir(folder)).catch(() => []);
    for (const { name, isFile, isDirectory } of entries.toSorted((a, b) => a.name < b.name ? -1 : 1)) {
      const path = join(folder, name);
      if (isDirectory && !name.startsWith(".")) await list(path);
      else if (isFile && READ.test(name) && files.length < MOST_FILES) {
        const below = relative(first, path);
        const { size } = await Deno.stat(path);
        files.push({ path: below.startsWith("..") ? path : below, bytes: size });
      }
    }
  };
  for (const folder of folders) await list(folder);
  return { schema: "tilewright.files/1", summary: { files: files.length, most: MOST_FILES }, files };
}

/** A shortened value, with descriptions of the omissions. */
interface BoundedJson {
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

/** Rounds of cutting: each cuts lists with a text above `share · characters`, down to `items` items. */
const SPARED = [{ share: 0.05, items: 1 }, { share: 0, items: 1 }, { share: 0, items: 0 }] as const;

/**
 * Cuts the ends of long lists until a value prints in at most so many characters. The beginning of a document
 * matters most and is cut last: lists of its last key are halved first, the longest first, down to one item
 * each. Objects and texts stay whole.
 */
export function boundedJson(value: unknown, characters: number): BoundedJson {
  const copy: unknown = structuredClone(value);
  const parts = (typeof copy === "object" && copy !== null ? Object.entries(copy) : []).map(([key, part]) => {
    const lists: List[] = [];
    collect(part, Array.isArray(copy) ? `[${key}]` : key, lists);
    return lists;
  });
  if (Array.isArray(copy)) parts.unshift([{ path: "the list", items: copy, before: copy.length }]);
  const all = parts.flat();
  let over = JSON.stringify(copy).length - characters;
  for (const spared of SPARED) {
    for (const lists of parts.toReversed()) {
      while (over > 0) {
        const longest = longestOf(lists, spared.items, spared.share * characters);
        if (longest === undefined) break;
        const { items } = longest;
        items.length = Math.max(spared.items, Math.floor(items.length / 2));
        over = JSON.stringify(copy).length - characters;
      }
    }
  }
  const omitted = all.filter(({ items, before }) => items.length < before).map(({ path, items, before }) =>
    `${path}: ${before - items.length} of ${before} left out`
  );
  return { value: copy, omitted };
}

/**
 * The list of more than `least` items with the longest own text, of at least `enough` characters, nested
 * lists excluded.
 */
function longestOf(lists: readonly List[], least: number, enough: number): List | undefined {
  let longest: List | undefined;
  let most = enough;
  for (const list of lists) {
    if (list.items.length <= least) continue;
    const own = ownLength(list.items);
    if (own > most) [longest, most] = [list, own];
  }
  return longest;
}

/** Characters of a value without those of the lists in its items. */
function ownLength(items: readonly unknown[]): number {
  return JSON.stringify(items, (_, part) => part !== items && Array.isArray(part) ? 0 : part).length;
}

function collect(value: unknown, path: string, lists: List[]): void {
  if (Array.isArray(value)) {
    lists.push({ path, items: value, before: value.length });
    value.forEach((item, index) => collect(item, `${path}[${index}]`, lists));
  } else if (typeof value === "object" && value !== null) {
    for (const [key, item] of Object.entries(value)) collect(item, `${path}.${key}`, lists);
  }
}

// @ts-types="@modelcontextprotocol/sdk/types"

/** Permissions and answer size of a server. */
interface McpOptions {
  readonly roots: Roots;
  /** Most characters of an answer's data. */
  readonly maxCharacters: number;
  readonly version: string;
}

/** A tool with the validator of its calls. */
interface CheckedTool extends CommandTool {
  readonly checkInput: ReturnType<AjvJsonSchemaValidator["getValidator"]>;
}

const INSTRUCTIONS =
  "Layouts, L1 and predicted time of TTNN graphs on Tenstorrent chips, without hardware. " +
  "Start with files for what there is, simulate for a file as it is, optimize for what could be, explain for one op, " +
  "doctor for L1 clashes, price for an op without a file. Ask optimize and simulate with top or group-by: whole answers are long.";

/** Most characters of the remarks about omissions in an answer. */
const MOST_REMARK_CHARACTERS = 1000;

/** A server and its pending answers. */
interface McpServer {
  readonly server: Server;
  /** Settles once every received call has its answer. */
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
    checkInput: validator.getValidator(callSchema(tool)),
  }]));
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: [
      LIST_FILES,
      ...TOOLS.map((tool) => ({
        name: tool.command.name,
        description: `${tool.command.summary}. Answers ${tool.answers}.`,
        inputSchema: inputSchema(tool),
        annotations: { readOnlyHint: options.roots.write.length === 0, openWorldHint: false },
      })),
    ],
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }): Promise<CallToolResult> => {
    if (params.name === LIST_FILES.name) {
      return answerOf(await filesJson(options.roots.read), "", options.maxCharacters);
    }
    const tool = tools.get(params.name);
    if (tool === undefined) {
      return failure(
        `Unknown tool '${params.name}'; tools: ${[LIST_FILES.name, ...tools.keys()].join(", ")}`,
      );
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
    // One turn for the last input to become a call, one for the last answer to be written.
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
  return answerOf(data, host.err(), maxCharacters);
}

/** @param said the command's output besides its data */
function answerOf(data: unknown, said: string, maxCharacters: number): CallToolResult {
  const { value, omitted } = boundedJson(data, maxCharacters);
  const remarks = [
    ...(omitted.length === 0 ? [] : [
      clipped(
        `Bounded to ${maxCharacters} characters; ask for fewer rows (top, id-range, group-by). ${
          omitted.join("; ")
        }`,
        MOST_REMARK_CHARACTERS,
      ),
    ]),
    ...(said === "" ? [] : [clipped(said, maxCharacters)]),
  ];
  const content = [JSON.stringify(value), ...remarks].map((one) => ({ type: "text" as const, text: one }));
  return isRecord(value) ? { content, structuredContent: value } : { content };
}

function failure(text: string): CallToolResult {
  return { content: [{ type: "text", text: text.trim() }], isError: true };
}

function clipped(text: string, characters: number): string {
  return text.length <= characters ? text : `${text.slice(0, characters)} …`;
}
