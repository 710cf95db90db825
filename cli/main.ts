#!/usr/bin/env -S deno run --v8-flags=--no-turbofan,--no-maglev-inlining,--invocation-count-for-maglev=1600,--no-concurrent-sparkplug,--no-lazy,--min-semi-space-size=8,--max-semi-space-size=8,--scavenger-chaos-mode,--scavenger-chaos-mode-threshold=100,--initial-heap-size=160,--expose-gc --allow-read --allow-write --allow-env=TILEWRIGHT_*,NO_COLOR,COLUMNS
// SPDX-License-Identifier: Apache-2.0

/**
 * The command line of Tilewright.
 *
 * @module
 */

// Read by nearly every command. Deno keeps the compiled code of a package, and uses what it kept only where the program
// names the package before it starts; commands are loaded later, and would compile it in every process.
import "valibot";
import config from "../deno.json" with { type: "json" };
import { COMMANDS } from "./command_table.ts";
import { denoHostWithThreads } from "./deno_host.ts";
import { runCommandLine } from "./dispatch.ts";

if (import.meta.main) {
  const host = denoHostWithThreads(new URL("./thread.ts", import.meta.url));
  Deno.exitCode = await runCommandLine(Deno.args, host, config.version, COMMANDS);
}
