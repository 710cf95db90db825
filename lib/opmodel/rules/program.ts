// SPDX-License-Identifier: Apache-2.0
import { fillsTiles } from "../../layout/extents.ts";
import { isSharded, type TtnnLayout } from "../../layout/ttnn_layout.ts";
import type { OpSignature, TensorShape } from "../../ops/op_signature.ts";
import type { OpLaunch } from "../../programs/op_launch.ts";
import { type ProgramTensor, programTensor } from "../../programs/program_tensor.ts";
import type { InvalidConstraints } from "../op_model.ts";
import type { ConstraintQuery } from "../rule.ts";
import { asProgramTensor, type Tensor } from "../tensor.ts";
import { refuse, refuseOperand } from "../verdict.ts";

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

/** Whether the query requests a sharded result. */
export function wantsShards({ hint }: ConstraintQuery): boolean {
  return hint !== undefined && isSharded(hint);
}

/** Whether a hint requests a sharded result without a shard spec. */
export function lacksSpec(hint: TtnnLayout | undefined): boolean {
  return hint !== undefined && isSharded(hint) && hint.ignorePhysicalLayout;
}

/**
 * The refusal of an op whose last program tilizes bytes into a result that does not fill its tiles; `undefined` for
 * other results (`ttnn:backend-0-81-1`).
 *
 * @param input operand 0
 */
export function paddedBytesFault(
  op: OpSignature,
  input: Tensor,
  { shape, layout: { tile, dataType } }: Tensor,
): InvalidConstraints | undefined {
  if (tile === undefined || dataType !== "u8" || (shape.length > 1 && fillsTiles(shape))) return undefined;
  return refuseOperand(op, "layout/padded-bytes", 0, input, "has bytes, which are not tilized with padding");
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

/** The op with the requested memory as its result. */
export function askedLaunch(query: ConstraintQuery, type: TensorShape): OpLaunch {
  return { ...launchOf(query, []), outputs: [askedResult(type, query.hint)] };
}

/** The requested result; without shards if the spec is left open. */
function askedResult(type: TensorShape, hint: TtnnLayout | undefined): ProgramTensor {
  const asked = programTensor(type, hint);
  return hint?.ignorePhysicalLayout === true
    ? { ...asked, shardShape: [], gridShape: [], coreRanges: [], shardCores: 0 }
    : asked;
}
