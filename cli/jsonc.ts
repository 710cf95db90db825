// SPDX-License-Identifier: Apache-2.0
import { parse } from "@std/jsonc/parse";
import { DiagnosticError, errorAt } from "../lib/diagnostics/diagnostic.ts";

/**
 * Reads JSON with comments and trailing commas.
 *
 * @param file name to show in errors
 * @throws {DiagnosticError} if the text is not valid JSON with comments; it has the location
 */
export function parseJsonc(text: string, file: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    // The parser gives the offset in its message only, and none if the text ends too early.
    const [, reason = error.message, offset = text.length] =
      /^Cannot parse JSONC: (.*?)(?: in JSONC at position (\d+))?$/.exec(error.message) ?? [];
    throw new DiagnosticError([
      errorAt("config/invalid-json", file, text, Number(offset), `Cannot read ${file}: ${reason}`),
    ]);
  }
}
