// SPDX-License-Identifier: Apache-2.0
import { inversePermutation, volume } from "../../layout/extents.ts";
import { COMPUTE_CONFIG } from "../../dialect/compute_config_text.ts";
import { roundUp } from "../../layout/make_layout.ts";
import type { FunctionLowering } from "../function_lowering.ts";
import { type LazyTensor, permuted, reshaped } from "../lazy_tensor.ts";
import type { LoweringRules } from "../lowering_rule.ts";
import type { TtirOp } from "../ttir_op.ts";
import { slice } from "./data_movement.ts";
import { padChannels, positionsOf } from "./image.ts";

/** Convolutions over three spatial dimensions. */
export const CONVOLUTION_3D: LoweringRules = {
  "ttir.conv3d": { lower: conv3d },
};

/** A convolution over volumes. */
export interface VolumeConvolution {
  /** `[batch, depth, height, width, channels]`. */
  readonly input: LazyTensor;
  /** `[out, in of a group, depth, height, width]`. */
  readonly weight: LazyTensor;
  readonly bias: LazyTensor | undefined;
  readonly stride: readonly number[];
  /** Per dimension, alike on both sides. */
  readonly padding: readonly number[];
  /** As the source spells it. */
  readonly paddingMode: string;
  readonly groups: number;
}

/** Roles of the dimensions: batch, depth, height, width, channels; in this order by default. */
const ROLES = ["batch_dim", "depth_dim", "height_dim", "width_dim", "channel_dim"] as const;

function conv3d(op: TtirOp, f: FunctionLowering): void {
  const order = ROLES.map((name, at) => op.dimension(op.integer(name) ?? at, ROLES.length));
  if (new Set(order).size < ROLES.length) {
    throw op.error("each dimension must have one role", "attribute");
  }
  const three = (name: string, fallback: number): readonly number[] => {
    const values = op.integers(name) ?? [fallback];
    return values.length === 1 ? [0, 1, 2].map(() => values[0] ?? fallback) : values;
  };
  const input = f.operand(op, 0);
  if (input.shape.length !== ROLES.length) {
    throw op.error(`its input has rank ${input.shape.length}, expected ${ROLES.length}`, "shape");
  }
  const result = convolved3d(op, f, {
    input: permuted(input, order),
    weight: f.operand(op, 1),
    bias: op.operands.length > 2 ? f.operand(op, 2) : undefined,
    stride: three("stride", 1),
    padding: three("padding", 0),
    paddingMode: op.attributeText("padding_mode") ?? '"zeros"',
    groups: op.integer("groups") ?? 1,
  });
  const inPlace = permuted(result, inversePermutation(order));
  op.expectShape(inPlace.shape);
  f.defineResult(op, inPlace);
}

/**
 * Lowers a 3D convolution, channels last; one of a single group without padding is a matmul if it is pointwise or its
 * kernel covers the input (tt-mlir `Conv3dPointwiseToLinearPattern` and its counterpart for patches).
 */
export function convolved3d(op: TtirOp, f: FunctionLowering, convolution: VolumeConvolution): LazyTensor {
  const { input, weight, stride, padding, groups } = convolution;
  const [batch = 1, ...rest] = input.shape;
  const [extents, channels = 1] = [rest.slice(0, 3), rest.at(-1)];
  const [outChannels = 1, perGroup = 1, ...kernel] = weight.shape;
  if (channels !== perGroup * groups) {
    throw op.error(`its input has ${channels} channels, its weight is for ${perGroup * groups}`, "shape");
  }
  const positions = extents.map((extent, axis) => {
    const around = padding[axis] ?? 0;
    const window = { kernel: kernel[axis] ?? 1, stride: stride[axis] ?? 1, dilation: 1 };
    return positionsOf(op, extent, { ...window, padding: [around, around] });
  });
  const shape = [batch, ...positions, outChannels];
  if (groups === 1 && padding.every((amount) => amount === 0)) {
    const isPointwise = [...kernel, ...stride].every((extent) => extent === 1);
    const isWhole = kernel.every((extent, axis) => extent === extents[axis]);
    if (isPointwise) return reshaped(product(op, f, convolution, input), shape);
    if (isWhole) return reshaped(product(op, f, convolution, permuted(input, [0, 4, 1, 2, 3])), shape);
  }
  return writtenConvolution(op, f, convolution, shape);
}

/** Input rows, one element per weight of an output channel, times the weights. */
function product(
  op: TtirOp,
  f: FunctionLowering,
  { weight, bias }: VolumeConvolution,
  input: LazyTensor,
): LazyTensor {
  const [outChannels = 1, ...perOutput] = weight.shape;
  const inner = volume(perOutput);
  const rows = volume(input.shape) / inner;
  const operands = [reshaped(input, [rows, inner]), reshaped(weight, [outChannels, inner])];
  if (bias !== undefined) operands.push(reshaped(bias, [outChannels]));
  const type = { shape: [rows, outChannels], element: op.resultType().element };
  return f.apply(bias === undefined ? "matmul" : "linear", operands, type, {
    transpose_a: false,
    transpose_b: true,
  });
}

/** `ttnn.conv3d`: row-major input and result, weights in tiles. */
function writtenConvolution(
  op: TtirOp,
  f: FunctionLowering,
  { input, weight, bias, stride, padding, paddingMode, groups }: VolumeConvolution,
  shape: readonly number[],
): LazyTensor {
  const [batch = 1, depth = 1, height = 1, width = 1] = input.shape;
  const [outChannels = 1, perGroup = 1, ...kernel] = weight.shape;
  // Weights of groups are filled up with zeros to those of one: all channels together are aligned.
  const aligned = roundUp(perGroup * groups, 32);
  const { rows, columns } = f.chip.workerGrid;
  // Each block of input channels has cores of its own (`tt-metal:conv3d`).
  let block = 32;
  while (aligned % block !== 0 || aligned / block > rows * columns) block += 32;
  const rowMajor = { place: { rowMajor: true } };
  const weightRows = { shape: [aligned * volume(kernel), outChannels], element: weight.element };
  const prepared = f.apply("prepare_conv3d_weights", [f.host(weight), f.device()], weightRows, {
    alignment: 32,
    c_in_block: block,
    groups,
  }, rowMajor);
  // Rows of the result are as long as whole tiles, which ttnn forgets when it joins batches (`ttnn:backend-0-81-1`).
  const written = batch > 1 ? roundUp(outChannels, 32) : outChannels;
  const operands = [f.rowMajor(padChannels(f, input, aligned)), f.tile(padChannels(f, prepared, written))];
  if (bias !== undefined) operands.push(f.tile(padChannels(f, reshaped(bias, [1, outChannels]), written)));
  const type = { shape: shape.with(-1, written), element: op.resultType().element };
  const result = f.apply("conv3d", [...operands, f.device()], type, {
    batch_size: batch,
    compute_config: COMPUTE_CONFIG,
    conv3d_config:
      "#ttnn.conv3d_config<t_out_block = 1, w_out_block = 1, h_out_block = 1, c_out_block = 32, " +
      `c_in_block = ${block}, compute_with_storage_grid_size = #ttcore.grid<${rows}x${columns}>>`,
    // The kernel takes what is left to divide: zeros of its weights keep groups apart.
    groups: aligned % groups === 0 ? groups : 1,
    in_channels: aligned,
    input_depth: depth,
    input_height: height,
    input_width: width,
    kernel_size: kernel,
    out_channels: written,
    padding,
    padding_mode: paddingMode,
    stride,
  }, rowMajor);
  if (written === outChannels) return result;
  return slice(op, f, result, { ends: shape });
}
