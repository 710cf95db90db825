// SPDX-License-Identifier: Apache-2.0
import { Server } from "@modelcontextprotocol/sdk/server";
import {
  CallToolRequestSchema,
  type CallToolResult,
  ListToolsRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/sdk/validation/ajv";
import { type Command, EXIT } from "../command.ts";
import { runCommandLine } from "../dispatch.ts";
import type { Host } from "../host.ts";
import { boundedJson, clipped, quotedBytes } from "./bounded_json.ts";
import { filesJson, LIST_FILES } from "./files.ts";
import { rootedHost, type Roots } from "./rooted_host.ts";
import { callSchema, commandLine, type CommandTool, inputSchema, TOOLS } from "./tools.ts";

/** Permissions and answer size of a server. */
interface McpOptions {
  readonly roots: Roots;
  /** Most bytes of an answer: of the JSON of a call's result, with its remarks. */
  readonly maxBytes: number;
  readonly version: string;
  readonly commands: readonly Command[];
}

interface CheckedTool extends CommandTool {
  readonly checkInput: ReturnType<AjvJsonSchemaValidator["getValidator"]>;
}

const INSTRUCTIONS =
  "Layouts, L1 and predicted time of TTNN graphs on Tenstorrent chips, without hardware. " +
  "Start with files for what there is, simulate for a file as it is, optimize for what could be, explain for one op, " +
  "doctor for L1 clashes, price for an op without a file. Long answers are cut and say so: ask optimize and simulate with top or group-by.";

/** Most bytes of an answer's remarks on omissions, and of a command's output besides its data. */
const [MOST_OMISSION_BYTES, MOST_REMARK_BYTES] = [1000, 2000];

/** Bytes of an answer around its texts. */
const FRAME_BYTES = 200;

/** A Model Context Protocol server whose tools are commands; `answered` settles once every received call has its answer. */
export function createMcpServer(
  host: Host,
  options: McpOptions,
): { readonly server: Server; readonly answered: () => Promise<void> } {
  const { maxBytes } = options;
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
    const input = params.arguments ?? {};
    if (params.name === LIST_FILES.name) {
      const { path = "" } = input;
      if (typeof path !== "string") return failure("files: path must be a text", maxBytes);
      return answerOf(await filesJson(options.roots.read, path), "", "path", maxBytes);
    }
    const tool = tools.get(params.name);
    if (tool === undefined) {
      return failure(
        `Unknown tool '${params.name}'; tools: ${[LIST_FILES.name, ...tools.keys()].join(", ")}`,
        maxBytes,
      );
    }
    const checked = tool.checkInput(input);
    if (!checked.valid) return failure(`${params.name}: ${checked.errorMessage}`, maxBytes);
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
  { roots, maxBytes, version, commands }: McpOptions,
): Promise<CallToolResult> {
  const text = typeof input.text === "string" ? input.text : undefined;
  if (text !== undefined && tool.positionals.some((name) => input[name] !== undefined)) {
    return failure("error: Give a file or text, not both\n", maxBytes);
  }
  const host = rootedHost(base, roots, text);
  const code = await runCommandLine(commandLine(tool, input), host, version, commands);
  if (code !== EXIT.ok && code !== EXIT.finding) return failure(host.err(), maxBytes);
  let data: unknown;
  try {
    data = JSON.parse(host.out());
  } catch {
    return failure(`${host.err()}${host.out()}`, maxBytes);
  }
  const fewer = tool.command.options.map(({ name }) => name).filter((name) => FEWER.has(name)).join(", ");
  return answerOf(data, host.err(), fewer, maxBytes);
}

/** Options that ask for less. */
const FEWER: ReadonlySet<string> = new Set(["top", "id-range", "group-by", "op"]);

/**
 * Data as text, which every client reads; `structuredContent` would repeat it.
 *
 * @param said the command's output besides its data
 * @param fewer options that ask for less
 */
function answerOf(data: unknown, said: string, fewer: string, maxBytes: number): CallToolResult {
  const remark = clipped(said.trim(), MOST_REMARK_BYTES);
  const room = maxBytes - FRAME_BYTES - MOST_OMISSION_BYTES - quotedBytes(remark);
  const { value, omitted } = boundedJson(data, room);
  const asks = fewer === "" ? "" : ` Ask with ${fewer} for what you need.`;
  const cut = `Cut to ${maxBytes} bytes; the whole has ${quotedBytes(data)}.${asks} ${omitted.join("; ")}`;
  const texts = [
    JSON.stringify(value),
    ...(omitted.length === 0 ? [] : [clipped(cut, MOST_OMISSION_BYTES)]),
    ...(remark === "" ? [] : [remark]),
  ];
  return { content: texts.map((text) => ({ type: "text" as const, text })) };
}

function failure(text: string, maxBytes: number): CallToolResult {
  return { content: [{ type: "text", text: clipped(text.trim(), maxBytes - FRAME_BYTES) }], isError: true };
}
