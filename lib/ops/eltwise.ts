// SPDX-License-Identifier: Apache-2.0
import {
  defineOps,
  type OpDefinition,
  operand,
  type OpFacts,
  optional,
  type VectorFunction,
} from "./definition.ts";
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

function unary(
  names: string,
  vectorFunction: VectorFunction,
  family: EltwiseFamily = "unary",
): readonly OpDefinition<EltwiseFamily>[] {
  return defineOps(names, family, "eltwise_unary", {
    inferShape: likeOperand(0),
    formatOf: 0,
    keepsPages: true,
    vectorFunction,
  });
}

function binary(
  names: string,
  vectorFunction: VectorFunction,
  family: EltwiseFamily = "binary",
  facts: Pick<OpFacts, "formatOf"> = {},
): readonly OpDefinition<EltwiseFamily>[] {
  return defineOps(names, family, "eltwise_binary", {
    operands: [operand("activation"), operand("activation")],
    inferShape: broadcastOperands,
    vectorFunction,
    ...facts,
  });
}

/** Binary ops that take no format: they return that of operand 0. */
const KEEPS_FORMAT = { formatOf: 0 } as const;

function ternary(
  names: string,
  vectorFunction: VectorFunction,
  facts: Pick<OpFacts, "formatOf" | "operands">,
): readonly OpDefinition<EltwiseFamily>[] {
  return defineOps(names, "ternary", "eltwise_ternary", {
    operands: [operand("activation"), operand("activation"), operand("activation")],
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
    operands: [operand("activation"), ...Array.from({ length: vectors }, () => optional("weight"))],
    inferShape: likeOperand(0),
    vectorFunction: "simple",
  });
}

/**
 * Elementwise ops. Their vector functions are those that tt-metal's compute kernels call per tile
 * (derived:sfpu-cycles); sums of two tensors run on the matrix engine, and products where `lib/programs/eltwise.ts`
 * says so.
 */
export const ELTWISE: readonly OpDefinition<EltwiseFamily>[] = [
  ...unary(
    "relu relu6 leaky_relu hardsigmoid hardswish abs neg sign floor ceil round trunc frac clamp_scalar",
    "simple",
  ),
  ...unary("logical_not bitwise_not isfinite", "simple"),
  ...unary("dropout", "simple", "dropout"),
  ...unary("reciprocal softsign", "reciprocal"),
  ...unary("exp", "exp"),
  ...unary("sqrt rsqrt cbrt tanh log sin cos", "polynomial"),
  ...unary("sigmoid silu softplus expm1 elu selu celu log1p tan sinh cosh erf", "quotient"),
  ...unary("gelu mish atan asin acos atanh", "transcendental"),
  ...unary("erfc erfinv pow_scalar asinh acosh", "inverse"),
  ...defineOps("bitcast_convert", "unary", "eltwise_unary", {
    inferShape: likeOperand(0),
    vectorFunction: "none",
  }),
  ...unary("logit", "inverse", "logit"),

  ...binary("add subtract", "none"),
  ...binary("multiply", "product"),
  ...binary("maximum minimum eq ne lt le gt ge", "simple"),
  ...binary(
    "bitwise_and bitwise_or bitwise_xor logical_left_shift logical_right_shift",
    "simple",
    "binary",
    KEEPS_FORMAT,
  ),
  ...binary("divide", "quotient"),
  ...binary("pow_tensor", "inverse", "binary", KEEPS_FORMAT),
  ...binary("logical_and logical_or logical_xor", "none"),
  ...binary("remainder", "transcendental", "binary", KEEPS_FORMAT),
  ...binary("atan2", "quotient", "binary", KEEPS_FORMAT),
  ...binary("gelu_bw", "inverse", "gelu_bw", { formatOf: 1 }),

  ...ternary("where", "simple", { formatOf: 1 }),
  ...ternary("clamp_tensor addcmul", "simple", { formatOf: 0 }),
  ...ternary("lerp", "simple", {
    formatOf: 0,
    operands: [operand("activation"), operand("activation"), optional("activation")],
  }),
  ...ternary("addcdiv", "quotient", { formatOf: 0 }),
  // TTNN's own function: bounds are tensors or numbers. The dialect has an op for either.
  ...ternary("clamp", "simple", {
    formatOf: 0,
    operands: [operand("activation"), optional("activation"), optional("activation")],
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
    operands: [
      ...[0, 1, 2].map(() => operand("activation")),
      ...[3, 4, 5, 6, 7].map(() => optional("activation")),
    ],
    results: 0,
    inPlaceOperand: 0,
    writtenOperands: [0, 2, 3, 4, 6, 7],
    vectorFunction: "polynomial",
  }),
];
