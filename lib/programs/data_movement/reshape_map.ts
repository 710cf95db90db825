// SPDX-License-Identifier: Apache-2.0
import { greatestCommonDivisor, volume } from "../../layout/extents.ts";
import { remember } from "../remember.ts";

/** A shape as folded by the tiled reshape: matrices, rows, columns. */
type Matrices = readonly [count: number, rows: number, columns: number];

function asMatrices(shape: readonly number[]): Matrices {
  return [volume(shape.slice(0, -2)), shape.at(-2) ?? 1, shape.at(-1) ?? 1];
}

/** Bytes of an entry of the map. */
const ENTRY_BYTES = 16;

/** Side of a face, which is a quarter of a tile. */
const FACE = 16;

/** Most tile positions that are examined; larger counts belong to tensors of gigabytes. */
const MOST_PLACES = 1 << 17;

/** Entries by both folded shapes: graph passes and searches repeat them. */
const CACHE: Map<string, number> = new Map();

/** Tiles of a tensor of this shape: the pages of the map of a reshape to it. */
export function mapPages(shape: readonly number[]): number {
  const [count, rows, columns] = asMatrices(shape);
  return count * Math.ceil(rows / 32) * Math.ceil(columns / 32);
}

/**
 * Bytes of a page of a tiled reshape's map: per source tile as many entries as for the source tile with the
 * most runs; a run is contiguous within a face row on both sides. All pages have the size of the largest
 * (`ttnn:backend-0-81-1`).
 */
export function mapPageBytes(from: readonly number[], to: readonly number[]): number {
  const [source, target] = [asMatrices(from), asMatrices(to)];
  const entries = remember(CACHE, `${source}>${target}`, () => mostEntries(source, target));
  return ENTRY_BYTES * (entries + entries % ENTRY_BYTES);
}

/**
 * Entries of the output tile with the most. Tiles whose first elements have equal positions within input
 * tiles have equal entries, so one of each is examined: within one row of the input only the column counts.
 */
function mostEntries(from: Matrices, to: Matrices): number {
  const [count, rows, columns] = to;
  // Tile rows of the input repeat; across matrices too if these are whole tiles.
  const period = (from[1] % 32 === 0 ? 32 : from[1]) * from[2];
  // With rows of equal length, adjacent tiles have equal entries, except a narrower last one.
  const beside = from[2] === columns ? Math.max(32, 32 * Math.floor((columns - 1) / 32)) : 32;
  const seen = new Set<number>();
  const matrices = Math.min(count, repeatsAfter(rows * columns, period));
  let most = 0;
  for (let matrix = 0; matrix < matrices; matrix++) {
    for (const row of beginnings(rows, 32, 32 * repeatsAfter(32 * columns, period))) {
      const high = Math.min(32, rows - row);
      for (const column of beginnings(columns, beside, beside * repeatsAfter(beside, period))) {
        if (seen.size >= MOST_PLACES) return most;
        const first = ((matrix * rows + row) * columns + column) % period;
        const wide = Math.min(32, columns - column);
        const x = first % from[2];
        const isInOneRow = x + (high - 1) * columns + wide <= from[2];
        const place = ((isInOneRow ? x % 32 : first) * 32 + high - 1) * 64 + 2 * wide - Number(isInOneRow);
        if (seen.has(place)) continue;
        seen.add(place);
        most = Math.max(most, entriesOf(from, first, columns, high, wide));
      }
    }
  }
  return most;
}

/** Begins of tiles along a dimension until they repeat, and of the last tile, which may be smaller. */
function* beginnings(extent: number, step: number, repeated: number): Generator<number> {
  const last = step * Math.floor((extent - 1) / step);
  for (let begin = 0; begin < Math.min(last, repeated); begin += step) yield begin;
  yield last;
}

/** The number of steps until their sum is a multiple of the period. */
function repeatsAfter(step: number, period: number): number {
  return period / greatestCommonDivisor(step, period);
}

/** Entries of an output tile that begins at an element: source tiles × most runs of any source tile. */
function entriesOf(
  [, rows, columns]: Matrices,
  first: number,
  stride: number,
  high: number,
  wide: number,
): number {
  const down = Math.ceil(rows / 32);
  const across = Math.ceil(columns / 32);
  const runs = new Map<number, number>();
  let lastTile = -1;
  let nextSource = 0;
  let nextTarget = 0;
  for (let row = 0; row < high; row++) {
    for (let column = 0; column < wide;) {
      const element = first + row * stride + column;
      const matrix = Math.floor(element / (rows * columns));
      const within = element % (rows * columns);
      const y = Math.floor(within / columns);
      const x = within % columns;
      const length = Math.min(FACE - column % FACE, FACE - x % FACE, wide - column, columns - x);
      const tile = (matrix * down + Math.floor(y / 32)) * across + Math.floor(x / 32);
      const source = placeInTile(y, x);
      const target = placeInTile(row, column);
      if (tile !== lastTile || source !== nextSource || target !== nextTarget) {
        runs.set(tile, (runs.get(tile) ?? 0) + 1);
      }
      lastTile = tile;
      nextSource = source + length;
      nextTarget = target + length;
      column += length;
    }
  }
  return runs.size * Math.max(...runs.values());
}

/** Index of an element within its tile, face by face. */
function placeInTile(row: number, column: number): number {
  const y = row % 32;
  const x = column % 32;
  const face = 2 * Math.floor(y / FACE) + Math.floor(x / FACE);
  return face * FACE * FACE + y % FACE * FACE + x % FACE;
}
