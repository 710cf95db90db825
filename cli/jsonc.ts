// SPDX-License-Identifier: Apache-2.0
import { DiagnosticError, errorAt } from "../lib/diagnostics/diagnostic.ts";

/**
 * Reads JSON with comments and trailing commas.
 *
 * @param file name to show in errors
 * @throws {DiagnosticError} when the text is no such JSON, with a place where the engine names one
 */
export function parseJsonc(text: string, file: string): unknown {
  const plain = withoutTrailingCommas(withoutComments(text));
  try {
    return JSON.parse(plain);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const offset = Number(/position (\d+)/.exec(reason)?.[1] ?? 0);
    throw new DiagnosticError([
      errorAt("config/invalid-json", file, text, offset, `Cannot read ${file}: ${reason}`),
    ]);
  }
}

/** Comments become blanks, so that every offset stays where it was. Strings are left alone. */
function withoutComments(text: string): string {
  return text.replace(
    /"(?:[^"\\]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g,
    (part) => part.startsWith('"') ? part : part.replace(/[^\n]/g, " "),
  );
}

function withoutTrailingCommas(text: string): string {
  return text.replace(/"(?:[^"\\]|\\.)*"|,(?=\s*[\]}])/g, (part) => part === "," ? " " : part);
}
