// SPDX-License-Identifier: Apache-2.0

/** Options of {@linkcode stringify}. */
export interface StringifyOptions {
  /** Whether the first row names the columns; it does by default. */
  headers?: boolean;
  /** Names of the columns, keys of the rows. */
  columns?: readonly string[];
}

/** Rows as comma-separated text; lines end with CRLF, cells are quoted where they must be. */
export function stringify(
  data: readonly (Readonly<Record<string, unknown>> | readonly unknown[])[],
  options?: StringifyOptions,
): string;
