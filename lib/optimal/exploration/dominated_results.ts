// SPDX-License-Identifier: Apache-2.0
import type { LayoutId, LayoutIds } from "../../layout/layout_table.ts";
import { type Impl, leanerRows, type OperandLayouts } from "./impl_table.ts";

/**
 * Drops each sharded result of one combination of operand layouts that another result dominates: t(other) +
 * t(copy other → result) ≤ t(result), with t(other) < t(result) and no more L1 per core. A result is dropped
 * only if its smaller rows ({@linkcode OperandLayouts}) are dominated as well. Of the 50 grids that a matmul can
 * write, few remain; only these and the layouts of {@linkcode ExtraShardings} are explored further. Rejected:
 * exploring all grids takes 3 to 6 times as many queries and makes plans at most 0.34 % faster (ResNet-50 at
 * batch 8, derived:dominated-results).
 *
 * @param outputs result layouts by {@linkcode Impl.output}
 * @param copyUs µs of a copy between two layouts of the result; `Infinity` if it cannot be made
 */
export function dropDominated(
  operands: OperandLayouts,
  outputs: readonly LayoutIds[],
  isSharded: (result: LayoutId) => boolean,
  copyUs: (from: LayoutId, to: LayoutId) => number,
): void {
  const { cheapest, smaller } = operands;
  const front = leanerRows(cheapest, Infinity);
  const isDominated = ({ output, microseconds, l1Bytes }: Impl): boolean => {
    const to = outputs[output]?.[0];
    return to !== undefined && isSharded(to) && front.some((other) => {
      if (other.output === output || other.l1Bytes > l1Bytes || other.microseconds >= microseconds) {
        return false;
      }
      const from = outputs[other.output]?.[0];
      return from !== undefined && other.microseconds + copyUs(from, to) <= microseconds;
    });
  };
  const kept = cheapest.filter((row) =>
    !isDominated(row) || smaller?.get(row.output)?.every(isDominated) === false
  );
  if (kept.length === cheapest.length) return;
  cheapest.splice(0, cheapest.length, ...kept);
  const left = new Set(kept.map(({ output }) => output));
  for (const output of smaller?.keys() ?? []) if (!left.has(output)) smaller?.delete(output);
}
