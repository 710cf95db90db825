#!/usr/bin/env -S deno run --v8-flags=--no-turbofan,--no-maglev-inlining,--invocation-count-for-maglev=1600,--no-concurrent-sparkplug,--no-lazy,--min-semi-space-size=8,--max-semi-space-size=8,--scavenger-chaos-mode,--scavenger-chaos-mode-threshold=100,--initial-heap-size=160,--expose-gc --allow-read --allow-write --allow-env=TILEWRIGHT_*,NO_COLOR,COLUMNS
// SPDX-License-Identifier: Apache-2.0

/**
 * The command line in this process.
 *
 * @module
 */

// Nearly every command uses it. Deno reuses the compiled code of a package only if the program imports it
// statically; commands are loaded later, and would compile it in every process.
import "valibot";
import config from "../deno.json" with { type: "json" };
import { COMMANDS } from "./command_table.ts";
import type { ExitCode } from "./command.ts";
import { denoHostWithThreads } from "./deno_host.ts";
import { runCommandLine } from "./dispatch.ts";

/** Runs the command line of this process and returns its exit code. */
export function runProgram(): Promise<ExitCode> {
  const host = denoHostWithThreads(new URL("./thread.ts", import.meta.url));
  return runCommandLine(Deno.args, host, config.version, COMMANDS);
}

if (import.meta.main) Deno.exitCode = await runProgram();
