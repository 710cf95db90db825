// SPDX-License-Identifier: Apache-2.0
import type { Diagnostic, Severity } from "../diagnostics/diagnostic.ts";
import type { ModuleText, Span } from "../ir/module_text.ts";

/** Collects findings about a module. Places are found by bisection, so that many findings stay cheap. */
export class Reporter {
  readonly module: ModuleText;
  readonly diagnostics: Diagnostic[] = [];
  #lineStarts: number[] | undefined;

  constructor(module: ModuleText) {
    this.module = module;
  }

  /**
   * Adds a finding.
   *
   * @param code stable name, for example `V2/operand-type`
   * @param at place in the module's text
   */
  report(code: string, severity: Severity, at: Span, message: string): void {
    const { fileName, fileText, offset } = this.module;
    const absolute = offset + at.start;
    const starts = this.#lines();
    const line = lastNotAfter(starts, absolute);
    const lineStart = starts[line] ?? 0;
    const next = starts[line + 1];
    const sourceLine = fileText.slice(lineStart, next === undefined ? fileText.length : next - 1);
    this.diagnostics.push({
      code,
      severity,
      location: { file: fileName, offset: absolute, line: line + 1, column: absolute - lineStart + 1 },
      message,
      sourceLine,
    });
  }

  error(code: string, at: Span, message: string): void {
    this.report(code, "error", at, message);
  }

  warning(code: string, at: Span, message: string): void {
    this.report(code, "warning", at, message);
  }

  #lines(): readonly number[] {
    if (this.#lineStarts === undefined) {
      const { fileText } = this.module;
      const starts = [0];
      for (let at = fileText.indexOf("\n"); at !== -1; at = fileText.indexOf("\n", at + 1)) {
        starts.push(at + 1);
      }
      this.#lineStarts = starts;
    }
    return this.#lineStarts;
  }
}

function lastNotAfter(starts: readonly number[], offset: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}
