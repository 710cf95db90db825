// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../device/chip_description.ts";
import { type DataType, tileBytes } from "../layout/data_type.ts";
import { roundUp } from "../layout/make_layout.ts";
import { computeConfigInUse, type ComputeDefaults } from "../op_config/default_compute_config.ts";
import type { ComputeKernelConfig, Conv2dConfig } from "../op_config/op_config.ts";
import { isPointwise, type SlidingWindow } from "../ops/sliding_window.ts";
import type { CircularBuffer } from "./circular_buffer.ts";
import { outputConfig, type ParallelConfig } from "./parallel_config.ts";
import { outputPixels } from "./sliding_window.ts";
import { readersShareWindows } from "./split_reader.ts";

/** A 2D convolution, apart from where its tensors lie. */
export interface ConvolutionWork {
  readonly window: SlidingWindow;
  readonly transposed: boolean;
  readonly config: Conv2dConfig;
  readonly compute: ComputeKernelConfig | undefined;
  /** Element formats; that of the weights is what they are prepared in. */
  readonly inputType: DataType;
  readonly weightType: DataType;
  readonly outType: DataType;
  readonly hasBias: boolean;
  readonly chip: ChipDescription;
}

/** Why the backend refuses a convolution: the name of the rule without its family, and what is wrong. */
export interface Refused {
  readonly refused: string;
  readonly reason: string;
}

/** Builds a refusal. */
export function refused(rule: string, reason: string): Refused {
  return { refused: rule, reason };
}

/** Whether the backend refuses. */
export function isRefused(value: object): value is Refused {
  return "refused" in value;
}

/** How a core of a convolution cuts its work. Tiles unless they say otherwise. */
export interface ConvolutionBlocks {
  /** Result of a core. */
  readonly outHeight: number;
  readonly outWidth: number;
  /** Activation block. */
  readonly blockHeight: number;
  readonly blockWidth: number;
  /** Channels of the input with their padding, of all cores together. */
  readonly channels: number;
  /** Shard of the result `[rows, columns]` in elements. */
  readonly outShard: readonly [number, number];
}

/** Channels of one core's share are a multiple of this: of the pages that the kernel reads (tt-metal:conv2d). */
export function channelAlignment(
  { kind, tiled, isMatmul, shardWidth }: {
    readonly kind: ParallelConfig["kind"] | "interleaved";
    readonly tiled: boolean;
    readonly isMatmul: boolean;
    /** Elements of a shard of the operand that is read in place; `undefined` for shards that are made. */
    readonly shardWidth?: number;
  },
): 8 | 16 | 32 {
  if (tiled || isMatmul || kind === "width_sharded") return 32;
  if (shardWidth === undefined) return 8;
  if (shardWidth % 32 === 0) return 32;
  if (shardWidth % 16 === 0) return 16;
  return shardWidth % 8 === 0 ? 8 : 32;
}

/** Whether a convolution runs as a matmul: every pixel by itself, unless channels alone are to be spread. */
export function runsAsMatmul({ window, config }: Pick<ConvolutionWork, "window" | "config">): boolean {
  return isPointwise(window) && config.shardLayout !== "width_sharded";
}

/** Whether rows need less channel padding than tiles. */
export function padsFewerInRows(window: SlidingWindow): boolean {
  return !isPointwise(window) && roundUp(window.inChannels, 8) < roundUp(window.inChannels, 32);
}

/** Whether it is a depthwise convolution along a line, which has a kernel of its own. */
export function isDepthwiseLine({ window, hasBias }: Pick<ConvolutionWork, "window" | "hasBias">): boolean {
  return window.groups === window.inChannels && window.groups === window.outChannels &&
    window.kernelHeight === 1 && window.inputHeight === 1 && !hasBias;
}

/** The compute config that a convolution runs with, the backend's default included. */
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
 * Blocks of a convolution on these cores. The contracted extent is cut by the rows of the kernel, but for width sharding
 * and where the config asks for all of it.
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

/** Height of an activation block: the whole core's, or the largest divisor of it up to the wished one. */
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
      return Math.ceil(channels * kernelWidth / 32);
    case "block_sharded":
      return Math.ceil(channels / columns * kernelWidth / 32);
    case "width_sharded":
      return Math.floor(
        Math.floor(
          channels * kernelHeight * kernelWidth / (columns * Math.max(1, work.config.actBlockWDiv ?? 1)),
        ) / 32,
      );
  }
}

/** Extent `[rows, columns]` in elements of weights as a convolution on these cores reads them. */
export type WeightsExtent = readonly [rows: number, columns: number];

/**
 * Extent of the weights that are prepared for these cores: a kernel row of a core's channels is padded to whole tiles,
 * with width sharding all rows at once (`ttnn-0.81.1`).
 *
 * @param channels of the input with their padding
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

/** Heights and widths of subblocks in the order in which the backend tries them (tt-metal:conv2d). */
const SUBBLOCKS = [
  [2, 4],
  [4, 2],
  [1, 8],
  [8, 1],
  [1, 7],
  [7, 1],
  [2, 3],
  [3, 2],
  [1, 6],
  [6, 1],
  [1, 5],
  [5, 1],
  [2, 2],
  [1, 4],
  [4, 1],
  [1, 3],
  [3, 1],
  [1, 2],
  [2, 1],
] as const;

/** Subblock of the destination register: it fills the block's width or has one row. */
export function convolutionSubblock(
  work: ConvolutionWork,
  { blockHeight, outWidth }: Pick<ConvolutionBlocks, "blockHeight" | "outWidth">,
): readonly [height: number, width: number] {
  const most = computeOf(work).fp32DestAccEn ? 4 : 8;
  return SUBBLOCKS.find(([height, width]) =>
    height * width <= most && blockHeight % height === 0 && outWidth % width === 0 &&
    (width === outWidth || height === 1)
  ) ?? [1, 1];
}

/** How a convolution's kernel is fed, beside its blocks. */
export interface KernelFeed {
  readonly input: ParallelConfig;
  readonly output: ParallelConfig;
  readonly blocks: ConvolutionBlocks;
  /** Extent of the weights that it is given. */
  readonly weights: WeightsExtent;
  /** Whether one core has all channels, so that no activations are multicast. */
  readonly isAlone: boolean;
  /** Bytes of the readers' table in DRAM, of which a buffer holds a copy; `undefined` where it lies in L1_SMALL. */
  readonly indexBytes: number | undefined;
}

/** Rows of tiles of an activation block that the first and the second reader take; the second is 0 without one. */
export function readerShares(
  work: ConvolutionWork,
  { input, blocks }: Pick<KernelFeed, "input" | "blocks">,
): readonly [number, number] | Refused {
  const { window } = work;
  const { blockHeight, blockWidth, outWidth } = blocks;
  if (input.kind === "width_sharded" || isDepthwiseLine(work) || blockHeight <= 1) return [blockHeight, 0];
  const shared = input.kind === "block_sharded" || readersShareWindows({
    block: [blockHeight, blockWidth],
    channels: blocks.channels,
    kernelWidth: window.kernelWidth,
    dilationWidth: window.dilationWidth,
    inputType: work.inputType,
    outType: work.outType,
    accumulatesInF32: computeOf(work).fp32DestAccEn,
    weightTileBytes: tileBytes(work.weightType),
    weightTiles: outWidth * blockWidth,
  }, work.chip.architecture);
  if (shared === undefined) {
    return refused("result-format", `a height-sharded convolution cannot make ${work.outType}`);
  }
  const second = shared ? Math.floor(blockHeight / 2) : 0;
  return [blockHeight - second, second];
}

/**
 * Circular buffers of the convolution kernel that no tensor backs, bytes per core, in the order of the trace
 * (`ttnn-0.81.1`): blocks of weights, partial results where they cannot lie in the result, activations as gathered and
 * as tiles, bias, rows on their way to other cores, the readers' table, scratch.
 */
export function convolutionBuffers(
  work: ConvolutionWork,
  feed: KernelFeed,
): readonly CircularBuffer[] | Refused {
  const { window, config, outType, weightType, inputType, hasBias } = work;
  const { input, blocks, isAlone } = feed;
  const { outHeight, outWidth, blockHeight, blockWidth } = blocks;
  const shares = readerShares(work, feed);
  if (isRefused(shares)) return shares;
  const isLine = isDepthwiseLine(work);
  const sticks = tileBytes(stickType(inputType));
  const [weightTile, outTile] = [tileBytes(weightType), tileBytes(outType)];
  const partialTile = partialTileBytes(work, feed);
  const byHeight = input.kind === "height_sharded";
  const isBlock = input.kind === "block_sharded";
  // Rows and tiles of one format share a buffer where activations are multicast.
  const shared = isBlock && stickType(inputType) === outType && !isAlone;
  const copies = config.enableActDoubleBuffer === true ? 2 : 1;
  const [first, second] = [shares[0] * blockWidth * copies, shares[1] * blockWidth * copies];
  const activations = byHeight ? first * sticks : isAlone ? 0 : (first + second) * outTile;
  const rows = input.kind === "width_sharded" ? 2 * blockWidth : isBlock ? first : 0;
  if (!isLine && blockHeight > outHeight) {
    return refused(
      "act-block-h",
      `act_block_h_override ${config.actBlockHOverride} is more than the ${outHeight * 32} rows of a core`,
    );
  }
  const buffer = (name: string, bytes: number): CircularBuffer => ({ name, bytes, kind: "circular" });
  return [
    buffer(
      "weights",
      outWidth * (isLine ? blockHeight * (byHeight ? window.kernelWidth : 1) : blockWidth) *
        weightCopies(work, feed) * weightTile,
    ),
    buffer(
      "partials",
      isLine || (config.outputLayout !== "row_major" && partialTile === outTile)
        ? 0
        : blockHeight * outWidth * partialTile,
    ),
    buffer("activation", activations),
    buffer("activation_second_reader", shared ? 0 : second * sticks),
    buffer("activation_tilized", blockHeight * blockWidth * outTile),
    buffer("bias", hasBias ? outWidth * weightTile : 0),
    buffer("activation_rows", shared ? 0 : rows * sticks),
    buffer("reader_indices", feed.indexBytes ?? 0),
    buffer("scratch", SCRATCH_BYTES),
  ].filter(({ bytes }) => bytes > 0);
}

const SCRATCH_BYTES = 64;

/** Bytes per row of tiles of a core's result that the backend foresees for the readers' table. */
export const INDEX_BYTES_PER_TILE = 64;

/** Blocks of weights that a core holds: those of all kernel rows where several blocks of rows need them. */
function weightCopies({ window, config }: ConvolutionWork, { input, blocks }: KernelFeed): number {
  const several = Math.floor(blocks.outHeight / blocks.blockHeight) > 1;
  if (input.kind === "height_sharded" && several) return window.kernelHeight;
  return config.enableWeightsDoubleBuffer === true ? 2 : 1;
}

/** Bytes of a tile of partial results: of the result's format, unless the packer accumulates several blocks in L1. */
function partialTileBytes(work: ConvolutionWork, { input, blocks, weights }: KernelFeed): number {
  const { hasBias, outType } = work;
  const { packerL1Acc, fp32DestAccEn } = computeOf(work);
  const deep = Math.floor(weights[0] / 32 / Math.max(1, blocks.blockWidth));
  const count = input.kind === "block_sharded" ? deep * Math.floor(weights[1] / 32 / blocks.outWidth) : deep;
  const accumulates = packerL1Acc && (hasBias ? count > 1 : count > 2);
  return accumulates ? tileBytes(fp32DestAccEn ? "f32" : "bf16") : tileBytes(outType);
}

/** The cores of a result, given those of its activation. */
export function resultConfig(work: ConvolutionWork, input: ParallelConfig): ParallelConfig {
  return outputConfig(input, work.window.outChannels, runsAsMatmul(work), work.chip);
}
