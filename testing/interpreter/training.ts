// SPDX-License-Identifier: Apache-2.0
import { activation, inBoth } from "./elementwise.ts";
import type { Evaluate, Meanings, OpCall } from "./op_call.ts";
import { normalized, perChannel } from "./normalization.ts";
import { at, build, type NumericTensor, reduce, reshape, sum, zip } from "./tensor.ts";

/** Training: norms that keep statistics, steps of optimizers, gradients. */
export const TRAINING: Meanings = {
  "ttir.batch_norm_training": (call) => {
    const [result, ...updated] = batchNorm(call, [1, 2, 3, 4]);
    return [result, ...updated.map((tensor, index) => reshape(tensor, call.resultShape(index + 1)))];
  },
  "ttnn.batch_norm_training": (call) => {
    const [result, ...updated] = batchNorm(call, [3, 4, 1, 2]);
    updated.forEach(({ data }, index) => call.operand(1 + index).data.set(data));
    return [result];
  },
  "ttir.adamw": (call) => adamw(call),
  "ttnn.adamw": (call) => {
    adamw(call).forEach(({ data }, index) => call.operand(index === 0 ? 0 : index + 1).data.set(data));
    return [];
  },
  "ttir.embedding_backward": embeddingGradient,
  "ttnn.embedding_bw": embeddingGradient,
  ...inBoth([
    ["silu_bw", gradientOf("silu")],
    ["gelu_bw", gradientOf("gelu")],
    ["softmax_backward", softmaxGradient],
  ]),
};

/**
 * The norm by mean and variance of the batch, and what the running ones become.
 *
 * @param order positions of scale, offset, mean and variance among the operands
 */
function batchNorm(
  call: OpCall,
  order: readonly [number, number, number, number],
): readonly [NumericTensor, NumericTensor, NumericTensor] {
  const input = call.operand(0);
  const dim = call.dimension(call.integer("dimension", 1), input.shape.length);
  const channels = (operand: number): NumericTensor => perChannel(call.operand(operand), input.shape, dim);
  const [scale, offset, runningMean, runningVariance] = order.map(channels);
  if (
    scale === undefined || offset === undefined || runningMean === undefined || runningVariance === undefined
  ) {
    throw call.fail("five operands expected");
  }
  const others = input.shape.map((_, own) => own).filter((own) => own !== dim);
  const { scaled, average, variance } = normalized(input, others, call.number("epsilon"));
  const normal = zip([scaled, scale, offset], (x = NaN, s = NaN, o = NaN) => x * s + o);
  const momentum = call.number("momentum", Math.fround(0.1));
  const moved = (old: NumericTensor, now: NumericTensor): NumericTensor =>
    zip([old, now], (before = NaN, batch = NaN) => (1 - momentum) * before + momentum * batch);
  return [normal, moved(runningMean, average), moved(runningVariance, variance)];
}

/** Parameter and moments after a step whose numbers are attributes. */
function adamw(call: OpCall): readonly NumericTensor[] {
  const [parameter, gradient, first, second, ...more] = call.operands;
  if (parameter === undefined || gradient === undefined || first === undefined || second === undefined) {
    throw call.fail("four operands expected");
  }
  if (more.length > 0) throw call.fail("no meaning of numbers of the step as operands");
  const [beta1, beta2] = [call.number("beta1"), call.number("beta2")];
  const moment = (old: NumericTensor, beta: number, power: number): NumericTensor =>
    zip([old, gradient], (m = NaN, g = NaN) => beta * m + (1 - beta) * g ** power);
  const [m, v] = [moment(first, beta1, 1), moment(second, beta2, 2)];
  const [rate, decay, epsilon] = ["lr", "weight_decay", "epsilon"].map((name) => call.number(name));
  const [power1, power2] = [call.number("beta1_pow"), call.number("beta2_pow")];
  const stepped = zip(
    [parameter, m, v],
    (p = NaN, a = NaN, b = NaN) =>
      p * (1 - (rate ?? NaN) * (decay ?? NaN)) -
      (rate ?? NaN) * (a / (1 - power1)) / (Math.sqrt(b / (1 - power2)) + (epsilon ?? NaN)),
  );
  return [stepped, m, v];
}

/** Every row of the gradient is added to the row of the table that it was looked up from. */
function embeddingGradient(call: OpCall): NumericTensor {
  const [indices, gradient] = [call.operand(0), call.operand(2)];
  const shape = call.resultShape();
  const width = shape.at(-1) ?? 1;
  const rows = reshape(gradient, [gradient.data.length / width, width]);
  const table = build([shape.reduce((product, extent) => product * extent, 1) / width, width], () => 0);
  indices.data.forEach((row, place) => {
    for (let column = 0; column < width; column++) {
      const offset = row * width + column;
      table.data[offset] = (table.data[offset] ?? NaN) + at(rows, [place, column]);
    }
  });
  return reshape(table, shape);
}

/** Step of the numerical derivative: the same function on both sides of a comparison. */
const STEP = 1e-4;

/** Gradient and input; the order of these is the op's, which both dialects share. */
function gradientOf(name: string): Evaluate {
  const f = activation(name);
  return (call) =>
    zip(
      [call.operand(0), call.operand(1)],
      (a = NaN, b = NaN) => a * (f(b + STEP) - f(b - STEP)) / (2 * STEP),
    );
}

/** `(g − Σ g y) y` of the result of a softmax. */
function softmaxGradient(call: OpCall): NumericTensor {
  const [y, gradient] = [call.operand(0), call.operand(1)];
  const dim = call.dimension(call.integer("dimension"), y.shape.length);
  const total = reduce(zip([y, gradient], (a = NaN, b = NaN) => a * b), [dim], sum);
  return zip([y, gradient, total], (a = NaN, g = NaN, t = NaN) => (g - t) * a);
}
