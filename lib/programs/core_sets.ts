// SPDX-License-Identifier: Apache-2.0
import { boundingBox, type CoreRange, walkCores } from "../layout/core_range.ts";

/** Whether cores form one row or one column; `undefined` if neither, and for a single core. */
export function lineOf(ranges: readonly CoreRange[]): "row" | "column" | undefined {
  const box = boundingBox(ranges);
  if (box === undefined) return undefined;
  const isRow = box.start.y === box.end.y;
  const isColumn = box.start.x === box.end.x;
  if (isRow === isColumn) return undefined;
  return isRow ? "row" : "column";
}

/** Whether two lists of ranges contain the same cores. */
export function sameCores(a: readonly CoreRange[], b: readonly CoreRange[]): boolean {
  const names = (ranges: readonly CoreRange[]) =>
    walkCores(ranges).map(({ x, y }) => `${x},${y}`).sort().join(" ");
  return names(a) === names(b);
}

/**
 * The first `count` cores of a grid that is `line` cores wide (row by row) or high (column by column): full
 * lines as one range, then the rest.
 */
export function firstCores(count: number, line: number, order: "rows" | "columns"): readonly CoreRange[] {
  const whole = Math.floor(count / line);
  const rest = count % line;
  const range = (from: number, lines: number, length: number): CoreRange =>
    order === "rows"
      ? { start: { x: 0, y: from }, end: { x: length - 1, y: from + lines - 1 } }
      : { start: { x: from, y: 0 }, end: { x: from + lines - 1, y: length - 1 } };
  return [
    ...(whole > 0 ? [range(0, whole, line)] : []),
    ...(rest > 0 ? [range(whole, 1, rest)] : []),
  ];
}

/** The rectangle of cores at the origin with this many columns and rows. */
export function coreRectangle(columns: number, rows: number): readonly CoreRange[] {
  return [{ start: { x: 0, y: 0 }, end: { x: columns - 1, y: rows - 1 } }];
}
