// SPDX-License-Identifier: Apache-2.0
import { sameExtents } from "../../layout/extents.ts";
import { placeOutput } from "../place_output.ts";
import { type ConstraintQuery, defineRule, type OpRule, type RulesOf } from "../rule.ts";
import { refuseConfig, refuseLayout, refuseOperand, type Verdict } from "../verdict.ts";
import { demand, demandFormat, operandAt, wantsShards } from "./program.ts";

type BatchNormFamily = "batch_norm_inference" | "batch_norm_training";

/** Rule of `batch_norm_inference` and `batch_norm_training`. */
function batchNormRule(family: BatchNormFamily): OpRule {
  return defineRule({ evaluate: (query) => evaluateBatchNorm(query, family) });
}

function evaluateBatchNorm(query: ConstraintQuery, family: BatchNormFamily): Verdict {
  const { op, hint } = query;
  const { shape, layout } = operandAt(query, 0);
  if (shape.length !== 4) refuseOperand(query, 0, "batch_norm/rank", "must have four dimensions");
  const [, channels = 1] = shape;
  const statistics = query.operands.slice(1).filter((operand) => operand !== undefined);
  // Mean and variance come first.
  if (family === "batch_norm_inference" && statistics.length < 2) {
    refuseConfig(query, "batch_norm/statistics", "inference takes a mean and a variance");
  }
  for (const index of query.operands.keys()) {
    demand(query, index, "tiled and interleaved", "batch_norm/operand");
    demandFormat(query, index, ["bf16", "f32"], "batch_norm/operand");
  }
  // Mean, variance, weight and bias have one value per channel, all in one format. The backend accepts other extents
  // but computes garbage.
  const formats = new Set(statistics.map(({ layout }) => layout.dataType));
  if (formats.size > 1) {
    const fault = `its statistics differ in format: ${[...formats].join(", ")}`;
    refuseConfig(query, "batch_norm/statistics", fault);
  }
  const odd = statistics.find(({ shape }) => !sameExtents(shape, [1, channels, 1, 1]));
  if (odd !== undefined) {
    refuseConfig(query, "batch_norm/statistics", `${odd.shape.join("x")} must be 1x${channels}x1x1`);
  }
  if (wantsShards(query)) refuseLayout(query, "batch_norm/sharded-output", "the output must be interleaved");
  const outputs = op.results.map((_, result) =>
    result === 0
      ? placeOutput(query, { whenNull: layout, dataType: layout.dataType })
      : placeOutput(query, { result, whenNull: hint ?? layout, hint: null })
  );
  return { outputs };
}

export const BATCH_NORM_RULES: RulesOf<BatchNormFamily> = {
  batch_norm_inference: batchNormRule("batch_norm_inference"),
  batch_norm_training: batchNormRule("batch_norm_training"),
};
