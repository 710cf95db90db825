// SPDX-License-Identifier: Apache-2.0
import { type ChipDescription, type KernelArchitecture, kernelsOf } from "../../device/chip_description.ts";
import type { DataType } from "../../layout/data_type.ts";
import { roundUp } from "../../layout/make_layout.ts";
import { computeConfigInUse, type ComputeDefaults } from "../../op_config/default_compute_config.ts";
import type { ComputeKernelConfig, Conv2dConfig } from "../../op_config/op_config.ts";
import { isLinePerChannel, isPointwise, type SlidingWindow } from "../../ops/sliding_window.ts";
import { chooseSubblock, subblockRegisterTiles } from "../matmul/matmul_blocking.ts";
import { outputConfig, type ParallelConfig } from "../sliding_window/parallel_config.ts";
import { outputPixels } from "../sliding_window/sliding_window.ts";

/** A 2D convolution, without the placement of its tensors. */
export interface ConvolutionWork {
  readonly window: SlidingWindow;
  readonly transposed: boolean;
  readonly config: Conv2dConfig;
  readonly compute: ComputeKernelConfig | undefined;
  /** Element formats; for weights the prepared format. */
  readonly inputType: DataType;
  readonly weightType: DataType;
  readonly outType: DataType;
  readonly hasBias: boolean;
  readonly chip: ChipDescription;
}

/** Blocking of a core's share of a convolution. In tiles unless stated otherwise. */
export interface ConvolutionBlocks {
  /** Result of a core. */
  readonly outHeight: number;
  readonly outWidth: number;
  /** Activation block. */
  readonly blockHeight: number;
  readonly blockWidth: number;
  /** Padded input channels of all cores together. */
  readonly channels: number;
  /** Shard of the result `[rows, columns]` in elements. */
  readonly outShard: readonly [number, number];
}

/**
 * Alignment of the channels per core, from the page size that the kernel reads (tt-metal:conv2d).
 *
 * @param inTiles whether it reads tiles, as a matmul does
 * @param shardWidth channels per shard of an operand that is read in place; `undefined` for shards that are created
 */
export function channelAlignment(
  kind: ParallelConfig["kind"] | "interleaved",
  inTiles: boolean,
  shardWidth?: number,
): 8 | 16 | 32 {
  if (inTiles || kind === "width_sharded") return 32;
  if (shardWidth === undefined) return 8;
  if (shardWidth % 32 === 0) return 32;
  if (shardWidth % 16 === 0) return 16;
  return shardWidth % 8 === 0 ? 8 : 32;
}

/** Whether a convolution runs as a matmul: a 1x1 window, unless the channels alone are distributed. */
export function runsAsMatmul({ window, config }: Pick<ConvolutionWork, "window" | "config">): boolean {
  return isPointwise(window) && config.shardLayout !== "width_sharded";
}

/** Whether it is a depthwise 1D convolution, which has its own kernel. */
export function isDepthwiseLine({ window, hasBias }: Pick<ConvolutionWork, "window" | "hasBias">): boolean {
  return isLinePerChannel(window) && !hasBias;
}

/** Bytes that one read of the NoC moves at most (`ttnn:backend-0-81-1`). */
const LONGEST_READ: Readonly<Record<KernelArchitecture, number>> = { wormhole_b0: 8192, blackhole: 16384 };

/**
 * Whether that kernel processes window taps one by one, on height shards: if one read does not gather a window's taps as
 * whole tiles, because it is longer or dilated, or channels do not fill tiles (`ttnn:backend-0-81-1`).
 *
 * @param channels padded input channels of a core
 */
export function isTapwise(
  work: Pick<ConvolutionWork, "window" | "hasBias" | "inputType" | "chip">,
  kind: ParallelConfig["kind"],
  channels: number,
): boolean {
  const bytes = channels * work.window.kernelWidth * (stickType(work.inputType) === "f32" ? 4 : 2);
  const isWhole = work.window.dilationWidth === 1 && channels % 32 === 0 &&
    bytes <= LONGEST_READ[kernelsOf(work.chip.architecture)];
  return kind === "height_sharded" && isDepthwiseLine(work) && !isWhole;
}

/** The compute config of a convolution, including the backend's default. */
export function computeOf(
  { compute, inputType, weightType, outType, chip }: ConvolutionWork,
): ComputeDefaults {
  const inUse = computeConfigInUse(compute, {
    op: "ttnn.conv2d",
    operands: [inputType, weightType],
    result: outType,
    architecture: chip.architecture,
  });
  if (inUse === undefined) throw new RangeError("convolutions have a default compute config");
  return inUse;
}

/** Format of the sticks that a kernel gathers. */
export function stickType(input: DataType): DataType {
  return input === "f32" ? "f32" : "bf16";
}

/**
 * Blocks of a convolution on these cores. The contracted extent is split by kernel rows, except for width
 * sharding and if the config requests it whole.
 */
export function convolutionBlocks(
  work: ConvolutionWork,
  input: ParallelConfig,
  output: ParallelConfig,
  channels: number,
): ConvolutionBlocks {
  const { window, config } = work;
  const pixels = outputPixels(window);
  const rows = input.kind === "width_sharded" ? pixels : roundUp(pixels, output.rows * 32) / output.rows;
  const columns = roundUp(window.outChannels, output.columns * 32) / output.columns;
  const outHeight = Math.ceil(rows / 32);
  return {
    outHeight,
    outWidth: columns / 32,
    blockHeight: blockHeight(config.actBlockHOverride ?? 0, rows, outHeight),
    blockWidth: blockWidth(work, input, channels),
    channels,
    outShard: [input.kind === "width_sharded" ? outHeight * 32 : rows, columns],
  };
}

/** Height of an activation block: the core's full height, or its largest divisor up to the configured one. */
function blockHeight(override: number, rows: number, outHeight: number): number {
  const wished = Math.floor(override / 32);
  if (wished === 0) return outHeight;
  const whole = Math.floor(rows / 32);
  for (let height = wished; height > 1; height--) if (whole % height === 0) return height;
  return 1;
}

function blockWidth(work: ConvolutionWork, { kind, columns }: ParallelConfig, channels: number): number {
  const { kernelHeight, kernelWidth } = work.window;
  switch (kind) {
    case "height_sharded":
      return Math.ceil(channels * (isTapwise(work, kind, channels) ? 1 : kernelWidth) / 32);
    case "block_sharded":
      return Math.ceil(channels / columns * kernelWidth / 32) *
        (work.config.fullInnerDim === true ? kernelHeight : 1);
    case "width_sharded":
      return Math.floor(
        channels * kernelHeight * kernelWidth / (columns * Math.max(1, work.config.actBlockWDiv ?? 1)) / 32,
      );
  }
}

/** Extent `[rows, columns]` in elements of the weights that a convolution on these cores reads. */
export type WeightsExtent = readonly [rows: number, columns: number];

/**
 * Extent of weights prepared for these cores: a kernel row of a core's channels is padded to whole tiles; for
 * width sharding all kernel rows together (`ttnn:backend-0-81-1`).
 *
 * @param channels padded input channels
 */
export function preparedExtent(
  work: Pick<ConvolutionWork, "window" | "config">,
  input: ParallelConfig,
  output: ParallelConfig,
  channels: number,
): WeightsExtent {
  const { kernelHeight, kernelWidth, outChannels } = work.window;
  const columns = roundUp(outChannels, output.columns * 32);
  if (runsAsMatmul(work)) return [roundUp(channels, 32), columns];
  switch (input.kind) {
    case "height_sharded":
      return [roundUp(channels * kernelWidth, 32) * kernelHeight, columns];
    case "block_sharded":
      return [roundUp(channels / input.columns * kernelWidth, 32) * input.columns * kernelHeight, columns];
    case "width_sharded":
      return [channels * kernelHeight * kernelWidth, columns];
  }
}

/** Output subblock: as wide as the block, or one row high (tt-metal:conv2d). */
export function convolutionSubblock(
  work: ConvolutionWork,
  { blockHeight, outWidth }: Pick<ConvolutionBlocks, "blockHeight" | "outWidth">,
): readonly [height: number, width: number] {
  const tiles = subblockRegisterTiles(computeOf(work));
  const { height, width } = chooseSubblock(blockHeight, outWidth, tiles, "whole_width");
  return [height, width];
}

/** The cores of a result, given those of the activation. */
export function resultConfig(work: ConvolutionWork, input: ParallelConfig): ParallelConfig {
  return outputConfig(input, work.window.outChannels, runsAsMatmul(work), work.chip);
}
