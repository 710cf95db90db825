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
import { boundedJson } from "./bounded_json.ts";
import { filesJson } from "./list_files.ts";
import { rootedHost, type Roots } from "./rooted_host.ts";
import { callSchema, commandLine, type CommandTool, inputSchema, LIST_FILES, TOOLS } from "./tools.ts";

// @ts-types="@modelcontextprotocol/sdk/types"

/** Permissions and answer size of a server. */
export interface McpOptions {
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
export interface McpServer {
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
