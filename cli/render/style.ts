// SPDX-License-Identifier: Apache-2.0
import type { Options } from "../command.ts";
import type { Host, OutputStream } from "../host.ts";

/** A table before it is fitted to a width, as `--csv` prints it. */
export interface DrawnTable {
  readonly titles: readonly string[];
  /** A cell per title and row. */
  readonly rows: readonly (readonly CsvCell[])[];
}

/** Text and unit of a cell, with its number if the unit depends on its size. */
export interface CsvCell {
  readonly text: string;
  readonly unit?: string | undefined;
  /** In the unit of its column, µs for times. */
  readonly value?: number | undefined;
}

/** Receives the tables of a report. */
export type TableSink = (table: DrawnTable) => void;

/** How text is set for one stream; every function returns its text unchanged when colour is off. */
export interface Style {
  /** Columns of a line. */
  readonly width: number;
  bold(text: string): string;
  dim(text: string): string;
  red(text: string): string;
  green(text: string): string;
  yellow(text: string): string;
  blue(text: string): string;
  magenta(text: string): string;
  cyan(text: string): string;
  /** Receives tables, for `--csv`. */
  readonly tables?: TableSink | undefined;
}

/**
 * Escape sequences that begin and end a decoration. @std/fmt does not suit: with NO_COLOR in the environment
 * it never decorates, regardless of `--color always`.
 */
const DECORATIONS = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  blue: [34, 39],
  magenta: [35, 39],
  cyan: [36, 39],
} as const;

/**
 * Style for one stream.
 *
 * @param when value of `--color`
 * @param noColor whether `NO_COLOR` is set and not empty
 */
export function createStyle(when: string, noColor: boolean, stream: OutputStream): Style {
  const enabled = when === "always" || (when === "auto" && !noColor && stream.isTerminal);
  const decorated = ([begin, end]: readonly [number, number]) => (text: string): string =>
    // After an inner decoration that ends with the same code, this one begins again.
    enabled && text !== ""
      ? `\x1b[${begin}m${text.replaceAll(`\x1b[${end}m`, `\x1b[${end}m\x1b[${begin}m`)}\x1b[${end}m`
      : text;
  return {
    width: stream.columns,
    bold: decorated(DECORATIONS.bold),
    dim: decorated(DECORATIONS.dim),
    red: decorated(DECORATIONS.red),
    green: decorated(DECORATIONS.green),
    yellow: decorated(DECORATIONS.yellow),
    blue: decorated(DECORATIONS.blue),
    magenta: decorated(DECORATIONS.magenta),
    cyan: decorated(DECORATIONS.cyan),
  };
}

/** Style for a stream of the process, by `--color`, `NO_COLOR` and the terminal. */
export function styleOf(host: Host, options: Options, stream: OutputStream = host.stdout): Style {
  const style = createStyle(
    options.text("color") ?? "auto",
    host.environment("NO_COLOR") !== undefined,
    stream,
  );
  return host.tables === undefined ? style : { ...style, tables: host.tables };
}
