// SPDX-License-Identifier: Apache-2.0
import type { Diagnostic } from "../../lib/diagnostics/diagnostic.ts";

/** Longest part of a source line around the caret, in characters. */
const SOURCE_WINDOW = 100;

/** Renders a diagnostic in MLIR's shape: `file:line:col: error: message`, the source line and a caret. */
export function renderDiagnostic(diagnostic: Diagnostic): string {
  const location = diagnostic.location;
  const place = location === undefined ? "" : `${location.file}:${location.line}:${location.column}: `;
  const lines = [`${place}${diagnostic.severity}: ${diagnostic.message}`];
  if (location !== undefined && diagnostic.sourceLine !== undefined) {
    const start = Math.max(0, location.column - 1 - SOURCE_WINDOW / 2);
    const window = diagnostic.sourceLine.slice(start, start + SOURCE_WINDOW).replaceAll("\t", " ");
    lines.push(window, " ".repeat(location.column - 1 - start) + "^");
  }
  for (const note of diagnostic.notes ?? []) lines.push(renderDiagnostic(note).trimEnd());
  return lines.join("\n") + "\n";
}
