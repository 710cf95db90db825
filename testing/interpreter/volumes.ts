// SPDX-License-Identifier: Apache-2.0
import { roundUp } from "../../lib/layout/make_layout.ts";
import { volume } from "../../lib/layout/extents.ts";
import type { Meanings, OpCall } from "./op_call.ts";
import { at, build, type NumericTensor, permute, positions, reshape } from "./tensor.ts";

/** Convolutions over volumes, and the order in which their kernel takes weights (`tt-metal:conv3d`). */
export const VOLUMES: Meanings = {
  "ttir.conv3d": (call) => {
    const order = ROLES.map((name, position) => call.integer(name, position));
    const weight = call.operand(1);
    const result = convolve(
      call,
      permute(call.operand(0), order),
      weight.shape,
      call.integer("groups", 1),
      weight,
    );
    return permute(result, order.map((_, dim) => order.indexOf(dim)));
  },
  "ttnn.prepare_conv3d_weights": prepare,
  "ttnn.conv3d": (call) => {
    const input = call.operand(0);
    const kernel = call.integers("kernel_size") ?? [];
    const channels = input.shape.at(-1) ?? 1;
    const block = Number(/c_in_block = (\d+)/.exec(call.text("conv3d_config"))?.[1] ?? 32);
    const shape = [call.integer("out_channels"), channels, ...kernel];
    return convolve(call, input, shape, 1, unprepared(call.operand(1), shape, block));
  },
};

const ROLES = ["batch_dim", "depth_dim", "height_dim", "width_dim", "channel_dim"];

/** Weights of groups filled up to those of one, channels to whole tiles; rows by block of channels, tap and channel. */
function prepare(call: OpCall): NumericTensor {
  const weight = call.operand(0);
  const [out = 1, perGroup = 1, ...kernel] = weight.shape;
  const groups = call.integer("groups", 1);
  const channels = roundUp(perGroup * groups, call.integer("alignment", 32));
  const block = call.integer("c_in_block", channels);
  const shape = [channels / block, ...kernel, block, out];
  const blocks = build(shape, ([part = 0, depth = 0, row = 0, column = 0, channel = 0, filter = 0]) => {
    const inGroup = part * block + channel - Math.floor(filter / (out / groups)) * perGroup;
    return inGroup < 0 || inGroup >= perGroup ? 0 : at(weight, [filter, inGroup, depth, row, column]);
  });
  return reshape(blocks, [volume(shape) / out, out]);
}

/** Rows of prepared weights as `[out, in, depth, height, width]`. */
function unprepared(rows: NumericTensor, shape: readonly number[], block: number): NumericTensor {
  const [out = 1, channels = 1, ...kernel] = shape;
  const blocks = reshape(rows, [channels / block, ...kernel, block, out]);
  return reshape(permute(blocks, [5, 0, 4, 1, 2, 3]), shape);
}

/** Channels last; weights of `shape`, `[out, in of a group, depth, height, width]`. */
function convolve(
  call: OpCall,
  input: NumericTensor,
  [out = 1, perGroup = 1, ...kernel]: readonly number[],
  groups: number,
  weight: NumericTensor,
): NumericTensor {
  const [batch = 1, ...rest] = input.shape;
  const extents = rest.slice(0, 3);
  const [stride, padding] = [three(call, "stride", 1), three(call, "padding", 0)];
  const replicates = call.text("padding_mode").includes("replicate");
  const places = extents.map((extent, axis) =>
    Math.floor((extent + 2 * (padding[axis] ?? 0) - (kernel[axis] ?? 1)) / (stride[axis] ?? 1)) + 1
  );
  const taps = [...positions([perGroup, ...kernel])];
  const bias = call.operands[2];
  return build([batch, ...places, out], ([image = 0, ...place]) => {
    const filter = place[3] ?? 0;
    const first = Math.floor(filter / (out / groups)) * perGroup;
    let total = bias?.data[filter] ?? 0;
    for (const [channel = 0, ...tap] of taps) {
      const from = tap.map((step, axis) =>
        (place[axis] ?? 0) * (stride[axis] ?? 1) + step - (padding[axis] ?? 0)
      );
      const seen = replicates
        ? from.map((position, axis) => Math.min(Math.max(position, 0), (extents[axis] ?? 1) - 1))
        : from;
      if (seen.some((position, axis) => position < 0 || position >= (extents[axis] ?? 1))) continue;
      total += at(input, [image, ...seen, first + channel]) * at(weight, [filter, channel, ...tap]);
    }
    return total;
  });
}

function three(call: OpCall, name: string, fallback: number): readonly number[] {
  const [first = fallback, second = first, third = second] = call.integers(name) ?? [];
  return [first, second, third];
}
