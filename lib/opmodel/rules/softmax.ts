// SPDX-License-Identifier: Apache-2.0
import { readInteger } from "../../dialect/attribute_values.ts";
import { placeOutput } from "../place_output.ts";
import { type ConstraintQuery, defineRule, type RuleContext, type RulesOf } from "../rule.ts";
import { accept, isRefusal, refuseConfig, type RuleAnswer } from "../verdict.ts";
import { operandAt } from "./program.ts";
import { refuseUntiledFloat } from "./norm_operands.ts";

const SOFTMAX = "tt-metal:softmax";

function evaluateSoftmax(query: ConstraintQuery, context: RuleContext): RuleAnswer {
  const input = operandAt(query, 0);
  const format = refuseUntiledFloat(query, input, SOFTMAX);
  if (format !== undefined) return format;
  const rank = input.shape.length;
  const dimension = readInteger(query.op.attributes, "dimension") ?? -1;
  if (dimension >= rank || dimension < -rank) {
    return refuseConfig(query.op, "softmax/dimension", `dimension ${dimension} of ${rank}`, SOFTMAX);
  }
  const output = placeOutput(query, context, { whenNull: input.layout });
  if (isRefusal(output)) return output;
  return accept({ outputs: [output] }, context);
}

/** The rules of softmax. */
export const SOFTMAX_RULES: RulesOf<"softmax"> = {
  /** Rule of `softmax`. */
  softmax: defineRule({ evaluate: evaluateSoftmax }),
};
