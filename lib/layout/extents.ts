// SPDX-License-Identifier: Apache-2.0
/** Product of extents: elements of a shape, shards of a grid. */
export function volume(extents: readonly number[]): number {
  let product = 1;
  for (let dim = 0; dim < extents.length; dim++) product *= extents[dim] ?? 1;
  return product;
}

/** Rows of elements of a shape: all but its last dimension. */
export function rowCount(shape: readonly number[]): number {
  return volume(shape.slice(0, -1));
}

/** Matrices of a shape: all but its last two dimensions, which are called batch or leading ones. */
export function matrixCount(shape: readonly number[]): number {
  return volume(shape.slice(0, -2));
}

/** Rows and columns of a shape's matrices, transposed or not; a vector is one row. */
export function matrixExtents(
  shape: readonly number[],
  isTransposed: boolean,
): { readonly rows: number; readonly columns: number } {
  const rows = shape.at(-2) ?? 1;
  const columns = shape.at(-1) ?? 1;
  return isTransposed ? { rows: columns, columns: rows } : { rows, columns };
}

/** Whether two lists of extents are the same. */
export function sameExtents(a: readonly number[], b: readonly number[]): boolean {
  if (a.length !== b.length) return false;
  for (let dim = 0; dim < a.length; dim++) if (a[dim] !== b[dim]) return false;
  return true;
}

/** Repeat factor per dimension between two shapes of equal rank. */
export function repeatFactors(from: readonly number[], to: readonly number[]): readonly number[] {
  return to.map((extent, dim) => extent === from[dim] ? 1 : extent / (from[dim] ?? 1));
}

/** A dimension normalised to ≥ 0; negative ones count from the back. */
export function normalDim(dim: number, rank: number): number {
  return dim < 0 ? dim + rank : dim;
}

/** A shape with leading extents of 1 up to a rank. */
export function withLeadingOnes(shape: readonly number[], rank: number): readonly number[] {
  return [...Array.from({ length: Math.max(0, rank - shape.length) }, () => 1), ...shape];
}

/** A shape with two of its dimensions, counted from the front, swapped. */
export function swapExtents(shape: readonly number[], first: number, second: number): readonly number[] {
  return shape.with(first, shape[second] ?? 1).with(second, shape[first] ?? 1);
}

/** Whether two shapes are equal up to extents of one. */
export function sameButOnes(a: readonly number[], b: readonly number[]): boolean {
  const kept = (shape: readonly number[]): readonly number[] => shape.filter((extent) => extent !== 1);
  return sameExtents(kept(a), kept(b));
}

/** The shape of what broadcasts to `from` where that becomes `to`, which differs in extents of one alone. */
export function withOnesMoved(
  shape: readonly number[],
  from: readonly number[],
  to: readonly number[],
): readonly number[] {
  const offset = from.length - shape.length;
  const extents = from.flatMap((extent, dim) => extent === 1 ? [] : [shape[dim - offset] ?? 1]);
  return to.map((extent) => extent === 1 ? 1 : extents.shift() ?? 1);
}

/** Whether a permutation moves only extents of one, so that a reshape does the same. */
export function movesOnlyOnes(shape: readonly number[], permutation: readonly number[]): boolean {
  const moved = permutation.filter((dim) => shape[dim] !== 1);
  return moved.every((dim, index) => index === 0 || dim > (moved[index - 1] ?? 0));
}

/** The permutation that swaps the last two dimensions. */
export function transposition(rank: number): readonly number[] {
  return Array.from({ length: rank }, (_, dim) => dim).toSpliced(-2, 2, rank - 1, rank - 2);
}

/** The permutation that undoes another. */
export function inversePermutation(permutation: readonly number[]): readonly number[] {
  return permutation.map((_, dim) => permutation.indexOf(dim));
}

/** Shape that all shapes broadcast to, aligned at the last dimension; `undefined` when they do not. */
export function broadcastShape(shapes: readonly (readonly number[])[]): readonly number[] | undefined {
  const rank = shapes.reduce((most, shape) => Math.max(most, shape.length), 0);
  const result: number[] = new Array<number>(rank).fill(1);
  for (const shape of shapes) {
    const offset = rank - shape.length;
    for (let dim = 0; dim < shape.length; dim++) {
      const extent = shape[dim] ?? 1;
      const known = result[offset + dim] ?? 1;
      if (extent !== 1 && known !== 1 && extent !== known) return undefined;
      if (extent !== 1) result[offset + dim] = extent;
    }
  }
  return result;
}

/** Greatest common divisor of two integers that are not negative; of 0 and a number, that number. */
export function greatestCommonDivisor(a: number, b: number): number {
  while (b !== 0) [a, b] = [b, a % b];
  return a;
}

/**
 * Whether two lists hold the same items in the same order.
 *
 * @param isSame whether two items that are not identical count as the same; by default they do not
 */
export function sameItems<Item>(
  a: readonly Item[],
  b: readonly Item[],
  isSame: (item: Item, other: Item) => boolean = () => false,
): boolean {
  return a.length === b.length &&
    a.every((item, index) => {
      const other = b[index];
      return item === other || (other !== undefined && isSame(item, other));
    });
}

/** Whether the last two extents are whole tiles. */
export function fillsTiles(shape: readonly number[]): boolean {
  return shape.slice(-2).every((extent) => extent % 32 === 0);
}
