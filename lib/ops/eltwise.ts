// SPDX-License-Identifier: Apache-2.0
import {
  ACTIVATION_PARAMETERS,
  BINARY,
  CLAMP,
  DROPOUT,
  GELU_BW,
  LOGIT,
  POWER,
  QUANTIZATION,
  REDUCED_PRECISION,
  ROUND,
  WITH_PARAMETER,
} from "./attributes/elementwise.ts";
import { ADAMW } from "./attributes/training.ts";
import { NO_ATTRIBUTES } from "./attributes/common.ts";
import type { AttributeForm } from "./attributes/attribute_form.ts";
import {
  defineOps,
  type DefinitionFields,
  type OpDefinition,
  repeated,
  type VectorFunction,
} from "./definition.ts";
import { ADDCMUL_PARTS, CLAMP_PARTS, LERP_PARTS } from "./eltwise_parts.ts";
import {
  allIn,
  ANY_FLOATS,
  ANY_FORMATS,
  anyOf,
  COMPARED,
  DIVIDED,
  FLOATS,
  noneOf,
  type TakesFormats,
  WHOLE_BESIDE_FLOAT,
  WHOLE_NUMBERS,
} from "./operand_formats.ts";
import { broadcastOperands, likeOperand } from "./shape_inference.ts";

/** Families of elementwise ops. */
export type EltwiseFamily =
  | "unary"
  | "logit"
  | "dropout"
  | "binary"
  | "gelu_bw"
  | "ternary"
  | "quantize"
  | "dequantize"
  | "requantize"
  | "typecast"
  | "adamw";

/**
 * Unary ops of space-separated names.
 *
 * @param takesFormats formats of the operand; by default no whole numbers
 */
function unary(
  names: string,
  vectorFunction: VectorFunction,
  takesFormats: TakesFormats = noneOf(...WHOLE_NUMBERS),
  family: EltwiseFamily = "unary",
  attributes: AttributeForm = NO_ATTRIBUTES,
): readonly OpDefinition<EltwiseFamily>[] {
  return defineOps(names, family, "eltwise_unary", {
    attributes,
    hasParameters: family !== "unary" || attributes !== NO_ATTRIBUTES,
    inferShape: likeOperand(0),
    formatOf: 0,
    keepsPages: true,
    vectorFunction,
    takesFormats,
  });
}

/** Unary ops with attributes that are part of what they compute. */
function parametric(
  names: string,
  attributes: AttributeForm,
  vectorFunction: VectorFunction,
  takesFormats?: TakesFormats,
): readonly OpDefinition<EltwiseFamily>[] {
  return unary(names, vectorFunction, takesFormats, "unary", attributes);
}

function binary(
  names: string,
  vectorFunction: VectorFunction,
  takesFormats: TakesFormats,
  facts: Pick<
    DefinitionFields,
    "attributes" | "formatOf" | "operandFunction" | "matrixUnit" | "castsOperand"
  > = {},
  family: EltwiseFamily = "binary",
): readonly OpDefinition<EltwiseFamily>[] {
  return defineOps(names, family, "eltwise_binary", {
    attributes: BINARY,
    operands: ["activation", "activation"],
    inferShape: broadcastOperands,
    vectorFunction,
    takesFormats,
    ...facts,
  });
}

/** Binary ops without an attribute for the format of their result: it is that of operand 0. */
const KEEPS_FORMAT = { formatOf: 0 } as const;

const UNSIGNED = ["u32", "u16", "u8"] as const;
const WIDE_INTEGERS = ["si32", "u32"] as const;
const INTEGERS = allIn(...WIDE_INTEGERS, "u16");
const SUMMED = anyOf(ANY_FLOATS, INTEGERS);
/** Floats or wide integers, all of one format. */
const SAME_FORMATS = allIn(...FLOATS, ...WIDE_INTEGERS);

function ternary(
  names: string,
  vectorFunction: VectorFunction,
  facts: Pick<DefinitionFields, "formatOf" | "operands" | "takesFormats" | "castsOperand" | "parts">,
): readonly OpDefinition<EltwiseFamily>[] {
  return defineOps(names, "ternary", "eltwise_ternary", {
    operands: ["activation", "activation", "activation"],
    inferShape: broadcastOperands,
    vectorFunction,
    ...facts,
  });
}

function quantization(
  name: string,
  family: EltwiseFamily,
  vectors: number,
): readonly OpDefinition<EltwiseFamily>[] {
  return defineOps(name, family, "eltwise_binary", {
    attributes: QUANTIZATION,
    operands: ["activation", ...repeated(vectors, "weight?")],
    inferShape: likeOperand(0),
    vectorFunction: "simple",
  });
}

/**
 * Elementwise ops. Their vector functions are those that tt-metal's compute kernels call per tile
 * (derived:sfpu-cycles); sums of two tensors run on the matrix engine, and products where `lib/programs/eltwise/eltwise.ts`
 * says so.
 */
export const ELTWISE: readonly OpDefinition<EltwiseFamily>[] = [
  ...unary("relu relu6 abs", "simple", ANY_FORMATS),
  ...unary("hardsigmoid hardswish sign floor ceil trunc frac isfinite", "simple"),
  ...defineOps("round", "unary", "eltwise_unary", {
    attributes: ROUND,
    inferShape: likeOperand(0),
    formatOf: 0,
    keepsPages: true,
    vectorFunction: "simple",
    takesFormats: noneOf(...WHOLE_NUMBERS),
  }),
  ...parametric("reduce_precision", REDUCED_PRECISION, "simple"),
  ...parametric("leaky_relu", WITH_PARAMETER, "simple", noneOf("si32")),
  ...unary("neg", "simple", noneOf(...UNSIGNED)),
  ...parametric("clamp_scalar", CLAMP, "simple", noneOf(...UNSIGNED)),
  ...unary("logical_not", "simple", noneOf("u8")),
  ...unary("bitwise_not", "simple", noneOf("u16", "u8")),
  ...unary("dropout", "simple", noneOf("f32", "bfp_bf8", "bfp_bf4", ...WHOLE_NUMBERS), "dropout", DROPOUT),
  ...unary("reciprocal softsign", "reciprocal"),
  ...unary("exp", "exp"),
  ...unary("sqrt rsqrt cbrt tanh log sin cos", "polynomial"),
  ...unary("sigmoid silu expm1 log1p tan sinh cosh erf", "quotient"),
  ...parametric("softplus elu selu celu", ACTIVATION_PARAMETERS, "quotient"),
  ...unary("gelu mish atan asin acos atanh", "transcendental"),
  ...unary("erfc erfinv asinh acosh", "inverse"),
  ...parametric("pow_scalar", POWER, "inverse", noneOf("u8")),
  ...defineOps("bitcast_convert", "unary", "eltwise_unary", {
    hasParameters: true,
    inferShape: likeOperand(0),
    vectorFunction: "none",
  }),
  ...unary("logit", "inverse", noneOf(...WHOLE_NUMBERS), "logit", LOGIT),

  ...binary("add subtract", "none", SUMMED, { matrixUnit: "sum" }),
  ...binary("multiply", "product", anyOf(SUMMED, WHOLE_BESIDE_FLOAT), {
    matrixUnit: "product",
    castsOperand: "whole_number",
  }),
  ...binary("maximum minimum", "simple", SAME_FORMATS),
  ...binary("eq ne lt le gt ge", "simple", COMPARED, { matrixUnit: "product", castsOperand: "bytes" }),
  ...binary("bitwise_and bitwise_or bitwise_xor logical_left_shift", "simple", INTEGERS, KEEPS_FORMAT),
  ...binary("logical_right_shift bitwise_right_shift", "simple", allIn(...WIDE_INTEGERS), KEEPS_FORMAT),
  ...binary("divide", "quotient", DIVIDED, { castsOperand: "whole_number" }),
  ...binary("pow_tensor", "inverse", allIn(...FLOATS), KEEPS_FORMAT),
  // Operands become zeros and ones first.
  ...binary("logical_and logical_or logical_xor", "none", SUMMED, {
    matrixUnit: "sum",
    operandFunction: "simple",
  }),
  ...binary("remainder", "transcendental", SAME_FORMATS, KEEPS_FORMAT),
  ...binary("atan2", "quotient", allIn(...FLOATS), KEEPS_FORMAT),
  ...binary("gelu_bw", "inverse", ANY_FLOATS, { attributes: GELU_BW, formatOf: 1 }, "gelu_bw"),

  ...ternary("where", "simple", { formatOf: 1, castsOperand: "condition" }),
  ...ternary("clamp_tensor", "simple", { formatOf: 0, takesFormats: SAME_FORMATS, parts: CLAMP_PARTS }),
  ...ternary("addcmul", "simple", { formatOf: 0, takesFormats: SAME_FORMATS, parts: ADDCMUL_PARTS }),
  ...ternary("lerp", "simple", {
    formatOf: 0,
    operands: ["activation", "activation", "activation?"],
    takesFormats: noneOf("u32"),
    parts: LERP_PARTS,
  }),
  ...ternary("addcdiv", "quotient", { formatOf: 0 }),
  // TTNN's own function: bounds are tensors or numbers. The dialect has an op for either.
  ...ternary("clamp", "simple", {
    formatOf: 0,
    operands: ["activation", "activation?", "activation?"],
    takesFormats: (formats, result) =>
      (formats.length === 1 ? noneOf(...UNSIGNED) : SAME_FORMATS)(formats, result),
    parts: CLAMP_PARTS,
  }),
  ...quantization("quantize", "quantize", 2),
  ...quantization("dequantize", "dequantize", 2),
  ...quantization("requantize", "requantize", 4),
  ...defineOps("typecast", "typecast", "typecast", {
    inferShape: likeOperand(0),
    acceptsHost: true,
    vectorFunction: "simple",
  }),
  // Parameter, gradient, moments: the step ends in a division by a square root. In autumn 2026 the powers of the betas
  // and then the learning rate became operands, from 4 on, and AMSGrad's moment, which was operand 4, comes behind them.
  // That some of these numbers then count as overwritten only keeps what reads them in its place.
  ...defineOps("adamw", "adamw", "eltwise_ternary", {
    attributes: ADAMW,
    operands: [...repeated(3, "activation"), ...repeated(5, "activation?")],
    results: 0,
    inPlaceOperand: 0,
    writtenOperands: [0, 2, 3, 4, 6, 7],
    vectorFunction: "polynomial",
  }),
];
