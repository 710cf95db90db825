// SPDX-License-Identifier: Apache-2.0
import type { ComputeKernelConfig } from "../../op_config/op_config.ts";
import type { InvalidConstraints } from "../op_model.ts";
import type { ConstraintQuery } from "../rule.ts";
import type { Tensor } from "../tensor.ts";
import { describeTensor, refuseLayout } from "../verdict.ts";

/** Why an operand is no tiled tensor of a float format; `undefined` when it is one. */
export function tiledFloat(
  query: ConstraintQuery,
  index: number,
  tensor: Tensor,
  source: string,
): InvalidConstraints | undefined {
  if (tensor.layout.tile === undefined) {
    return refuseLayout(query.op, "norm/tile", `${describeTensor(index, tensor)} must be tiled`, source);
  }
  const { dataType } = tensor.layout;
  if (dataType === "f32" || dataType === "bf16" || dataType.startsWith("bfp_")) return undefined;
  return refuseLayout(
    query.op,
    "norm/format",
    `${describeTensor(index, tensor)} must be f32, bf16 or block float`,
    source,
  );
}

/** Compute kernel config of a norm or softmax. */
export function normComputeConfig(query: ConstraintQuery): ComputeKernelConfig | undefined {
  return query.config?.kind === "norm" ? query.config.computeConfig : undefined;
}
