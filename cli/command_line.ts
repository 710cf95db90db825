// SPDX-License-Identifier: Apache-2.0

/**
 * The command line in this process. It loads what help needs, and the code of a command when that runs.
 *
 * @module
 */

import config from "../deno.json" with { type: "json" };
import type { ExitCode } from "./command.ts";
import { COMMANDS } from "./command_table.ts";
import { denoHostWithThreads } from "./deno_host.ts";
import { runCommandLine } from "./dispatch.ts";

/** Runs the command line of this process and returns its exit code. */
export function runProgram(): Promise<ExitCode> {
  const host = denoHostWithThreads(new URL("./thread.ts", import.meta.url));
  return runCommandLine(Deno.args, host, config.version, COMMANDS);
}
