// SPDX-License-Identifier: Apache-2.0
import { placeOutput } from "../place_output.ts";
import { type ConstraintQuery, defineRule, type OpRule, type RuleContext, type RulesOf } from "../rule.ts";
import type { Tensor } from "../tensor.ts";
import {
  accept,
  describeTensor,
  isRefusal,
  refuseConfig,
  refuseLayout,
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
  const input = operandAt(query, 0);
  const source = "tt-metal:batch-norm";
  if (input.shape.length !== 4 || input.layout.tile === undefined) {
    return refuseLayout(
      query.op,
      "batch_norm/input",
      `${describeTensor(0, input)} must be a tiled tensor of rank 4`,
      source,
    );
  }
  const statistics = query.operands.slice(1).filter((operand) => operand !== undefined);
  if (family === "batch_norm_inference" && statistics.length !== 0 && statistics.length !== 4) {
    return refuseConfig(
      query.op,
      "batch_norm/partial",
      `inference takes all of mean, variance, weight and bias, not ${statistics.length}`,
      source,
    );
  }
  const channels = input.shape[1];
  for (const operand of statistics) {
    const [n, c, h, w] = operand.shape;
    if (operand.shape.length !== 4 || n !== 1 || c !== channels || h !== 1 || w !== 1) {
      return refuseConfig(
        query.op,
        "batch_norm/statistics",
        `${operand.shape.join("x")} must be 1x${channels}x1x1`,
        source,
      );
    }
  }
  const output = placeOutput(query, context, { whenNull: input.layout });
  if (isRefusal(output)) return output;
  const outputs: (Tensor | undefined)[] = [output];
  for (let result = 1; result < query.op.results.length; result++) {
    const extra = placeOutput(query, context, { result, whenNull: query.hint ?? input.layout, hint: null });
    if (isRefusal(extra)) return extra;
    outputs.push(extra);
  }
  return accept({ outputs }, context);
}

/** The rules of batch norms. */
export const BATCH_NORM_RULES: RulesOf<BatchNormFamily> = {
  batch_norm_inference: batchNormRule("batch_norm_inference"),
  batch_norm_training: batchNormRule("batch_norm_training"),
};
