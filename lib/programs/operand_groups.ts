// SPDX-License-Identifier: Apache-2.0
import { COMMON } from "../ops/attributes/common.ts";
import { readAttributes } from "../ops/attributes/read_attributes.ts";
import type { OpLaunch } from "./op_launch.ts";
import type { ProgramTensor } from "./program_tensor.ts";

/** The operand of a group, of ops whose optional operands may be left out; without groups every operand is its own. */
export function operandIn(
  op: Pick<OpLaunch, "attributes" | "inputs">,
  group: number,
): ProgramTensor | undefined {
  const { operandSegmentSizes: sizes } = readAttributes(op, COMMON);
  if (sizes === undefined) return op.inputs[group];
  const start = sizes.slice(0, group).reduce((sum, size) => sum + size, 0);
  return (sizes[group] ?? 0) > 0 ? op.inputs[start] : undefined;
}
