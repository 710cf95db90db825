// SPDX-License-Identifier: Apache-2.0

/**
 * The command line of Tilewright: {@linkcode runHere} in a new process with the right V8 flags, or in this
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
  let here: typeof import("./command_line.ts");
  try {
    // Not literal: its packages would be downloaded before this process starts another one.
    here = await import("./command_line.ts" satisfies string);
  } catch (error) {
    // Such an import reads a file, which a literal one is free to do.
    if (!(error instanceof TypeError) || !error.message.includes("--allow-read")) throw error;
    console.error(`error: Cannot start: ${error.message}`);
    return 3;
  }
  return await here.runProgram();
}
