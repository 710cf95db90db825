// SPDX-License-Identifier: Apache-2.0
import { placeOutput } from "../place_output.ts";
import { type ConstraintQuery, defineRule, type RuleContext, type RulesOf } from "../rule.ts";
import { acceptOne, refuseOperand, type RuleAnswer } from "../verdict.ts";
import { operandAt } from "./program.ts";

/** Rule of the quantization ops: tiled operands; a typecast or eltwise program into the requested memory. */
function evaluateQuantization(query: ConstraintQuery, context: RuleContext): RuleAnswer {
  const input = operandAt(query, 0);
  if (input.layout.tile === undefined) {
    return refuseOperand(query.op, "quantize/tile", 0, input, "must be tiled");
  }
  const dataType = query.op.results[0]?.dataType ?? input.layout.dataType;
  const output = placeOutput(query, context, { whenNull: input.layout, nullShards: "kept", dataType });
  return acceptOne(output, context);
}

const RULE = defineRule({ evaluate: evaluateQuantization });

/** The rules of quantization. */
export const QUANTIZATION_RULES: RulesOf<"quantize" | "dequantize" | "requantize"> = {
  quantize: RULE,
  dequantize: RULE,
  requantize: RULE,
};
