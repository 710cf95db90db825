// SPDX-License-Identifier: Apache-2.0
import { MAX_ENTRIES, MOST_ROWS } from "../limits.ts";
import type { OperandCostTable } from "./op_factor.ts";
import type { ImplTable } from "../exploration/impl_table.ts";

/**
 * Factors of an op with a further variable: the row of its table. Each factor couples the row with one producer or with
 * the result, whereas `OpFactor` couples all of them. Minimized over the row, the sum of these factors equals
 * `OpFactor` (derived:exact-layouts), but the number of entries is the sum over the operands, not the product.
 */

/**
 * Whether a variable can represent the row of an op.
 *
 * @param most entries of one factor
 */
export function fitsRowVariable(
  { rows, outputs }: ImplTable,
  operandCosts: readonly OperandCostTable[],
  most: number = MAX_ENTRIES,
): boolean {
  const widest = operandCosts.reduce(
    (choices, operandCost) => Math.max(choices, operandCost.choices),
    outputs.length,
  );
  return rows.length > 0 && rows.length <= MOST_ROWS && rows.length * widest <= most;
}

/** µs of each row including operands without a choice, by the op's result (varies slowly) and row (varies fast). */
export function ownRowCosts(
  { rows, outputs }: ImplTable,
  operandCosts: readonly OperandCostTable[],
): Float64Array {
  const costs = new Float64Array(outputs.length * rows.length).fill(Infinity);
  rows.forEach(({ reads, output, microseconds: ownUs }, row) => {
    costs[output * rows.length + row] = operandCosts.reduce(
      (us, { variable, microseconds }, operand) =>
        variable === undefined ? us + (microseconds[reads[operand] ?? 0] ?? 0) : us,
      ownUs,
    );
  });
  return costs;
}

/** µs of supplying one operand, by the choice of its producer (varies slowly) and row (varies fast). */
export function operandRowCosts(
  { rows, reads }: ImplTable,
  operand: number,
  { choices, microseconds }: OperandCostTable,
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
