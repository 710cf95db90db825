// SPDX-License-Identifier: Apache-2.0
import { inBoth } from "./elementwise.ts";
import type { Evaluate, Meanings, OpCall } from "./op_call.ts";
import { at, build, mean, type NumericTensor, reduce, reshape, zip } from "./tensor.ts";

/** Normalisations. */
export const NORMALIZATION: Meanings = {
  ...inBoth([["layer_norm", rowNorm(true)], ["rms_norm", rowNorm(false)], ["group_norm", groupNorm]]),
  "ttir.batch_norm_inference": batchNorm([1, 2, 3, 4]),
  "ttnn.batch_norm_inference": batchNorm([3, 4, 1, 2]),
};

/** Over `normalized_shape`, or the last dimension. */
function rowNorm(centered: boolean): Evaluate {
  return (call) => {
    const [input, weight, bias] = call.groups(3);
    if (input === undefined) throw call.fail("no input");
    const last = call.integers("normalized_shape") ?? input.shape.slice(-1);
    const dims = last.map((_, i) => input.shape.length - last.length + i);
    const { scaled } = normalized(input, dims, call.number("epsilon", Math.fround(1e-5)), centered);
    return affine(scaled, weight, bias);
  };
}

/** A tensor over some dimensions by their mean and variance; without their mean where it is not to be centred. */
export function normalized(
  tensor: NumericTensor,
  dims: readonly number[],
  epsilon: number,
  centered: boolean = true,
): Readonly<Record<"scaled" | "average" | "variance", NumericTensor>> {
  const average = reduce(tensor, dims, (values) => (centered ? mean(values) : 0));
  const difference = zip([tensor, average], (x = NaN, m = NaN) => x - m);
  const variance = reduce(difference, dims, (values) => mean(values.map((value) => value * value)));
  const scaled = zip([difference, variance], (x = NaN, v = NaN) => x / Math.sqrt(v + epsilon));
  return { scaled, average, variance };
}

/** Numbers per channel: a vector, or that many along one dimension. */
export function perChannel(tensor: NumericTensor, shape: readonly number[], dim: number): NumericTensor {
  return reshape(tensor, shape.map((extent, own) => (own === dim ? extent : 1)));
}

function affine(
  tensor: NumericTensor,
  weight: NumericTensor | undefined,
  bias: NumericTensor | undefined,
): NumericTensor {
  const scaled = weight === undefined ? tensor : zip([tensor, weight], (x = NaN, w = NaN) => x * w);
  return bias === undefined ? scaled : zip([scaled, bias], (x = NaN, b = NaN) => x + b);
}

/** @param order positions of scale, offset, mean and variance among the operands */
function batchNorm(order: readonly [number, number, number, number]): Evaluate {
  return (call) => {
    const input = call.operand(0);
    const dim = call.dimension(call.integer("dimension", 1), input.shape.length);
    const [scale, offset, average, variance] = order.map((position) => call.operand(position).data);
    const epsilon = call.number("epsilon");
    return build(input.shape, (index) => {
      const channel = index[dim] ?? 0;
      const of = (data: Float64Array | undefined): number => data?.[channel] ?? NaN;
      return (at(input, index) - of(average)) / Math.sqrt(of(variance) + epsilon) * of(scale) + of(offset);
    });
  };
}

/** Mean and variance over everything of one batch entry in a group of channels. */
function groupNorm(call: OpCall): NumericTensor {
  const [input, , weight, bias] = call.groups(4);
  if (input === undefined) throw call.fail("no input");
  const rank = input.shape.length;
  const dim = call.dimension(call.integer("channel_dim", rank - 1), rank);
  const channels = input.shape[dim] ?? 1;
  const groups = call.integer("num_groups");
  const split = input.shape.toSpliced(dim, 1, groups, channels / groups);
  const grouped = reshape(input, split);
  const dims = split.map((_, own) => own).filter((own) => own !== 0 && own !== dim);
  const { scaled } = normalized(grouped, dims, call.number("epsilon"));
  const [factor, offset] = [weight, bias].map((tensor) => tensor && perChannel(tensor, input.shape, dim));
  return affine(reshape(scaled, input.shape), factor, offset);
}
