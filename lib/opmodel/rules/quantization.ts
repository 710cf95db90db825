// SPDX-License-Identifier: Apache-2.0
import { placeOutput } from "../place_output.ts";
import { type ConstraintQuery, defineRule, type OpRule, type RuleContext, type RulesOf } from "../rule.ts";
import { reportedL1Bytes, type Tensor } from "../tensor.ts";
import { volume } from "../../layout/extents.ts";
import { accept, describeTensor, isRefusal, refuseLayout, type RuleAnswer } from "../verdict.ts";
import { operandAt } from "./program.ts";
import type { DataType } from "../../layout/data_type.ts";
import { copyBytes } from "./copy_bytes.ts";

const SOURCE = "tt-mlir:op-model-tests quantize";

type Quantization = "quantize" | "dequantize" | "requantize";

/**
 * Rule of the quantization ops, composites of binary programs. The tensor peak is fitted on the recorded rows:
 * temporaries of the input's size are in the input's memory, staged scale and zero-point vectors in theirs
 * (docs/op-model.md).
 */
function quantizationRule(kind: Quantization): OpRule {
  return defineRule({
    evaluate: (query, context) => evaluateQuantization(query, context, kind),
  });
}

function evaluateQuantization(
  query: ConstraintQuery,
  context: RuleContext,
  kind: Quantization,
): RuleAnswer {
  const input = operandAt(query, 0);
  if (input.layout.tile === undefined) {
    return refuseLayout(query.op, "quantize/tile", `${describeTensor(0, input)} must be tiled`, SOURCE);
  }
  const vectors = query.operands.slice(1).filter((operand) => operand !== undefined);
  const perAxis = vectors.some((vector) => volume(vector.shape) > 1);
  const resultType = query.op.results[0]?.dataType ?? input.layout.dataType;
  const output = placeOutput(query, context, { whenNull: input.layout, dataType: resultType });
  if (isRefusal(output)) return output;
  const outBytes = reportedL1Bytes(output, context.chip);
  const likeInput = (dataType: DataType) => temporaryBytes(input, dataType, context);
  const staged = (dataType: DataType) =>
    vectors.length === 0 ? 0 : temporaryBytes(vectors[0] ?? input, dataType, context);
  if (kind === "quantize") {
    const format = input.layout.dataType;
    const tensorL1PeakBytes = outBytes + likeInput(format) + (perAxis ? 3 : 2) * staged(format);
    return accept({ outputs: [output], tensorL1PeakBytes }, context);
  }
  if (kind === "dequantize") {
    // Subtract in 32 bit, multiply, cast.
    const narrow = likeInput(output.layout.dataType);
    const perTensorPeak = Math.max(likeInput("si32") + narrow, narrow + outBytes);
    const tensorL1PeakBytes = perAxis ? likeInput("si32") + outBytes + 3 * staged("si32") : perTensorPeak;
    return accept({ outputs: [output], tensorL1PeakBytes }, context);
  }
  const tensorL1PeakBytes = perAxis
    ? likeInput("si32") + outBytes + 8 * staged("si32")
    : outBytes + 2 * likeInput("si32");
  return accept({ outputs: [output], tensorL1PeakBytes }, context);
}

/** L1 bytes per core of a temporary of a tensor's shape in another format, in the memory of the tensor. */
function temporaryBytes(tensor: Tensor, dataType: DataType, context: RuleContext): number {
  const { bufferType, tile } = tensor.layout;
  return copyBytes({ shape: tensor.shape, dataType, tile }, bufferType, context);
}

/** The rules of quantization. */
export const QUANTIZATION_RULES: RulesOf<"quantize" | "dequantize" | "requantize"> = {
  quantize: quantizationRule("quantize"),
  dequantize: quantizationRule("dequantize"),
  requantize: quantizationRule("requantize"),
};
