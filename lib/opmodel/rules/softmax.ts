// SPDX-License-Identifier: Apache-2.0
import { readInteger } from "../../dialect/attribute_values.ts";
import { isSharded } from "../../layout/ttnn_layout.ts";
import { placeOutput } from "../place_output.ts";
import { type ConstraintQuery, defineRule, type RuleContext, type RulesOf } from "../rule.ts";
import { accept, isRefusal, refuseConfig, refuseLayout, type RuleAnswer } from "../verdict.ts";
import { operandAt } from "./program.ts";
import { refuseUntiledFloat } from "./norm_operands.ts";

function evaluateSoftmax(query: ConstraintQuery, context: RuleContext): RuleAnswer {
  const input = operandAt(query, 0);
  const format = refuseUntiledFloat(query, input);
  if (format !== undefined) return format;
  const rank = input.shape.length;
  const dimension = readInteger(query.op.attributes, "dimension") ?? -1;
  if (dimension >= rank || dimension < -rank) {
    return refuseConfig(query.op, "softmax/dimension", `dimension ${dimension} of ${rank}`);
  }
  const output = placeOutput(query, context, { whenNull: input.layout });
  if (isRefusal(output)) return output;
  const width = input.shape.at(-1) ?? 1;
  if (isSharded(output.layout) && width % 32 !== 0 && output.layout.shardShape[1] !== Math.ceil(width / 32)) {
    const fault = `a width of ${width} needs an interleaved result or shards that are as wide`;
    return refuseLayout(query.op, "softmax/shard-width", fault);
  }
  return accept({ outputs: [output] }, context);
}

/** The rules of softmax. */
export const SOFTMAX_RULES: RulesOf<"softmax"> = {
  /** Rule of `softmax`. */
  softmax: defineRule({ evaluate: evaluateSoftmax }),
};
