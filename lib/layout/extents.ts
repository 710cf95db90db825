// SPDX-License-Identifier: Apache-2.0

/** Product of extents: elements of a shape, shards of a grid. */
export function volume(extents: readonly number[]): number {
  let product = 1;
  for (const extent of extents) product *= extent;
  return product;
}

/** Whether two lists of extents are the same. */
export function sameExtents(a: readonly number[], b: readonly number[]): boolean {
  if (a.length !== b.length) return false;
  for (let dim = 0; dim < a.length; dim++) if (a[dim] !== b[dim]) return false;
  return true;
}

/** The permutation that undoes another. */
export function inversePermutation(permutation: readonly number[]): readonly number[] {
  return permutation.map((_, dim) => permutation.indexOf(dim));
}
