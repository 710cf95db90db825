// SPDX-License-Identifier: Apache-2.0
import { volume } from "../../layout/extents.ts";
import { writtenPadding } from "../../ops/op_windows.ts";
import type { WindowPadding } from "../../ops/sliding_window.ts";
import type { TtnnValue } from "../../ttnn/value.ts";
import type { FunctionLowering } from "../function_lowering.ts";
import { type LazyTensor, reshaped } from "../lazy_tensor.ts";
import { COMPUTE_CONFIG } from "../../dialect/compute_config_text.ts";
import type { LoweringRules } from "../lowering_rule.ts";
import type { Properties } from "../../ttnn/op.ts";
import type { TtirOp } from "../ttir_op.ts";
import {
  type FlatImage,
  type ImageAxes,
  imageAxes,
  imageOf,
  paddingOf,
  pair,
  positionsOf,
  restoreImage,
  windowPair,
} from "./image.ts";

export const CONVOLUTION: LoweringRules = {
  "ttir.conv2d": { lower: conv2d },
  "ttir.conv_transpose2d": { lower: convTranspose2d },
  "ttir.conv1d": { lower: conv1d },
};

const CONV2D_CONFIG =
  "#ttnn.conv2d_config<enable_kernel_stride_folding = false, config_tensors_in_dram = true>";

/** A convolution over a flattened image, from any of the ops. */
export interface Convolution {
  readonly image: FlatImage;
  /** `[out, in of a group, height, width]`; a transposed convolution has `[in, out of a group, height, width]`. */
  readonly weight: LazyTensor;
  readonly bias?: LazyTensor;
  readonly stride: readonly [number, number];
  readonly padding: WindowPadding;
  readonly dilation: readonly [number, number];
  readonly groups: number;
}

/** Attributes common to `ttir.conv2d` and `ttir.conv_transpose2d`. */
function convolutionOf(op: TtirOp, f: FunctionLowering, axes: ImageAxes): Convolution {
  return {
    image: imageOf(op, f.operand(op, 0), axes),
    weight: f.operand(op, 1),
    ...(op.operands.length > 2 ? { bias: f.operand(op, 2) } : {}),
    stride: windowPair(op, "stride"),
    padding: paddingOf(op),
    dilation: windowPair(op, "dilation"),
    groups: op.integer("groups") ?? 1,
  };
}

function conv2d(op: TtirOp, f: FunctionLowering): void {
  const axes = imageAxes(op);
  f.defineResult(op, restoreImage(op, convolved(op, f, convolutionOf(op, f, axes)), axes));
}

/** Writes a `ttnn.conv2d`. */
export function convolved(op: TtirOp, f: FunctionLowering, convolution: Convolution): FlatImage {
  const { image, weight, stride, dilation } = convolution;
  const [channels = 1, perGroup = 1, kernelHeight = 1, kernelWidth = 1] = weight.shape;
  expectChannels(op, image.channels, perGroup * convolution.groups);
  const { top, left, bottom, right } = convolution.padding;
  const vertical = { kernel: kernelHeight, stride: stride[0], dilation: dilation[0] };
  const horizontal = { kernel: kernelWidth, stride: stride[1], dilation: dilation[1] };
  const height = positionsOf(op, image.height, { ...vertical, padding: [top, bottom] });
  const width = positionsOf(op, image.width, { ...horizontal, padding: [left, right] });
  return applyConvolution(op, f, convolution, {
    name: "conv2d",
    output: { height, width, channels },
    properties: { padding: writtenPadding("ttnn.conv2d", convolution.padding) },
  });
}

/** @throws {DiagnosticError} when the weight is for another number of input channels */
function expectChannels(op: TtirOp, channels: number, expected: number): void {
  if (channels === expected) return;
  throw op.error(`its input has ${channels} channels, its weight is for ${expected}`, "shape");
}

/** The differences between a convolution and a transposed one. */
interface Direction {
  readonly name: "conv2d" | "conv_transpose2d";
  readonly output: Pick<FlatImage, "height" | "width" | "channels">;
  /** Properties that the other direction does not have or spells differently. */
  readonly properties: Properties;
}

/** The op over the flattened image, with the properties of both directions. */
function applyConvolution(
  op: TtirOp,
  f: FunctionLowering,
  { image, weight, bias, stride, dilation, groups }: Convolution,
  { name, output, properties }: Direction,
): FlatImage {
  const { channels } = output;
  const operands: TtnnValue[] = [f.onDevice(image.flat), f.host(weight)];
  if (bias !== undefined) operands.push(f.host(reshaped(bias, [1, 1, 1, channels])));
  const shape = [1, 1, image.batch * output.height * output.width, channels];
  const { element } = op.resultType();
  const flat = f.apply(name, [...operands, f.device()], { shape, element }, {
    ...properties,
    batch_size: image.batch,
    compute_config: COMPUTE_CONFIG,
    conv2d_config: CONV2D_CONFIG,
    dilation,
    groups,
    in_channels: image.channels,
    input_height: image.height,
    input_width: image.width,
    kernel_size: weight.shape.slice(2),
    out_channels: channels,
    stride,
  });
  return { ...image, ...output, flat };
}

function convTranspose2d(op: TtirOp, f: FunctionLowering): void {
  const axes = imageAxes(op);
  const convolution = convolutionOf(op, f, axes);
  const image = convolvedTransposed(op, f, convolution, pair(op, "output_padding", 0));
  f.defineResult(op, restoreImage(op, image, axes));
}

/**
 * Writes a `ttnn.conv_transpose2d`. The kernel pads both sides alike.
 *
 * @param outputPadding rows and columns more at the bottom and on the right
 */
export function convolvedTransposed(
  op: TtirOp,
  f: FunctionLowering,
  convolution: Convolution,
  outputPadding: readonly [number, number],
): FlatImage {
  const { image, weight, stride, dilation, groups } = convolution;
  const [inChannels = 1, perGroup = 1, kernelHeight = 1, kernelWidth = 1] = weight.shape;
  expectChannels(op, image.channels, inChannels);
  const { top, left, bottom, right } = convolution.padding;
  if (top !== bottom || left !== right) {
    throw op.error("padding differs between the two sides of a dimension");
  }
  const height = (image.height - 1) * stride[0] - 2 * top + dilation[0] * (kernelHeight - 1) +
    outputPadding[0] + 1;
  const width = (image.width - 1) * stride[1] - 2 * left + dilation[1] * (kernelWidth - 1) +
    outputPadding[1] + 1;
  const output = { height, width, channels: perGroup * groups };
  return applyConvolution(op, f, convolution, {
    name: "conv_transpose2d",
    output,
    properties: {
      output_padding: outputPadding,
      padding: writtenPadding("ttnn.conv_transpose2d", convolution.padding),
    },
  });
}

/** `[batch, length, channels]`. */
function conv1d(op: TtirOp, f: FunctionLowering): void {
  const { shape, element } = op.resultType();
  const input = f.operand(op, 0);
  const weight = f.operand(op, 1);
  const [batch = 1, length = 1, channels = 1] = input.shape;
  const [outChannels = 1, perGroup = 1, kernel = 1] = weight.shape;
  const groups = op.integer("groups") ?? 1;
  expectChannels(op, channels, perGroup * groups);
  const one = (name: string, fallback: number): number => op.integers(name)?.[0] ?? fallback;
  const padding = op.integers("padding") ?? [0];
  const [before = 0, after = before] = padding;
  const operands: TtnnValue[] = [f.rowMajor(input), f.host(weight)];
  if (op.operands.length > 2) operands.push(f.host(reshaped(f.operand(op, 2), [1, 1, 1, outChannels])));
  const flat = { shape: [1, 1, volume(shape) / outChannels, outChannels], element };
  const output = f.apply("conv1d", [...operands, f.device()], flat, {
    batch_size: batch,
    compute_config: COMPUTE_CONFIG,
    conv2d_config: "#ttnn.conv2d_config<config_tensors_in_dram = false>",
    dilation: one("dilation", 1),
    groups,
    in_channels: channels,
    input_length: length,
    kernel_size: kernel,
    out_channels: outChannels,
    padding: [before, after],
    stride: one("stride", 1),
  });
  f.defineResult(op, reshaped(output, shape));
}
