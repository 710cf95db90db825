// SPDX-License-Identifier: Apache-2.0
import { placeOutput } from "../place_output.ts";
import { type ConstraintQuery, defineRule, type RuleContext, type RulesOf } from "../rule.ts";
import { accept, isRefusal, refuseLayout, refuseOperand, type RuleAnswer } from "../verdict.ts";
import { operandAt } from "./program.ts";

/** Rule of the quantization ops: tiled operands; a typecast or eltwise program into the requested memory. */
function evaluateQuantization(query: ConstraintQuery, context: RuleContext): RuleAnswer {
  const input = operandAt(query, 0);
  if (input.layout.tile === undefined) {
    return refuseOperand(query.op, "quantize/tile", 0, input, "must be tiled");
  }
  const dataType = query.op.results[0]?.dataType ?? input.layout.dataType;
  const output = placeOutput(query, context, { whenNull: input.layout, nullShards: "kept", dataType });
  if (isRefusal(output)) return output;
  const [from, to] = [input.layout.memoryLayout, output.layout.memoryLayout];
  // The last of its programs but for dequantize is a typecast, in the result's memory of what has the operand's.
  if (query.op.name !== "ttnn.dequantize" && from !== to) {
    return refuseLayout(
      query.op,
      "quantize/memory-layout",
      `the cast at its end cannot turn ${from} into ${to}`,
    );
  }
  return accept({ outputs: [output] }, context);
}

const RULE = defineRule({ evaluate: evaluateQuantization });

/** The rules of quantization. */
export const QUANTIZATION_RULES: RulesOf<"quantize" | "dequantize" | "requantize"> = {
  quantize: RULE,
  dequantize: RULE,
  requantize: RULE,
};
