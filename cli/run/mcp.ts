// SPDX-License-Identifier: Apache-2.0
import process from "node:process";
// @ts-types="@modelcontextprotocol/sdk/server/stdio"
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import config from "../../deno.json" with { type: "json" };
import { EXIT, type ExitCode, type Invocation } from "../command.ts";
import { realFolder, type Roots } from "../mcp/rooted_host.ts";
import { createMcpServer } from "../mcp/server.ts";

/** Runs `mcp` until standard input ends and every call has its answer. */
export async function run({ host, options }: Invocation): Promise<ExitCode> {
  const [first = ".", ...more] = options.texts("root");
  const roots: Roots = {
    read: [await realFolder(first), ...await Promise.all(more.map(realFolder))],
    write: await Promise.all(options.texts("write").map(realFolder)),
  };
  const maxCharacters = options.number("max-characters") ?? 60_000;
  const { server, answered } = createMcpServer(host, { roots, maxCharacters, version: config.version });
  const ended = new Promise<void>((done) => process.stdin.once("end", done));
  await server.connect(new StdioServerTransport());
  await ended;
  await answered();
  await server.close();
  return EXIT.ok;
}
