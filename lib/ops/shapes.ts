// SPDX-License-Identifier: Apache-2.0

/** Extents, outermost first. */
export type Shape = readonly number[];

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
