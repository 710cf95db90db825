// SPDX-License-Identifier: Apache-2.0
import type { TtnnLayout } from "../../layout/ttnn_layout.ts";
import type { TensorShape } from "../../ops/op_signature.ts";
import type { OpLaunch } from "../../programs/op_launch.ts";
import { type ProgramTensor, programTensor } from "../../programs/program_tensor.ts";
import type { ConstraintQuery } from "../rule.ts";
import { asProgramTensor } from "../tensor.ts";

/** The op with the memory that is asked for as its result. */
export function launchOf({ op, operands, hint, config }: ConstraintQuery, type: TensorShape): OpLaunch {
  return {
    name: op.name,
    attributes: op.attributes,
    inputs: operands.map((operand) => operand === undefined ? undefined : asProgramTensor(operand)),
    outputs: [askedResult(type, hint)],
    config,
  };
}

/** A result as it is asked for; without shards where those are left open. */
function askedResult(type: TensorShape, hint: TtnnLayout | undefined): ProgramTensor {
  const asked = programTensor(type, hint);
  return hint?.ignorePhysicalLayout === true
    ? { ...asked, shardShape: [], gridShape: [], coreRanges: [], shardCores: 0 }
    : asked;
}
