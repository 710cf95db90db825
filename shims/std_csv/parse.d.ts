// SPDX-License-Identifier: Apache-2.0

/** Options of {@linkcode parse}. */
export interface ParseOptions {
  /** What stands between cells; a comma by default. */
  separator?: string;
  /** Whether a quote may stand inside of a cell that is not quoted, and a lone one inside of a quoted cell. */
  lazyQuotes?: boolean;
}

/** Rows of cells; lines without any character are left out. Throws a `SyntaxError` for quotes out of place. */
export function parse(input: string, options?: ParseOptions): string[][];
