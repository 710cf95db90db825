#!/usr/bin/env -S deno run --v8-flags=--no-turbofan,--no-maglev-inlining,--invocation-count-for-maglev=1600,--no-concurrent-sparkplug,--no-lazy,--min-semi-space-size=8,--max-semi-space-size=8,--scavenger-chaos-mode,--scavenger-chaos-mode-threshold=100,--initial-heap-size=320,--expose-gc --allow-read --allow-write --allow-env=TILEWRIGHT_*,NO_COLOR,COLUMNS
// SPDX-License-Identifier: Apache-2.0

/**
 * The command line in a process with the right V8 flags, for commands that read and decide.
 *
 * @module
 */

// Nearly every command uses these. Deno reuses the compiled code of a package only if the program imports it
// statically; commands are loaded later, and would compile it in every process.
import "valibot";
import "./run_command.ts";
import { runProgram } from "./command_line.ts";

if (import.meta.main) Deno.exitCode = await runProgram();
