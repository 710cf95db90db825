// SPDX-License-Identifier: Apache-2.0
import process from "node:process";
// @ts-types="@modelcontextprotocol/sdk/types"
import { ErrorCode } from "@modelcontextprotocol/sdk/types.js";
// @ts-types="@modelcontextprotocol/sdk/server/stdio"
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import config from "../../deno.json" with { type: "json" };
import { EXIT, type ExitCode, type Invocation } from "../command.ts";
import { boundedMessages, type JsonRpcId, MOST_MESSAGE_BYTES } from "../mcp/bounded_messages.ts";
import { realFolder, type Roots } from "../mcp/rooted_host.ts";
import { DEFAULT_MAX_BYTES } from "../commands/mcp.ts";
import { createMcpServer } from "../mcp/server.ts";

/** Runs `mcp` until standard input ends and every call has its answer. */
export async function run({ host, options, commands }: Invocation): Promise<ExitCode> {
  const [first = ".", ...more] = options.texts("root");
  const roots: Roots = {
    read: [await realFolder(first), ...await Promise.all(more.map(realFolder))],
    write: await Promise.all(options.texts("write").map(realFolder)),
  };
  const maxBytes = options.number("max-bytes") ?? DEFAULT_MAX_BYTES;
  const { server, answered } = createMcpServer(host, { roots, maxBytes, version: config.version, commands });
  const messages = process.stdin.pipe(boundedMessages(MOST_MESSAGE_BYTES, refuseMessage));
  const ended = new Promise<void>((done) => messages.once("end", done));
  await server.connect(new StdioServerTransport(messages, process.stdout, { maxBufferSize: Infinity }));
  await ended;
  await answered();
  await server.close();
  return EXIT.ok;
}

/** Answers an oversized message. The SDK cannot answer a message with an unknown id. */
function refuseMessage(id: JsonRpcId): void {
  const message =
    `the message has more than ${MOST_MESSAGE_BYTES} bytes; name a file instead of giving its text`;
  process.stdout.write(
    `${JSON.stringify({ jsonrpc: "2.0", id, error: { code: ErrorCode.InvalidRequest, message } })}\n`,
  );
}
