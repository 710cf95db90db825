// SPDX-License-Identifier: Apache-2.0
import { sameItems } from "./extents.ts";
import { LayoutError } from "./layout_error.ts";

/** A logical worker core: `x` is the column, `y` the row. For DRAM shards `x` is the bank and `y` is 0. */
export interface CoreCoord {
  /** Column. */
  readonly x: number;
  /** Row. */
  readonly y: number;
}

/** A rectangle of logical worker cores, both corners inclusive. */
export interface CoreRange {
  /** Upper left core. */
  readonly start: CoreCoord;
  /** Lower right core, included. */
  readonly end: CoreCoord;
}

/** Number of cores of a rectangle. */
export function coreRangeVolume(range: CoreRange): number {
  return (range.end.x - range.start.x + 1) * (range.end.y - range.start.y + 1);
}

/** Number of cores of a set of rectangles that do not overlap. */
export function coreCount(ranges: readonly CoreRange[]): number {
  return ranges.reduce((cores, range) => cores + coreRangeVolume(range), 0);
}

/** The smallest rectangle around all cores of a set; `undefined` for an empty one. */
export function boundingBox(ranges: readonly CoreRange[]): CoreRange | undefined {
  const first = ranges[0];
  if (first === undefined || ranges.length === 1) return first;
  let { start: { x: left, y: top }, end: { x: right, y: bottom } } = first;
  ranges.forEach(({ start, end }) => {
    left = Math.min(left, start.x);
    top = Math.min(top, start.y);
    right = Math.max(right, end.x);
    bottom = Math.max(bottom, end.y);
  });
  return { start: { x: left, y: top }, end: { x: right, y: bottom } };
}

/** Rows and columns of the {@linkcode boundingBox}; `[0, 0]` for an empty set. */
export function boxExtent(ranges: readonly CoreRange[]): readonly [rows: number, columns: number] {
  const box = boundingBox(ranges);
  return box === undefined ? [0, 0] : [box.end.y - box.start.y + 1, box.end.x - box.start.x + 1];
}

/** Whether two rectangles share a core. */
export function coreRangesOverlap(a: CoreRange, b: CoreRange): boolean {
  return a.start.x <= b.end.x && b.start.x <= a.end.x && a.start.y <= b.end.y && b.start.y <= a.end.y;
}

/** Whether two lists name the same rectangles in the same order. */
export function sameCoreRanges(a: readonly CoreRange[], b: readonly CoreRange[]): boolean {
  return sameItems(
    a,
    b,
    ({ start, end }, other) =>
      start.x === other.start.x && start.y === other.start.y && end.x === other.end.x &&
      end.y === other.end.y,
  );
}

/** `(0,0)-(7,6)`, corners as (x,y). */
export function formatCoreRange(range: CoreRange): string {
  return `(${range.start.x},${range.start.y})-(${range.end.x},${range.end.y})`;
}

/**
 * Refuses core ranges that are not a valid set of cores (rules of the `core_range_set` verifier,
 * tt-mlir:layout-attribute).
 *
 * @throws {LayoutError} `core-ranges/corners` or `core-ranges/overlap`
 */
export function checkCoreRanges(ranges: readonly CoreRange[]): void {
  for (const range of ranges) {
    const corners = [range.start.x, range.start.y, range.end.x, range.end.y];
    if (
      corners.some((corner) => !Number.isSafeInteger(corner) || corner < 0) ||
      range.start.x > range.end.x || range.start.y > range.end.y
    ) {
      throw new LayoutError(
        "core-ranges/corners",
        `Cannot use the core range ${formatCoreRange(range)}: the start must not lie behind the end`,
      );
    }
  }
  for (const [index, range] of ranges.entries()) {
    const other = ranges.slice(index + 1).find((candidate) => coreRangesOverlap(range, candidate));
    if (other !== undefined) {
      throw new LayoutError(
        "core-ranges/overlap",
        `Cannot use the core ranges ${formatCoreRange(range)} and ${formatCoreRange(other)}: they overlap`,
      );
    }
  }
}

/**
 * Cores in the order in which shards are put on them: range by range, and inside a range row by row, or column by
 * column when the shard orientation is column-major (tt-metal `corerange_to_cores`).
 */
export function walkCores(ranges: readonly CoreRange[], columnMajor = false): CoreCoord[] {
  if (columnMajor) return walkCores(ranges.map(transposedRange)).map(transposedCore);
  const cores: CoreCoord[] = [];
  for (const { start, end } of ranges) {
    for (let y = start.y; y <= end.y; y++) {
      for (let x = start.x; x <= end.x; x++) cores.push({ x, y });
    }
  }
  return cores;
}

function transposedCore({ x, y }: CoreCoord): CoreCoord {
  return { x: y, y: x };
}

function transposedRange({ start, end }: CoreRange): CoreRange {
  return { start: transposedCore(start), end: transposedCore(end) };
}

/**
 * Canonical form of core ranges: lists with equal {@linkcode walkCores} have equal results. Adjacent cores of a row
 * become a strip, then equal strips of adjacent rows become a rectangle; for column-major, columns replace rows. The
 * order of the cores stays the same.
 */
export function mergeCoreRanges(ranges: readonly CoreRange[], columnMajor = false): CoreRange[] {
  if (ranges.length < 2) return [...ranges];
  if (columnMajor) return mergeCoreRanges(ranges.map(transposedRange)).map(transposedRange);
  const strips: CoreRange[] = [];
  for (const core of walkCores(ranges)) {
    const last = strips.at(-1);
    const extendsStrip = last?.end.y === core.y && last.end.x + 1 === core.x;
    if (extendsStrip) strips[strips.length - 1] = { start: last.start, end: core };
    else strips.push({ start: core, end: core });
  }
  const merged: CoreRange[] = [];
  for (const strip of strips) {
    const last = merged.at(-1);
    const extendsRange = last?.start.x === strip.start.x && last.end.x === strip.end.x &&
      last.end.y + 1 === strip.start.y;
    if (extendsRange) merged[merged.length - 1] = { start: last.start, end: strip.end };
    else merged.push(strip);
  }
  return merged;
}
