// SPDX-License-Identifier: Apache-2.0
import type { LayoutUnits } from "./layout_units.ts";

/** The location of an element, or the element at a location. */
export interface PlaceInLayout {
  /** Index of the unit. */
  readonly unit: number;
  /** Row and column in the unit. */
  readonly row: number;
  readonly column: number;
  /** Bytes from the start of the node's buffer; of the unit for elements without an address of their own. */
  readonly byte: number;
  /** The element, `undefined` for padding. */
  readonly index: readonly number[] | undefined;
}

/** Conversions between element, core and address. */
export interface LayoutLookup {
  /** Place of an element; `undefined` for an index outside of the tensor. */
  ofElement(index: readonly number[]): PlaceInLayout | undefined;
  /** The contents of a position of the collapsed tensor; `undefined` outside of it. */
  atPosition(position: readonly number[]): PlaceInLayout | undefined;
  /** The contents of a byte of a node's buffer; `undefined` if no unit is there. */
  atByte(node: number, byte: number): PlaceInLayout | undefined;
}

/**
 * The arithmetic of a page about one layout. The page embeds the text of this function, so it must not use
 * anything outside itself.
 */
export function createLayoutLookup(layout: LayoutUnits): LayoutLookup {
  const { shape, sums, units, unitShape: [unitRows, unitColumns], elementBytes, isTiled } = layout;
  const faceExtent = 16;
  const faceRows = Math.min(faceExtent, unitRows);

  /** Elements before one in the storage order of its unit. */
  function storageOrder(row: number, column: number): number {
    if (!isTiled) return row * unitColumns + column;
    const face = Math.floor(row / faceRows) * (unitColumns / faceExtent) + Math.floor(column / faceExtent);
    return face * faceRows * faceExtent + row % faceRows * faceExtent + column % faceExtent;
  }

  function fromStorageOrder(order: number): readonly [number, number] {
    if (!isTiled) return [Math.floor(order / unitColumns), order % unitColumns];
    const face = Math.floor(order / (faceRows * faceExtent));
    const facesPerRow = unitColumns / faceExtent;
    const inFace = order % (faceRows * faceExtent);
    return [
      Math.floor(face / facesPerRow) * faceRows + Math.floor(inFace / faceExtent),
      face % facesPerRow * faceExtent + inFace % faceExtent,
    ];
  }

  /** The element at a position of the collapsed tensor; a dim in several results has one value. */
  function decode(position: readonly number[]): readonly number[] | undefined {
    const index = shape.map(() => 0);
    const known = shape.map(() => false);
    for (let result = 0; result < sums.length; result++) {
      const sum = sums[result];
      if (sum === undefined) continue;
      let rest = (position[result] ?? 0) - sum.offset;
      if (rest < 0) return undefined;
      for (const { dim, stride, extent } of sum.dims) {
        const value = Math.floor(rest / stride);
        if (value >= extent || known[dim] === true && index[dim] !== value) return undefined;
        index[dim] = value;
        known[dim] = true;
        rest -= value * stride;
      }
      if (rest !== 0) return undefined;
    }
    return index;
  }

  function place(unit: number, row: number, column: number): PlaceInLayout | undefined {
    const found = units[unit];
    if (found === undefined) return undefined;
    const { start, rows, columns, byte } = found;
    const rank = start.length;
    const position = start.map((first, dim) =>
      first + (dim === rank - 1 ? column : dim === rank - 2 ? row : 0)
    );
    return {
      unit,
      row,
      column,
      byte: elementBytes === null ? byte : byte + storageOrder(row, column) * elementBytes,
      index: row < rows && column < columns ? decode(position) : undefined,
    };
  }

  function atPosition(position: readonly number[]): PlaceInLayout | undefined {
    const rank = position.length;
    const within = (start: readonly number[], dim: number): number =>
      (position[dim] ?? 0) - (start[dim] ?? 0);
    const unit = units.findIndex(({ start, rows, columns }) =>
      start.every((_, dim) => {
        const distance = within(start, dim);
        return distance >= 0 && distance < (dim === rank - 1 ? columns : dim === rank - 2 ? rows : 1);
      })
    );
    const start = units[unit]?.start;
    if (start === undefined) return undefined;
    return place(unit, rank < 2 ? 0 : within(start, rank - 2), rank < 1 ? 0 : within(start, rank - 1));
  }

  return {
    atPosition,
    ofElement(index) {
      if (index.length !== shape.length) return undefined;
      if (index.some((value, dim) => !(value >= 0 && value < (shape[dim] ?? 1)))) return undefined;
      return atPosition(
        sums.map(({ offset, dims }) =>
          dims.reduce((sum, { dim, stride }) => sum + (index[dim] ?? 0) * stride, offset)
        ),
      );
    },
    atByte(node, byte) {
      const unit = units.findIndex((candidate) =>
        candidate.node === node && byte >= candidate.byte && byte < candidate.byte + layout.unitBytes
      );
      const found = units[unit];
      if (found === undefined) return undefined;
      if (elementBytes === null) return place(unit, 0, 0);
      const [row, column] = fromStorageOrder(Math.floor((byte - found.byte) / elementBytes));
      return place(unit, row, column);
    },
  };
}
