// SPDX-License-Identifier: Apache-2.0
import { assertThrows } from "@std/assert";
import { DiagnosticError } from "../lib/diagnostics/diagnostic.ts";
import { startProgram } from "./start_program.ts";

Deno.test("a file that may not be executed, and one that is not there, are told apart", async () => {
  const file = await Deno.makeTempFile();
  try {
    await Deno.chmod(file, 0o644);
    assertThrows(
      () => startProgram({ command: file, args: [] }),
      DiagnosticError,
      `Cannot start ${file}: the file is no program that may be executed`,
    );
  } finally {
    await Deno.remove(file);
  }
  assertThrows(() => startProgram({ command: file, args: [] }), DiagnosticError, "no such program");
});
