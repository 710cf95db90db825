// SPDX-License-Identifier: Apache-2.0
import type { ComputeKernelConfig } from "../../op_config/op_config.ts";
import type { InvalidConstraints } from "../op_model.ts";
import type { ConstraintQuery } from "../rule.ts";
import type { Tensor } from "../tensor.ts";
import { describeTensor, refuseLayout } from "../verdict.ts";

/** Why the input is not a tiled tensor of a float format; `undefined` if it is one. */
export function refuseUntiledFloat(
  { op }: ConstraintQuery,
  input: Tensor,
  source?: string,
): InvalidConstraints | undefined {
  const { tile, dataType } = input.layout;
  const named = describeTensor(0, input);
  if (tile === undefined) return refuseLayout(op, "norm/tile", `${named} must be tiled`, source);
  if (dataType === "f32" || dataType === "bf16" || dataType.startsWith("bfp_")) return undefined;
  return refuseLayout(op, "norm/format", `${named} must be f32, bf16 or block float`, source);
}

/** Compute kernel config of a norm or softmax. */
export function normComputeConfig(query: ConstraintQuery): ComputeKernelConfig | undefined {
  return query.config?.kind === "norm" ? query.config.computeConfig : undefined;
}
