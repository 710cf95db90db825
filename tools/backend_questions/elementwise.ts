// SPDX-License-Identifier: Apache-2.0
import type { Random } from "./random.ts";
import type { DataType } from "../../lib/layout/data_type.ts";
import {
  alone,
  BF16_OR_F32,
  choose,
  float,
  FORMATS,
  ofOneTensor,
  type QuestionMaker,
  withExtent,
} from "./question.ts";
import { ACTIVATIONS, TOKENS } from "./shapes.ts";

const UNARY = ["relu", "gelu", "silu", "sigmoid", "exp", "sqrt", "rsqrt", "tanh", "neg", "abs"];

const unary: QuestionMaker = ({ random, tensors }) => {
  const choice = choose(random, ACTIVATIONS, FORMATS, 0.85);
  const input = tensors.any(choice);
  const op = random.pick(UNARY);
  const parts = {
    operands: [input],
    results: [{ ...choice, tiled: true }],
    hint: tensors.hint(input, choice),
  };
  const special = random.next();
  if (special < 0.1) {
    return { op: "clamp_scalar", ...parts, attrs: { min: float(0), max: float(6) } };
  }
  if (special < 0.2) {
    return { op: "leaky_relu", ...parts, attrs: { parameter: float(0.01) } };
  }
  return { op, ...parts };
};

/** The shape of a binary op's second operand: the same, one row, one column, or one matrix for all batches. */
function partnerShape(random: Random, shape: readonly number[]): readonly number[] {
  const which = random.next();
  if (which < 0.5) return shape;
  if (which < 0.7) return shape.map((extent, index) => index === shape.length - 1 ? extent : 1);
  if (which < 0.9) return withExtent(shape, -1, 1);
  return shape.slice(-2);
}

function pair(
  ops: readonly string[],
  formats: readonly DataType[],
  booleans: readonly string[] = [],
): QuestionMaker {
  return ({ random, tensors }) => {
    const shape = random.pick(ACTIVATIONS);
    const dataType = random.pick(formats);
    const left = tensors.any({ shape, dataType });
    const other = partnerShape(random, shape);
    const otherType = random.chance(0.9) ? dataType : random.pick(formats);
    const right = random.chance(0.5)
      ? tensors.like(left, other, otherType)
      : tensors.any({ shape: other, dataType: otherType });
    const op = random.pick(ops);
    const result = { shape, dataType: booleans.includes(op) ? "bf16" : dataType };
    return { op, operands: [left, right], results: [result], hintLike: left };
  };
}

const ternary: QuestionMaker = ({ random, tensors }) => {
  const shape = random.pick(ACTIVATIONS);
  const dataType = random.pick(BF16_OR_F32);
  const condition = tensors.any({ shape, dataType });
  const branch = () => {
    const other = random.chance(0.75) ? shape : withExtent(shape, -1, 1);
    return random.chance(0.6) ? tensors.like(condition, other) : tensors.any({ shape: other, dataType });
  };
  const hint = tensors.hint(condition, { shape, dataType });
  return {
    op: "where",
    operands: [condition, branch(), branch()],
    results: [{ shape, dataType }],
    hint,
  };
};

const typecast: QuestionMaker = ({ random, tensors }) => {
  const shape = random.pick(ACTIVATIONS);
  const from = random.pick<DataType>(["bf16", "f32", "bfp_bf8", "si32", "u32"]);
  const to = random.pick(
    (["bf16", "f32", "bfp_bf8", "si32", "u32"] as const).filter((type) => type !== from),
  );
  const tiled = from === "bfp_bf8" || to === "bfp_bf8" || random.chance(0.8);
  const input = tensors.any({ shape, dataType: from, tiled });
  return {
    op: "typecast",
    operands: [input],
    results: [{ shape, dataType: to, tiled }],
    hintLike: input,
  };
};

const COMPARISONS = ["eq", "ne", "gt", "ge", "lt", "le"];

/** Makers of the families of elementwise ops. */
export const ELEMENTWISE: Readonly<Record<string, QuestionMaker>> = {
  unary,
  cbrt: ofOneTensor("cbrt", alone(TOKENS), { formats: BF16_OR_F32 }),
  binary: pair(
    ["add", "multiply", "subtract", "divide", "maximum", "minimum", ...COMPARISONS],
    FORMATS,
    COMPARISONS,
  ),
  logical_binary: pair(["logical_and", "logical_or", "logical_xor"], BF16_OR_F32),
  remainder: pair(["remainder"], BF16_OR_F32),
  atan2: pair(["atan2"], BF16_OR_F32),
  ternary,
  typecast,
};
