// SPDX-License-Identifier: Apache-2.0

/**
 * The command line of Tilewright: {@linkcode runProgram} in a new process with the right V8 flags, or in this
 * one.
 *
 * @module
 */

import { restarted } from "./restart.ts";

/** Packages of the commands. Deno downloads all that a lock file lists, and that of the checkout lists those of tests. */
const LOCK = new URL("./deno.lock", import.meta.url);

if (import.meta.main) {
  Deno.exitCode = await restarted(new URL("./program.ts", import.meta.url), Deno.args, LOCK) ??
    await runHere();
}

async function runHere(): Promise<number> {
  // Not literal: the packages of the program would be downloaded before this process starts another one.
  const program: typeof import("./program.ts") = await import("./program.ts" satisfies string);
  return await program.runProgram();
}
