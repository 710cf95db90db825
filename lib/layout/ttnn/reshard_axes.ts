// SPDX-License-Identifier: Apache-2.0
import { greatestCommonDivisor } from "../extents.ts";

/**
 * The distribution of one axis of the collapsed tensor (its rows or its columns) over labels. The node of a
 * cell is determined by its labels on both axes.
 *
 * - `segments`: cells `starts[i]` to `starts[i + 1] − 1` have label `labels[i]`; neighbours may share a
 *   label;
 * - `cyclic`: cell `i` has label `(i × stride) mod modulus`.
 */
export type LayoutAxis =
  | {
    readonly kind: "segments";
    /** One more than labels; the first is 0, the last the extent; ascending. */
    readonly starts: readonly number[];
    readonly labels: readonly number[];
    readonly labelCount: number;
  }
  | {
    readonly kind: "cyclic";
    readonly extent: number;
    readonly stride: number;
    readonly modulus: number;
    readonly labelCount: number;
  };

/** Index of the page-sized piece that a cell is in, ascending; one NoC transaction moves a piece. */
export type PieceIndex = (cell: number) => number;

/** Every cell is a piece of its own. */
export const CELL_PIECES: PieceIndex = (cell) => cell;

/** Pieces end only where a segment of one of the layouts ends. */
export const WHOLE_PIECES: PieceIndex = () => 0;

/** How many cells and pieces of one axis have label `from` in one layout and label `to` in another. */
export interface LabelPair {
  readonly from: number;
  readonly to: number;
  cells: number;
  pieces: number;
}

/**
 * Intersects two partitions of one axis, in time proportional to their segments (and periods), not to their cells. Pairs of
 * labels come in order of first sight.
 *
 * @param pieceIndex pieces of an axis where either side is `cyclic` must be cells
 */
export function pairAxes(a: LayoutAxis, b: LayoutAxis, pieceIndex: PieceIndex): readonly LabelPair[] {
  const pairs = new Map<number, LabelPair>();
  const add = (from: number, to: number, cells: number, pieces: number): void => {
    const pair = pairs.getOrInsertComputed(
      from * b.labelCount + to,
      () => ({ from, to, cells: 0, pieces: 0 }),
    );
    pair.cells += cells;
    pair.pieces += pieces;
  };
  if (a.kind === "segments" && b.kind === "segments") {
    let left = 0;
    let right = 0;
    let start = 0;
    while (left < a.labels.length && right < b.labels.length) {
      const leftEnd = a.starts[left + 1] ?? 0;
      const rightEnd = b.starts[right + 1] ?? 0;
      const end = Math.min(leftEnd, rightEnd);
      if (end > start) {
        const pieces = pieceIndex(end - 1) - pieceIndex(start) + 1;
        add(a.labels[left] ?? 0, b.labels[right] ?? 0, end - start, pieces);
      }
      start = end;
      if (leftEnd === end) left++;
      if (rightEnd === end) right++;
    }
  } else if (a.kind === "cyclic" && b.kind === "cyclic") {
    const period = leastCommonMultiple(labelPeriod(a), labelPeriod(b));
    for (let cell = 0; cell < Math.min(a.extent, period); cell++) {
      const cells = Math.floor((a.extent - 1 - cell) / period) + 1;
      add((cell * a.stride) % a.modulus, (cell * b.stride) % b.modulus, cells, cells);
    }
  } else if (a.kind === "cyclic" && b.kind === "segments") {
    eachSegmentLabel(b, a, (segment, label, cells) => add(label, segment, cells, cells));
  } else if (a.kind === "segments" && b.kind === "cyclic") {
    eachSegmentLabel(a, b, (segment, label, cells) => add(segment, label, cells, cells));
  }
  return [...pairs.values()];
}

function eachSegmentLabel(
  segments: Extract<LayoutAxis, { kind: "segments" }>,
  cyclic: Extract<LayoutAxis, { kind: "cyclic" }>,
  visit: (segmentLabel: number, cyclicLabel: number, cells: number) => void,
): void {
  const period = labelPeriod(cyclic);
  for (let segment = 0; segment < segments.labels.length; segment++) {
    const start = segments.starts[segment] ?? 0;
    const length = (segments.starts[segment + 1] ?? 0) - start;
    const segmentLabel = segments.labels[segment] ?? 0;
    for (let cell = 0; cell < Math.min(length, period); cell++) {
      const label = ((start + cell) * cyclic.stride) % cyclic.modulus;
      visit(segmentLabel, label, Math.floor((length - 1 - cell) / period) + 1);
    }
  }
}

function labelPeriod(axis: { readonly stride: number; readonly modulus: number }): number {
  return axis.modulus / greatestCommonDivisor(axis.stride % axis.modulus, axis.modulus);
}

function leastCommonMultiple(a: number, b: number): number {
  return a / greatestCommonDivisor(a, b) * b;
}
