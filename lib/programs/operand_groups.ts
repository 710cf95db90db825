// SPDX-License-Identifier: Apache-2.0
import { readIntegers } from "../dialect/attribute_values.ts";
import type { OpLaunch } from "./op_launch.ts";
import type { ProgramTensor } from "./program_tensor.ts";

/** The operand of a group, of ops whose optional operands may be left out; without groups every operand is its own. */
export function operandIn(
  { attributes, inputs }: Pick<OpLaunch, "attributes" | "inputs">,
  group: number,
): ProgramTensor | undefined {
  const sizes = readIntegers(attributes, "operandSegmentSizes");
  if (sizes === undefined) return inputs[group];
  const start = sizes.slice(0, group).reduce((sum, size) => sum + size, 0);
  return (sizes[group] ?? 0) > 0 ? inputs[start] : undefined;
}
