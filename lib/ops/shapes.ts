// SPDX-License-Identifier: Apache-2.0

/** Extents, outermost first. */
export type Shape = readonly number[];

/** Whether two shapes are equal but for leading ones. */
export function sameExtents(a: readonly number[], b: readonly number[]): boolean {
  const rank = Math.max(a.length, b.length);
  for (let fromEnd = 1; fromEnd <= rank; fromEnd++) {
    if ((a[a.length - fromEnd] ?? 1) !== (b[b.length - fromEnd] ?? 1)) return false;
  }
  return true;
}

/** Number of elements. */
export function volume(shape: Shape): number {
  let product = 1;
  for (const extent of shape) product *= extent;
  return product;
}

/** A dimension counted from the front; negative ones are counted from the back. */
export function normalDim(dim: number, rank: number): number {
  return dim < 0 ? dim + rank : dim;
}
