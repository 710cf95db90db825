// SPDX-License-Identifier: Apache-2.0
import { definitionOf } from "../../ops/op_book.ts";
import { isPerAxis } from "../../programs/quantization.ts";
import { placeOutput } from "../place_output.ts";
import { type ConstraintQuery, defineRule, type RuleContext, type RulesOf } from "../rule.ts";
import {
  acceptOne,
  describeTensor,
  isRefusal,
  refuseLayout,
  refuseOperand,
  type RuleAnswer,
} from "../verdict.ts";
import type { Tensor } from "../tensor.ts";
import { operandAt } from "./program.ts";
import { castFault } from "./typecast.ts";

/** Rule of the quantization ops: tiled operands; a cast or an eltwise program writes the requested memory. */
function evaluateQuantization(query: ConstraintQuery, context: RuleContext): RuleAnswer {
  const input = operandAt(query, 0);
  if (input.layout.tile === undefined) {
    return refuseOperand(query.op, "quantize/tile", 0, input, "must be tiled");
  }
  const dataType = query.op.results[0]?.dataType ?? input.layout.dataType;
  const output = placeOutput(query, context, { whenNull: input.layout, nullShards: "kept", dataType });
  const cast = castInput(query.op, input);
  const fault = isRefusal(output) || cast === undefined ? undefined : castFault(cast, output);
  return fault === undefined
    ? acceptOne(output, context)
    : refuseLayout(query.op, `quantize/${fault[0]}`, `${describeTensor(0, input)} ${fault[1]}`);
}

/**
 * What the last program casts: it lies in the input's memory, requantized by numbers in bf16. `undefined` if the last
 * program is a binary one, or casts a tensor that lies like the result (`ttnn:backend-0-81-1`).
 */
function castInput(
  { name, operands: [, scale, zeroPoint] }: ConstraintQuery["op"],
  input: Tensor,
): Tensor | undefined {
  const { family } = definitionOf(name);
  if (family === "quantize") return input;
  return family === "requantize" && !isPerAxis(scale, zeroPoint)
    ? { ...input, layout: { ...input.layout, dataType: "bf16" } }
    : undefined;
}

const RULE = defineRule({ evaluate: evaluateQuantization });

export const QUANTIZATION_RULES: RulesOf<"quantize" | "dequantize" | "requantize"> = {
  quantize: RULE,
  dequantize: RULE,
  requantize: RULE,
};
