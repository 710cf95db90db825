// SPDX-License-Identifier: Apache-2.0
import type { AttributeMap } from "../ir/attribute.ts";
import type { OpSignature } from "./op_signature.ts";

/**
 * Group of an operand: `operandSegmentSizes` tells which named operand it is when optional ones are left out; without
 * it every operand is its own group.
 */
function groupOfOperand(op: OpSignature, operand: number): number {
  const sizes = op.operandSegmentSizes;
  if (sizes === undefined) return operand;
  let end = 0;
  for (let group = 0; group < sizes.length; group++) {
    end += sizes[group] ?? 0;
    if (operand < end) return group;
  }
  return operand;
}

/** Index of the first operand of a group; `undefined` when the group is empty or absent. */
export function operandOfGroup(op: OpSignature, group: number): number | undefined {
  const sizes = op.operandSegmentSizes;
  if (sizes === undefined) return group < op.operands.length ? group : undefined;
  let start = 0;
  for (let index = 0; index < group; index++) start += sizes[index] ?? 0;
  return (sizes[group] ?? 0) > 0 ? start : undefined;
}

/** Entry of a per-group list for an operand; the last entry holds for all further groups. */
export function entryForOperand<T>(entries: readonly T[], op: OpSignature, operand: number): T | undefined {
  const group = groupOfOperand(op, operand);
  return entries[Math.min(group, entries.length - 1)];
}

/** Sizes of an op's operand groups, from `operandSegmentSizes`; `undefined` if the op has none. */
export function operandSegments(attributes: AttributeMap): readonly number[] | undefined {
  const sizes = attributes.get("operandSegmentSizes");
  return sizes?.kind === "denseArray" ? sizes.values : undefined;
}
