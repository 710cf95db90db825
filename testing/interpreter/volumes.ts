// SPDX-License-Identifier: Apache-2.0
import { roundUp } from "../../lib/layout/make_layout.ts";
import { volume } from "../../lib/layout/extents.ts";
import type { Meanings, OpCall } from "./op_call.ts";
import { convolve } from "./convolution.ts";
import { at, build, type NumericTensor, permute, reshape } from "./tensor.ts";

/** Convolutions over volumes, and the order in which their kernel takes weights (`tt-metal:conv3d`). */
export const VOLUMES: Meanings = {
  "ttir.conv3d": (call) => {
    const order = ROLES.map((name, position) => call.integer(name, position));
    const result = convolveVolume(call, permute(call.operand(0), order), call.operand(1));
    return permute(result, order.map((_, dim) => order.indexOf(dim)));
  },
  "ttnn.prepare_conv3d_weights": prepare,
  "ttnn.conv3d": (call) => {
    const input = call.operand(0);
    const kernel = call.integers("kernel_size") ?? [];
    const channels = input.shape.at(-1) ?? 1;
    const block = Number(/c_in_block = (\d+)/.exec(call.text("conv3d_config"))?.[1] ?? 32);
    const shape = [call.integer("out_channels"), channels, ...kernel];
    return convolveVolume(call, input, unprepared(call.operand(1), shape, block), 1);
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

/** Weights are `[out, in of a group, depth, height, width]`. */
function convolveVolume(
  call: OpCall,
  input: NumericTensor,
  weight: NumericTensor,
  groups?: number,
): NumericTensor {
  return convolve(call, input, weight, {
    strides: three(call, "stride", 1),
    dilations: [],
    padding: three(call, "padding", 0).map((around) => [around, around]),
    replicates: call.text("padding_mode").includes("replicate"),
  }, groups);
}

function three(call: OpCall, name: string, fallback: number): readonly number[] {
  const [first = fallback, second = first, third = second] = call.integers(name) ?? [];
  return [first, second, third];
}
