// SPDX-License-Identifier: Apache-2.0
import { definitionOf } from "../../ops/op_book.ts";
import { volume } from "../../layout/extents.ts";
import { channelAxis } from "../../programs/eltwise/quantization.ts";
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
  const sizes = vectorFault(query, input);
  if (sizes !== undefined) return refuseLayout(query.op, "quantize/vectors", sizes);
  const dataType = query.op.results[0]?.dataType ?? input.layout.dataType;
  const output = placeOutput(query, context, { whenNull: input.layout, nullShards: "kept", dataType });
  const cast = castInput(query.op, input);
  const fault = isRefusal(output) || cast === undefined ? undefined : castFault(cast, output);
  return fault === undefined
    ? acceptOne(output, context)
    : refuseLayout(query.op, `quantize/${fault[0]}`, `${describeTensor(0, input)} ${fault[1]}`);
}

/**
 * Scales and zero points are numbers, or with an axis vectors of as many; a requantization takes either, in pairs
 * (`ttnn:backend-0-81-1`).
 */
function vectorFault({ op, operands }: ConstraintQuery, input: Tensor): string | undefined {
  const axis = channelAxis(op, input.shape.length);
  const channels = axis === undefined ? 1 : input.shape[axis] ?? 1;
  const sizes = operands.slice(1).map((vector) => vector === undefined ? channels : volume(vector.shape));
  const takesNumbers = definitionOf(op.name).family === "requantize";
  const isFitting = sizes.every((size, index) =>
    (size === channels || (takesNumbers && size === 1)) && size === sizes[index - index % 2]
  );
  return isFitting ? undefined : `scales and zero points of ${sizes.join(", ")} numbers, for ${channels}`;
}

/**
 * The operand of the last program if that is a cast from the input's memory: the input of `quantize`, a bf16 intermediate
 * of `requantize` by scalars. `undefined` if the last program is binary, or casts a tensor in the result's memory
 * (`ttnn:backend-0-81-1`).
 */
function castInput(
  op: ConstraintQuery["op"],
  input: Tensor,
): Tensor | undefined {
  const { family } = definitionOf(op.name);
  if (family === "quantize") return input;
  return family === "requantize" && channelAxis(op, input.shape.length) === undefined
    ? { ...input, layout: { ...input.layout, dataType: "bf16" } }
    : undefined;
}

const RULE = defineRule({ evaluate: evaluateQuantization });

export const QUANTIZATION_RULES: RulesOf<"quantize" | "dequantize" | "requantize"> = {
  quantize: RULE,
  dequantize: RULE,
  requantize: RULE,
};
