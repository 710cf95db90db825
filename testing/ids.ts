// SPDX-License-Identifier: Apache-2.0
import type { OpId, SchedulePoint, ValueId } from "../lib/graph/graph.ts";
import type { LayoutId } from "../lib/layout/layout_table.ts";

/** A number that a test may use as an id of any kind. */
export type AnyId = LayoutId & OpId & SchedulePoint & ValueId;

function isIndex(index: number): index is AnyId {
  return Number.isInteger(index) && index >= 0;
}

/**
 * A number as an id, for tests that know their graph, and of code that only compares ids.
 *
 * @throws {RangeError} if the number is no index
 */
export function idOf(index: number): AnyId {
  if (!isIndex(index)) throw new RangeError(`Cannot take ${index} for an id`);
  return index;
}

/** Numbers as ids, likewise. */
export function idsOf(...indices: readonly number[]): AnyId[] {
  return indices.map(idOf);
}
