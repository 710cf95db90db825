// SPDX-License-Identifier: Apache-2.0
import { sameExtents } from "../../layout/extents.ts";
import { isSharded } from "../../layout/ttnn_layout.ts";
import { placeOutput } from "../place_output.ts";
import { type ConstraintQuery, defineRule, type OpRule, type RuleContext, type RulesOf } from "../rule.ts";
import type { Tensor } from "../tensor.ts";
import {
  accept,
  describeTensor,
  eachOrRefusal,
  isRefusal,
  refuseConfig,
  refuseLayout,
  refuseOperand,
  type RuleAnswer,
} from "../verdict.ts";
import { operandAt } from "./program.ts";

type BatchNormFamily = "batch_norm_inference" | "batch_norm_training";

/** Rule of `batch_norm_inference` and `batch_norm_training`. */
function batchNormRule(family: BatchNormFamily): OpRule {
  return defineRule({
    evaluate: (query, context) => evaluateBatchNorm(query, context, family),
  });
}

function evaluateBatchNorm(
  query: ConstraintQuery,
  context: RuleContext,
  family: BatchNormFamily,
): RuleAnswer {
  const { op, hint } = query;
  const input = operandAt(query, 0);
  const statistics = query.operands.slice(1).filter((operand) => operand !== undefined);
  if (input.shape.length !== 4) {
    return refuseConfig(op, "batch_norm/rank", `${describeTensor(0, input)} must have four dimensions`);
  }
  // Mean and variance come first.
  if (family === "batch_norm_inference" && statistics.length < 2) {
    return refuseConfig(op, "batch_norm/statistics", "inference takes a mean and a variance");
  }
  for (const [index, operand] of query.operands.entries()) {
    const fault = operand === undefined ? undefined : operandFault(operand);
    if (operand !== undefined && fault !== undefined) {
      return refuseOperand(op, "batch_norm/operand", index, operand, fault);
    }
  }
  const fault = statisticsFault(statistics, input.shape[1] ?? 1);
  if (fault !== undefined) return refuseConfig(op, "batch_norm/statistics", fault);
  if (hint !== undefined && isSharded(hint)) {
    return refuseLayout(op, "batch_norm/sharded-output", "the output must be interleaved");
  }
  const { dataType } = input.layout;
  const outputs = eachOrRefusal(
    op.results,
    (_, result) =>
      result === 0
        ? placeOutput(query, context, { whenNull: input.layout, dataType })
        : placeOutput(query, context, { result, whenNull: hint ?? input.layout, hint: null }),
  );
  return isRefusal(outputs) ? outputs : accept({ outputs }, context);
}

/** Why an operand is not an interleaved tiled float tensor; `undefined` if it is. */
function operandFault({ layout }: Tensor): string | undefined {
  if (layout.tile === undefined || isSharded(layout)) return "must be interleaved tiles";
  return layout.dataType === "bf16" || layout.dataType === "f32" ? undefined : "must be bf16 or f32";
}

/**
 * Mean, variance, weight and bias have one value per channel, all in one format. The backend accepts other
 * extents but computes garbage.
 */
function statisticsFault(statistics: readonly Tensor[], channels: number): string | undefined {
  const formats = new Set(statistics.map(({ layout }) => layout.dataType));
  if (formats.size > 1) return `its statistics differ in format: ${[...formats].join(", ")}`;
  const odd = statistics.find(({ shape }) => !sameExtents(shape, [1, channels, 1, 1]));
  return odd === undefined ? undefined : `${odd.shape.join("x")} must be 1x${channels}x1x1`;
}

export const BATCH_NORM_RULES: RulesOf<BatchNormFamily> = {
  batch_norm_inference: batchNormRule("batch_norm_inference"),
  batch_norm_training: batchNormRule("batch_norm_training"),
};
