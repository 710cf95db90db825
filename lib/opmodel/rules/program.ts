// SPDX-License-Identifier: Apache-2.0
import { isSharded } from "../../layout/ttnn_layout.ts";
import type { OpLaunch } from "../../programs/op_launch.ts";
import type { InvalidConstraints } from "../op_model.ts";
import type { OpSignature } from "../../ops/op_signature.ts";
import type { ConstraintQuery } from "../rule.ts";
import { asProgramTensor, type Tensor } from "../tensor.ts";
import { refuse } from "../verdict.ts";

/** Refusal for a missing operand. */
export function missingOperand(op: OpSignature, index: number): InvalidConstraints {
  return refuse(
    "unsupported_config",
    "operand/missing",
    `${op.name} needs a tensor as operand ${index}`,
    "op definition (ttnn dialect)",
  );
}

/**
 * An operand that the op's definition requires; checked before the rule is called.
 *
 * @throws {RangeError} when it is not a tensor
 */
export function operandAt({ operands }: ConstraintQuery, index: number): Tensor {
  const operand = operands[index];
  if (operand === undefined) throw new RangeError(`operand ${index} is not a tensor`);
  return operand;
}

/** Whether a layout is sharded in L1. */
export function isL1Sharded(tensor: Tensor): boolean {
  return tensor.layout.bufferType === "l1" && isSharded(tensor.layout);
}

/** Whether the query asks for a sharded result. */
export function wantsShards({ hint }: ConstraintQuery): boolean {
  return hint !== undefined && isSharded(hint);
}

/** The op as programs see it. */
export function launchOf(
  { op, operands, config }: ConstraintQuery,
  outputs: readonly (Tensor | undefined)[],
): OpLaunch {
  const view = (tensor: Tensor | undefined) => tensor === undefined ? undefined : asProgramTensor(tensor);
  return {
    name: op.name,
    attributes: op.attributes,
    inputs: operands.map(view),
    outputs: outputs.map(view),
    config,
  };
}
