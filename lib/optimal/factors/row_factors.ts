// SPDX-License-Identifier: Apache-2.0
import { type FeedCosts, MAX_ENTRIES } from "./op_factor.ts";
import type { WayTable } from "../exploration/way_table.ts";

/*
 * Factors of an op over a variable that chooses its row, between its producers and its result: each of them couples two
 * variables, where `OpFactor` couples all. Minimised over the row their sum is that factor (derived:exact-layouts), and
 * it has as many entries as the op has operands, not as these have combinations.
 */

/** Rows that a variable may choose among: elimination counts its values in 16 bits. */
const MOST_ROWS = 2 ** 16;

/**
 * Whether a variable can stand for the row of an op.
 *
 * @param most entries of one factor
 */
export function fitsRowVariable(
  { rows, outputs }: WayTable,
  feeds: readonly FeedCosts[],
  most: number = MAX_ENTRIES,
): boolean {
  const widest = feeds.reduce((choices, feed) => Math.max(choices, feed.choices), outputs.length);
  return rows.length > 0 && rows.length <= MOST_ROWS && rows.length * widest <= most;
}

/** µs of each row with the operands that have no choice, by the op's result (slow) and row (fast). */
export function ownRowCosts({ rows, outputs }: WayTable, feeds: readonly FeedCosts[]): Float64Array {
  const costs = new Float64Array(outputs.length * rows.length).fill(Infinity);
  rows.forEach(({ reads, output, microseconds: ownUs }, row) => {
    costs[output * rows.length + row] = feeds.reduce(
      (us, { variable, microseconds }, operand) =>
        variable === undefined ? us + (microseconds[reads[operand] ?? 0] ?? 0) : us,
      ownUs,
    );
  });
  return costs;
}

/** µs of feeding one operand, by the choice of its producer (slow) and row (fast). */
export function feedRowCosts(
  { rows, reads }: WayTable,
  operand: number,
  { choices, microseconds }: FeedCosts,
): Float64Array {
  const stride = reads[operand]?.length ?? 1;
  const costs = new Float64Array(choices * rows.length);
  for (let choice = 0; choice < choices; choice++) {
    rows.forEach((row, index) => {
      costs[choice * rows.length + index] = microseconds[choice * stride + (row.reads[operand] ?? 0)] ?? 0;
    });
  }
  return costs;
}
