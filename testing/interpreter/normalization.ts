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
    const normalized = call.integers("normalized_shape") ?? input.shape.slice(-1);
    const dims = normalized.map((_, i) => input.shape.length - normalized.length + i);
    const average = reduce(input, dims, (values) => (centered ? mean(values) : 0));
    const difference = zip([input, average], (x = NaN, m = NaN) => x - m);
    const square = reduce(difference, dims, (values) => mean(values.map((value) => value * value)));
    const epsilon = call.number("epsilon", Math.fround(1e-5));
    const scaled = zip([difference, square], (x = NaN, s = NaN) => x / Math.sqrt(s + epsilon));
    return affine(scaled, weight, bias);
  };
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
  const average = reduce(grouped, dims, mean);
  const difference = zip([grouped, average], (x = NaN, m = NaN) => x - m);
  const square = reduce(difference, dims, (values) => mean(values.map((value) => value * value)));
  const epsilon = call.number("epsilon");
  const scaled = reshape(
    zip([difference, square], (x = NaN, s = NaN) => x / Math.sqrt(s + epsilon)),
    input.shape,
  );
  const perChannel = (tensor: NumericTensor | undefined): NumericTensor | undefined =>
    tensor === undefined
      ? undefined
      : reshape(tensor, input.shape.map((_, own) => (own === dim ? channels : 1)));
  return affine(scaled, perChannel(weight), perChannel(bias));
}
