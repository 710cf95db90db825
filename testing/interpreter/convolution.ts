// SPDX-License-Identifier: Apache-2.0
import { rowCount, volume } from "../../lib/layout/extents.ts";
import { attributeMap } from "../../lib/ir/mod.ts";
import { definitionOf } from "../../lib/ops/op_book.ts";
import { readPadding, type WindowPadding } from "../../lib/ops/sliding_window.ts";
import type { Meanings, OpCall } from "./op_call.ts";
import { activation } from "./elementwise.ts";
import { at, build, map, mean, type NumericTensor, permute, positions, reshape, sum } from "./tensor.ts";
import { roundUp } from "../../lib/layout/make_layout.ts";

/** Convolutions and pools over two-dimensional images. */
export const CONVOLUTION: Meanings = {
  "ttir.conv2d": (call) => restored(call, convolveImage(call, imageOf(call))),
  "ttnn.conv2d": (call) => flattened(activated(call, convolveImage(call, flatImage(call)))),
  "ttir.conv_transpose2d": (call) => restored(call, convolveTransposed(call, imageOf(call))),
  "ttnn.conv_transpose2d": (call) => flattened(activated(call, convolveTransposed(call, flatImage(call)))),
  "ttir.conv1d": (call) => reshape(convolveLine(call), call.resultShape()),
  "ttnn.conv1d": (call) => reshape(activated(call, convolveLine(call)), call.resultShape()),
  "ttir.max_pool2d": (call) => restored(call, pool(call, imageOf(call), "kernel", greatest)),
  "ttnn.max_pool2d": (call) => flattened(pool(call, flatImage(call), "kernel_size", greatest)),
  "ttir.avg_pool2d": (call) => restored(call, pool(call, imageOf(call), "kernel", mean)),
  "ttnn.avg_pool2d": (call) => flattened(pool(call, flatImage(call), "kernel_size", mean)),
  "ttir.global_avg_pool2d": globalAverage,
  "ttnn.global_avg_pool2d": globalAverage,
  "ttir.upsample2d": (call) => restored(call, upsample(call, imageOf(call))),
  "ttnn.upsample": (call) => upsample(call, call.operand(0)),
};

const greatest = (values: readonly number[]): number => Math.max(...values);

function orderOf(call: OpCall): readonly number[] {
  const named = ["batch_dim", "height_dim", "width_dim", "channel_dim"];
  return named.map((name, position) => call.integer(name, position));
}

/** The image as batch, height, width, channels. */
function imageOf(call: OpCall): NumericTensor {
  return permute(call.operand(0), orderOf(call));
}

/** The image that a TTNN op has flattened to `[1, 1, batch * height * width, channels]`. */
function flatImage(call: OpCall): NumericTensor {
  const input = call.operand(0);
  const extents = ["batch_size", "input_height", "input_width"].map((name) => call.integer(name));
  return reshape(input, [...extents, input.shape.at(-1) ?? 1]);
}

function restored(call: OpCall, image: NumericTensor): NumericTensor {
  const order = orderOf(call);
  return permute(image, order.map((_, dim) => order.indexOf(dim)));
}

function flattened(image: NumericTensor): NumericTensor {
  return reshape(image, [1, 1, rowCount(image.shape), image.shape.at(-1) ?? 1]);
}

function activated(call: OpCall, tensor: NumericTensor): NumericTensor {
  const name = /activation = <op_type = (\w+)/.exec(call.text("conv2d_config"))?.[1];
  return name === undefined ? tensor : map(tensor, activation(name));
}

function pair(call: OpCall, name: string, fallback: number): readonly [number, number] {
  const [first = fallback, second = first] = call.integers(name) ?? [];
  return [first, second];
}

/** TTIR lists top, left, bottom, right; what TTNN lists is a property of the op's definition. */
function paddingOf(call: OpCall): WindowPadding {
  const form = definitionOf(call.operation.name).window;
  if (form !== undefined) return readPadding({ attributes: attributeMap(call.module, call.operation) }, form);
  const [top = 0, left = top, bottom = top, right = left] = call.integers("padding") ?? [0];
  return { top, left, bottom, right };
}

/** The windows of a convolution, along each dimension of its image. */
interface ConvolutionWindows {
  readonly strides: readonly number[];
  readonly dilations: readonly number[];
  readonly padding: readonly (readonly [before: number, after: number])[];
  /** Whether the padding repeats the pixels at the border instead of zeros. */
  readonly replicates?: boolean;
}

/** Channels last; weights are `[out channels, in channels of a group, …]`. */
export function convolve(
  call: OpCall,
  image: NumericTensor,
  weight: NumericTensor,
  { strides, dilations, padding, replicates = false }: ConvolutionWindows,
  groups: number = call.integer("groups", 1),
): NumericTensor {
  const [batch = 1, ...extents] = image.shape.slice(0, -1);
  const [outChannels = 1, perGroup = 1, ...kernel] = weight.shape;
  if (image.shape.at(-1) !== perGroup * groups) throw call.fail("channels do not fit the weight");
  const along = extents.map((extent, axis) => {
    const [before, after] = padding[axis] ?? [0, 0];
    const [stride, dilation] = [strides[axis] ?? 1, dilations[axis] ?? 1];
    const reach = dilation * ((kernel[axis] ?? 1) - 1);
    const places = Math.floor((extent + before + after - reach - 1) / stride) + 1;
    return { extent, before, stride, dilation, places };
  });
  const bias = call.operands[2];
  const taps = [...positions([perGroup, ...kernel])];
  return build([batch, ...along.map(({ places }) => places), outChannels], ([n = 0, ...place]) => {
    const channel = place.at(-1) ?? 0;
    const first = Math.floor(channel / (outChannels / groups)) * perGroup;
    let total = bias?.data[channel] ?? 0;
    for (const [c = 0, ...tap] of taps) {
      const from = along.map(({ extent, before, stride, dilation }, axis) => {
        const position = (place[axis] ?? 0) * stride + (tap[axis] ?? 0) * dilation - before;
        return replicates ? Math.min(Math.max(position, 0), extent - 1) : position;
      });
      if (along.some(({ extent }, axis) => !((from[axis] ?? 0) >= 0 && (from[axis] ?? 0) < extent))) continue;
      total += at(image, [n, ...from, first + c]) * at(weight, [channel, c, ...tap]);
    }
    return total;
  });
}

function convolveImage(call: OpCall, image: NumericTensor): NumericTensor {
  const { top, left, bottom, right } = paddingOf(call);
  return convolve(call, image, call.operand(1), {
    strides: pair(call, "stride", 1),
    dilations: pair(call, "dilation", 1),
    padding: [[top, bottom], [left, right]],
  });
}

/** Weights are `[out, in of a group, length]`. */
function convolveLine(call: OpCall): NumericTensor {
  const one = (name: string): readonly number[] => call.integers(name) ?? [call.integer(name, 1)];
  const [before = 0, after = before] = call.integers("padding") ?? [];
  return convolve(call, call.operand(0), call.operand(1), {
    strides: one("stride"),
    dilations: one("dilation"),
    padding: [[before, after]],
  });
}

/** Weights are `[in channels, out channels of a group, height, width]`: every pixel is spread over a window. */
function convolveTransposed(call: OpCall, image: NumericTensor): NumericTensor {
  const weight = call.operand(1);
  const bias = call.operands[2];
  const [batch = 1, height = 1, width = 1, channels = 1] = image.shape;
  const [, perGroup = 1, kernelHeight = 1, kernelWidth = 1] = weight.shape;
  const groups = call.integer("groups", 1);
  const [stride, dilation, extra] = [
    pair(call, "stride", 1),
    pair(call, "dilation", 1),
    pair(call, "output_padding", 0),
  ];
  const { top, left, bottom, right } = paddingOf(call);
  const rows = (height - 1) * stride[0] - top - bottom + dilation[0] * (kernelHeight - 1) + extra[0] + 1;
  const columns = (width - 1) * stride[1] - left - right + dilation[1] * (kernelWidth - 1) + extra[1] + 1;
  const result = build(
    [batch, rows, columns, perGroup * groups],
    ([, , , channel = 0]) => bias?.data[channel] ?? 0,
  );
  for (const [n = 0, row = 0, column = 0, c = 0] of positions([batch, height, width, channels])) {
    const group = Math.floor(c / (channels / groups));
    for (const [out = 0, y = 0, x = 0] of positions([perGroup, kernelHeight, kernelWidth])) {
      const [toRow, toColumn] = [
        row * stride[0] + y * dilation[0] - top,
        column * stride[1] + x * dilation[1] - left,
      ];
      if (toRow < 0 || toRow >= rows || toColumn < 0 || toColumn >= columns) continue;
      const offset = ((n * rows + toRow) * columns + toColumn) * perGroup * groups + group * perGroup + out;
      result.data[offset] = (result.data[offset] ?? 0) +
        at(image, [n, row, column, c]) * at(weight, [c, out, y, x]);
    }
  }
  return result;
}

/** Windows see what lies in the image, zeros of the padding too when an average counts them. */
function pool(
  call: OpCall,
  image: NumericTensor,
  kernelName: string,
  fold: (values: readonly number[]) => number,
): NumericTensor {
  const [batch = 1, height = 1, width = 1, channels = 1] = image.shape;
  const kernel = pair(call, kernelName, 1);
  const [stride, dilation] = [pair(call, "stride", 1), pair(call, "dilation", 1)];
  const { top, left, bottom, right } = paddingOf(call);
  // Positions are counted one by one: each looks at the padded image, or begins in it where part of one counts.
  const count = (extent: number, before: number, after: number, axis: 0 | 1): number => {
    const reach = dilation[axis] * (kernel[axis] - 1) + 1;
    let positions = 0;
    for (let from = -before; from + reach <= extent + after; from += stride[axis]) positions++;
    const next = positions * stride[axis] - before;
    const isLeft = next - stride[axis] + reach < extent + after;
    return call.flag("ceil_mode") && isLeft && next < extent ? positions + 1 : positions;
  };
  const countsPadding = fold === mean && call.flag("count_include_pad", true);
  const rows = count(height, top, bottom, 0);
  const columns = count(width, left, right, 1);
  return build([batch, rows, columns, channels], ([n = 0, row = 0, column = 0, channel = 0]) => {
    const seen: number[] = [];
    for (const [y = 0, x = 0] of positions(kernel)) {
      const [fromRow, fromColumn] = [
        row * stride[0] + y * dilation[0] - top,
        column * stride[1] + x * dilation[1] - left,
      ];
      const inside = fromRow >= 0 && fromRow < height && fromColumn >= 0 && fromColumn < width;
      if (inside) seen.push(at(image, [n, fromRow, fromColumn, channel]));
      else if (countsPadding && fromRow < height + bottom && fromColumn < width + right) seen.push(0);
    }
    return fold(seen);
  });
}

function globalAverage(call: OpCall): NumericTensor {
  const [batch = 1, height = 1, width = 1, channels = 1] = call.operand(0).shape;
  const average = build(
    [batch, 1, 1, channels],
    ([n = 0, , , channel = 0]) =>
      sum(
        Array.from(positions([height, width]), ([y = 0, x = 0]) => at(call.operand(0), [n, y, x, channel])),
      ) /
      (height * width),
  );
  return reshape(average, call.resultShape());
}

/** Nearest neighbour. */
function upsample(call: OpCall, image: NumericTensor): NumericTensor {
  const [batch = 1, height = 1, width = 1, channels = 1] = image.shape;
  const [vertical, horizontal] = pair(call, "scale_factor", 1);
  const isBilinear = call.text("mode") === "bilinear";
  const samples = (place: number, factor: number, extent: number): readonly PixelShare[] =>
    isBilinear ? between(place, factor, extent) : [[Math.floor(place / factor), 1]];
  return build(
    [batch, height * vertical, width * horizontal, channels],
    ([n = 0, row = 0, column = 0, channel = 0]) =>
      sum(
        samples(row, vertical, height).flatMap(([y, share]) =>
          samples(column, horizontal, width).map(([x, part]) => share * part * at(image, [n, y, x, channel]))
        ),
      ),
  );
}

/** A pixel of one dimension, and its share of the result. */
type PixelShare = readonly [place: number, share: number];

/** The two pixels whose middles are nearest to that of a finer pixel; those at the edge go on beyond it. */
function between(place: number, factor: number, extent: number): readonly PixelShare[] {
  const middle = (place + 0.5) / factor - 0.5;
  const before = Math.floor(middle);
  const within = (pixel: number): number => Math.min(Math.max(pixel, 0), extent - 1);
  return [[within(before), before + 1 - middle], [within(before + 1), middle - before]];
}

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
