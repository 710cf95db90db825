// SPDX-License-Identifier: Apache-2.0

/** How bad a diagnostic is. Names follow MLIR's diagnostic engine. */
export type Severity = "error" | "warning" | "remark" | "note";

/** A place in a source text. `line` and `column` start at 1, `offset` (UTF-16 units) at 0. */
export interface SourceLocation {
  /** Name of the input as the caller gave it, `-` for standard input on the command line. */
  readonly file: string;
  /** UTF-16 units from the start of the whole file, also where the file was split into several modules. */
  readonly offset: number;
  /** From 1. */
  readonly line: number;
  /** From 1, in UTF-16 units; a tab counts as one. */
  readonly column: number;
}

/** A finding as data. It is rendered late, by the command line, in MLIR's shape `file:line:col: error: …`. */
export interface Diagnostic {
  /** Stable, machine-readable name of the finding, for example `parse/unexpected-token`. */
  readonly code: string;
  /** `lint` fails on `error`, with `--strict` on `warning` as well; a `note` belongs to another finding. */
  readonly severity: Severity;
  /**
   * Absent for findings about no place in a text: a plan, a device file, a step that does not fit into L1.
   */
  readonly location?: SourceLocation;
  /** One sentence without severity and place, which rendering puts in front of it. */
  readonly message: string;
  /** The source line that `location` points into, for the caret. */
  readonly sourceLine?: string;
  /** Related places, rendered below the finding in this order. */
  readonly notes?: readonly Diagnostic[];
}

/** Thrown by pure code that cannot go on with its input. The command line maps it to exit code 3. */
export class DiagnosticError extends Error {
  /** Constant, for where `instanceof` fails: two copies of the library. */
  override readonly name = "DiagnosticError";
  /** The findings, in the order in which they were found. */
  readonly diagnostics: readonly Diagnostic[];

  /** `message` becomes the messages of all diagnostics, one per line. */
  constructor(diagnostics: readonly Diagnostic[]) {
    super(diagnostics.map((diagnostic) => diagnostic.message).join("\n"));
    this.diagnostics = diagnostics;
  }
}

/** The error about an input as a whole, at no place in a text. */
export function inputError(code: string, message: string): DiagnosticError {
  return new DiagnosticError([{ code, severity: "error", message }]);
}

/**
 * Builds the {@linkcode SourceLocation} of an offset.
 *
 * @param file name to show
 * @param text whole source text
 * @param offset position in UTF-16 units, clamped to the text
 */
export function locate(file: string, text: string, offset: number): SourceLocation {
  const end = Math.max(0, Math.min(offset, text.length));
  let line = 1;
  let lineStart = 0;
  for (let next = text.indexOf("\n"); next !== -1 && next < end; next = text.indexOf("\n", next + 1)) {
    line++;
    lineStart = next + 1;
  }
  return { file, offset: end, line, column: end - lineStart + 1 };
}

/**
 * Builds an error diagnostic at an offset of a source text, with the source line for the caret.
 *
 * @param code stable name
 * @param file name to show
 * @param text whole source text
 * @param offset position in UTF-16 units
 * @param message what is wrong and what to do next
 */
export function errorAt(
  code: string,
  file: string,
  text: string,
  offset: number,
  message: string,
): Diagnostic {
  const location = locate(file, text, offset);
  const lineStart = location.offset - (location.column - 1);
  const newline = text.indexOf("\n", lineStart);
  const sourceLine = text.slice(lineStart, newline === -1 ? text.length : newline);
  return { code, severity: "error", location, message, sourceLine };
}

/** As {@linkcode inputError}, one for each of several faults; the first ten of them are enough. */
export function inputErrors(code: string, cannot: string, faults: readonly string[]): DiagnosticError {
  return new DiagnosticError(
    faults.slice(0, 10).map((fault) => ({ code, severity: "error", message: `${cannot}: ${fault}` })),
  );
}

/** Whether a value from outside is an object with fields: no list, not `null`. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The message of a caught value. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
