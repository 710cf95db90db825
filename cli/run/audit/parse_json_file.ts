// SPDX-License-Identifier: Apache-2.0
import { inputError } from "../../../lib/diagnostics/diagnostic.ts";

/**
 * Parses the JSON of a data file.
 *
 * @throws {DiagnosticError} if it is not JSON
 */
export function parseJsonFile(file: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const reason = error instanceof SyntaxError ? error.message : String(error);
    throw inputError("audit/json", `Cannot read ${file}: it is not JSON (${reason})`);
  }
}
