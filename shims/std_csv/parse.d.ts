// SPDX-License-Identifier: Apache-2.0

/** Options of {@linkcode parse}. */
export interface ParseOptions {
  /** What stands between cells; a comma by default. */
  separator?: string;
  /** Lines that begin with it are left out. */
  comment?: string;
  /** Whether blanks before a cell are left out. */
  trimLeadingSpace?: boolean;
  /** Whether a quote may stand inside of a cell that is not quoted, and a lone one inside of a quoted cell. */
  lazyQuotes?: boolean;
  /** Cells per row: 0 means as many as the first row has, a negative number any. */
  fieldsPerRecord?: number;
}

/** Rows of cells; lines without any character are left out. Throws a `SyntaxError` for quotes out of place. */
export function parse(input: string, options?: ParseOptions & { skipFirstRow?: false }): string[][];
