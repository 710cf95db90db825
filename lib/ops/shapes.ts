// SPDX-License-Identifier: Apache-2.0

/** Extents, outermost first. */
export type Shape = readonly number[];

/** Whether two shapes are equal except for leading ones. */
export function sameButLeadingOnes(a: Shape, b: Shape): boolean {
  const rank = Math.max(a.length, b.length);
  for (let fromEnd = 1; fromEnd <= rank; fromEnd++) {
    if ((a[a.length - fromEnd] ?? 1) !== (b[b.length - fromEnd] ?? 1)) return false;
  }
  return true;
}
