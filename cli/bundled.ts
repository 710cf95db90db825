// SPDX-License-Identifier: Apache-2.0

/**
 * The command line as one program, its own thread included: the entry of `deno bundle` and `deno compile`.
 *
 * @module
 */

import config from "../deno.json" with { type: "json" };
import { serveBench } from "./bench_thread.ts";
import { COMMANDS } from "./command_table.ts";
import { denoHostWithThreads } from "./deno_host.ts";
import { runCommandLine } from "./dispatch.ts";

/** URL fragment under which the bundle is its own thread. */
const THREAD = "#thread";

if (import.meta.url.endsWith(THREAD)) serveBench();
else if (import.meta.main) {
  const host = denoHostWithThreads(new URL(THREAD, import.meta.url));
  Deno.exitCode = await runCommandLine(Deno.args, host, config.version, COMMANDS);
}
