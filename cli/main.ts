// SPDX-License-Identifier: Apache-2.0

/**
 * The command line of Tilewright: {@linkcode runProgram} in a new process with the right V8 flags, or in this
 * one.
 *
 * @module
 */

import { restarted } from "./restart.ts";

if (import.meta.main) {
  Deno.exitCode = await restarted(new URL("./program.ts", import.meta.url), Deno.args) ??
    await (await import("./program.ts")).runProgram();
}
