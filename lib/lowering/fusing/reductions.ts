// SPDX-License-Identifier: Apache-2.0
import { sameExtents, volume } from "../../layout/extents.ts";
import { denseArrayText, integerText } from "../../dialect/printed_attributes.ts";
import { f32Text } from "../../dialect/float_text.ts";
import type { TtnnOp, TtnnTensor } from "../emit/ttnn_value.ts";
import { COMPUTE_CONFIG, NORM_COMPUTE_CONFIG } from "../op_rule.ts";
import { numberIn } from "./attribute_values.ts";
import {
  eitherOrder,
  newOp,
  type OpGraph,
  type Pattern,
  reducedDimension,
  resultOf,
  standIn,
  tensorOperand,
} from "./op_graph.ts";

/** A factor counts as `1 / n` when it is off by less than bf16 can tell. */
const TOLERANCE: number = 2 ** -8;

/** `sum(x) * (1 / n)` and `sum(x) / n` are `mean(x)`. */
export const mean: Pattern = (op, graph) => {
  if (op.name !== "ttnn.multiply" && op.name !== "ttnn.divide") return undefined;
  const result = resultOf(op);
  const orders = op.name === "ttnn.divide" ? eitherOrder(op).slice(0, 1) : eitherOrder(op);
  for (const [total, factor] of orders) {
    const value = graph.constant(factor);
    const sum = graph.madeBelowReshape(total, "sum");
    const input = tensorOperand(sum, 0);
    const summed = sum === undefined ? undefined : resultOf(sum);
    if (value === undefined || sum === undefined || input === undefined || summed === undefined) continue;
    const count = volume(input.type.shape) / volume(summed.type.shape);
    const ratio = op.name === "ttnn.divide" ? count / value : count * value;
    const fits = Math.abs(ratio - 1) < TOLERANCE && graph.usedOnce(sum) && result !== undefined &&
      sameExtents(result.type.shape, total.type.shape) && result.type.element === summed.type.element;
    if (!fits) continue;
    if (total === summed) return [{ ...sum, name: "ttnn.mean", results: op.results }];
    const averaged = newOp(op, "mean", sum.operands, summed.type, sum.properties);
    const reshape = graph.made(total, "reshape");
    if (reshape === undefined) continue;
    return [averaged.op, { ...reshape, operands: [averaged.result], results: op.results }];
  }
  return undefined;
};

/** `exp(x - max(x)) / sum(exp(x - max(x)))` is a stable softmax; without the maximum it is a plain one. */
export const softmax: Pattern = (op, graph) => {
  if (op.name !== "ttnn.divide") return undefined;
  const numerator = tensorOperand(op, 0);
  const exp = graph.made(numerator, "exp");
  const sum = graph.madeBelowReshape(op.operands[1], "sum");
  const exponent = tensorOperand(exp, 0);
  if (sum === undefined || exponent === undefined || numerator === undefined) return undefined;
  const dim = keptDimension(sum, numerator, tensorOperand(op, 1));
  if (dim === undefined) return undefined;
  const subtract = graph.made(exponent, "subtract");
  const input = tensorOperand(subtract, 0);
  const max = graph.madeBelowReshape(subtract?.operands[1], "max");
  const stable = input !== undefined && max !== undefined &&
    keptDimension(max, input, tensorOperand(subtract, 1)) === dim;
  const source = stable ? input : exponent;
  if (source.type.element !== numerator.type.element) return undefined;
  return [standIn(op, "softmax", [source], {
    compute_config: COMPUTE_CONFIG,
    dimension: integerText(dim, "si32"),
    numericStable: String(stable),
  })];
};

/** The dimension that a reduction of `input` reduces to one in `reduced`. */
function keptDimension(
  reduction: TtnnOp,
  input: TtnnTensor,
  reduced: TtnnTensor | undefined,
): number | undefined {
  const dim = reducedDimension(reduction);
  if (dim === undefined || reduction.operands[0] !== input || reduced === undefined) return undefined;
  const expected = input.type.shape.map((extent, at) => (at === dim ? 1 : extent));
  return sameExtents(reduced.type.shape, expected) ? dim : undefined;
}

/** `weight * (x * rsqrt(mean(x * x) + epsilon))` is `rms_norm(x)`, also where the middle is computed in f32. */
export const rmsNorm: Pattern = (op, graph) => {
  if (op.name !== "ttnn.multiply") return undefined;
  const result = resultOf(op);
  for (const [weight, scaled] of eitherOrder(op)) {
    const width = scaled.type.shape.at(-1) ?? 1;
    if (result === undefined || volume(weight.type.shape) !== width || weight.type.shape.at(-1) !== width) {
      continue;
    }
    const found = normalizedInput(scaled, graph);
    if (found === undefined || found.input.type.element !== result.type.element) continue;
    if (!sameExtents(found.input.type.shape, result.type.shape)) continue;
    const row = rowOf(weight, width, graph);
    if (row === undefined) continue;
    return [standIn(op, "rms_norm", [found.input, row], {
      compute_config: NORM_COMPUTE_CONFIG,
      epsilon: f32Text(found.epsilon),
      operandSegmentSizes: denseArrayText([1, 1, 0], "i32"),
    })];
  }
  return undefined;
};

/** A weight of rank one, seen through the reshape that made it broadcast. */
function rowOf(weight: TtnnTensor, width: number, graph: OpGraph): TtnnTensor | undefined {
  const below = tensorOperand(graph.made(weight, "reshape"), 0);
  return [weight, below].find((tensor) => tensor !== undefined && sameExtents(tensor.type.shape, [width]));
}

/** `x` and `epsilon` of `x * rsqrt(mean(x * x) + epsilon)` over the last dimension. */
function normalizedInput(
  scaled: TtnnTensor,
  graph: OpGraph,
): { readonly input: TtnnTensor; readonly epsilon: number } | undefined {
  const castBack = graph.made(scaled, "typecast");
  const product = graph.made(castBack === undefined ? scaled : castBack.operands[0], "multiply");
  if (product === undefined) return undefined;
  for (const [wide, factor] of eitherOrder(product)) {
    const shifted = graph.made(graph.made(factor, "rsqrt")?.operands[0], "add");
    if (shifted === undefined) continue;
    for (const [average, offset] of eitherOrder(shifted)) {
      const epsilon = graph.constant(offset);
      const mean = graph.madeBelowReshape(average, "mean");
      const square = tensorOperand(mean, 0);
      if (epsilon === undefined || mean === undefined || square === undefined) continue;
      const dim = reducedDimension(mean);
      if (dim !== wide.type.shape.length - 1 || !isSquareOf(square, wide, graph)) continue;
      const input = castBack === undefined ? wide : tensorOperand(graph.made(wide, "typecast"), 0);
      if (input !== undefined) return { input, epsilon };
    }
  }
  return undefined;
}

function isSquareOf(square: TtnnTensor, base: TtnnTensor, graph: OpGraph): boolean {
  const power = graph.made(square, "pow_scalar");
  if (power !== undefined) return power.operands[0] === base && numberIn(power.properties.get("rhs")) === 2;
  const product = graph.made(square, "multiply");
  return product !== undefined && product.operands.every((operand) => operand === base);
}
