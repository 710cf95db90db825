// SPDX-License-Identifier: Apache-2.0

/** A logical worker core: `x` is the column, `y` the row. */
export interface CoreCoord {
  readonly x: number;
  readonly y: number;
}

/** A rectangle of logical worker cores, both corners inclusive. */
export interface CoreRange {
  readonly start: CoreCoord;
  readonly end: CoreCoord;
}

/** Number of cores of a rectangle. */
export function coreRangeVolume(range: CoreRange): number {
  return (range.end.x - range.start.x + 1) * (range.end.y - range.start.y + 1);
}
