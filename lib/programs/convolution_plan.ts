// SPDX-License-Identifier: Apache-2.0
import { greatestCommonDivisor } from "../layout/common_divisor.ts";
import { type ChipDescription, workerCores } from "../device/chip_description.ts";
import { type DataType, rowElementBytes, tileBytes } from "../layout/data_type.ts";
import { coreCount, type CoreRange } from "../layout/core_range.ts";
import { roundUp } from "../layout/make_layout.ts";
import type { ComputeKernelConfig, Conv2dConfig } from "../op_config/op_config.ts";
import { divisorsUpTo } from "./divisors.ts";
import type { CircularBuffer } from "./circular_buffer.ts";
import { circularBufferBytes } from "./program.ts";
import type { ProgramTensor } from "./program_tensor.ts";
import { coresWithLittlePadding, haloBytes } from "./sliding_window.ts";
import { isPointwise, type SlidingWindow } from "../ops/sliding_window.ts";

/** Shardings that a convolution runs in. */
export type ConvolutionSharding = "height_sharded" | "block_sharded" | "width_sharded";

/** How a convolution, or one slice of it, is spread over cores. Tiles and bytes per core. */
export interface ConvolutionPlan {
  readonly memoryLayout: ConvolutionSharding;
  /** Shard grid of the output. */
  readonly grid: readonly [number, number];
  /** Cores that the input's channels are spread over. */
  readonly inputColumns: number;
  /** Whether it runs on the input's shards in place; otherwise the input is moved to the cores first. */
  readonly keepsInputShards: boolean;
  /** Slices of the output that are made one after the other. */
  readonly slices: number;
  /** The window that one slice computes. */
  readonly window: SlidingWindow;
  readonly outHeight: number;
  readonly outWidth: number;
  /** Height and width of an activation block; width is the K block of a plain matmul. */
  readonly blockHeight: number;
  readonly blockWidth: number;
  /** Channels of the input that a core holds. */
  readonly channels: number;
  readonly channelBytes: number;
  readonly circularBuffers: readonly CircularBuffer[];
  /** Output shard of the (slice of the) convolution itself. */
  readonly outputShardBytes: number;
  /** Input shard and halo; 0 if the convolution is a plain matmul on the existing shards. */
  readonly inputShardBytes: number;
  readonly haloBytes: number;
}

/** A convolution to be spread over cores. */
export interface ConvolutionRequest {
  readonly window: SlidingWindow;
  readonly config: Conv2dConfig;
  readonly compute: ComputeKernelConfig | undefined;
  readonly input: ProgramTensor;
  readonly weight: ProgramTensor;
  readonly hasBias: boolean;
  /** Element format of the result. */
  readonly outType: DataType;
  readonly transposed: boolean;
  readonly chip: ChipDescription;
  /** Bytes of L1 per core that tensors and circular buffers share. */
  readonly usableL1Bytes: number;
}

/** Axes along which the output may be cut into slices. */
export type SlicedAxis = "no" | "height" | "width" | "either";

/** How a convolution that reads and writes DRAM is cut: the number of slices of the output along one axis. */
interface Slicing {
  readonly height: number;
  readonly width: number;
}

/** A plan before its buffers are known. */
type Spread = Omit<ConvolutionPlan, "circularBuffers" | "blockHeight" | "blockWidth">;

/**
 * The requested sharding, otherwise the fitting one with the least L1 by the backend's estimate; height wins ties, then
 * block; if none fits, the one that needs the least. A convolution that reads and writes DRAM is cut into as many
 * slices of the output as needed to fit.
 *
 * @returns `undefined` if the convolution cannot be spread like this
 */
export function planConvolution(
  request: ConvolutionRequest,
  wanted: ConvolutionSharding | undefined,
  sliced: SlicedAxis,
): ConvolutionPlan | undefined {
  const kinds = wanted === undefined
    ? ["height_sharded", "block_sharded", "width_sharded"] as const
    : [wanted];
  let best: ConvolutionPlan | undefined;
  let bestPeak = Number.POSITIVE_INFINITY;
  for (const slicing of slicings(request.window, sliced)) {
    let [chosen, least]: [ConvolutionPlan | undefined, number] = [undefined, Number.POSITIVE_INFINITY];
    for (const kind of kinds) {
      const plan = planFor(request, kind, slicing);
      if (plan === undefined) continue;
      const peak = peakOf(plan, circularBufferBytes(plan));
      if (peak < bestPeak) [best, bestPeak] = [plan, peak];
      if (peak > request.usableL1Bytes || !(wanted !== undefined || isEligible(plan, request))) continue;
      const estimate = estimatedBytes(request, plan);
      if (estimate < least) [chosen, least] = [plan, estimate];
    }
    if (chosen !== undefined) return chosen;
    if (bestPeak <= request.usableL1Bytes) return best;
  }
  return best;
}

/** Blocks that take at least a row of cores, and no channels of a plain matmul alone (tt-metal:conv2d, auto sharding). */
function isEligible(
  { memoryLayout, grid, inputColumns }: ConvolutionPlan,
  { window, transposed, chip }: ConvolutionRequest,
): boolean {
  switch (memoryLayout) {
    case "height_sharded":
      return true;
    case "block_sharded":
      return grid[0] * Math.max(grid[1], inputColumns) >= chip.workerGrid.columns;
    case "width_sharded":
      return !isPointwise(window) || transposed;
  }
}

/**
 * L1 per core that the backend compares shardings by: halo, result and buffers, those of an activation block as tall as
 * all that a core makes, or as wished. Blocks that are cut later to fit do not count (tt-metal:conv2d, auto sharding).
 */
function estimatedBytes(request: ConvolutionRequest, plan: ConvolutionPlan): number {
  const wished = Math.ceil((request.config.actBlockHOverride ?? 0) / 32);
  const tallest = wished === 0 ? plan.outHeight : Math.min(wished, plan.outHeight);
  const asMatmul = isPointwise(request.window) && !request.transposed;
  const buffers = asMatmul
    ? plan.circularBuffers
    : convolutionBuffers(request, plan, tallest, activationBlockWidth(request, plan));
  return circularBufferBytes({ circularBuffers: buffers }) + plan.haloBytes + plan.outputShardBytes;
}

/** Slicings to try, coarsest first; counts double up to one row or column per slice. */
function slicings(window: SlidingWindow, sliced: SlicedAxis): readonly Slicing[] {
  const found: Slicing[] = [{ height: 1, width: 1 }];
  if (sliced === "no") return found;
  const most = Math.max(window.outputHeight, window.outputWidth);
  for (let count = 2; count <= most; count *= 2) {
    if (sliced !== "width" && count <= window.outputHeight) found.push({ height: count, width: 1 });
    if (sliced !== "height" && count <= window.outputWidth) found.push({ height: 1, width: count });
  }
  return found;
}

/** Peak of L1: while the halo is gathered, or while the kernel runs on it. */
function peakOf(plan: Spread, bufferBytes: number): number {
  return Math.max(
    plan.inputShardBytes + plan.haloBytes,
    bufferBytes + plan.haloBytes + plan.outputShardBytes,
  );
}

/** The part of a window that one slice computes. */
function windowOfSlice(window: SlidingWindow, slicing: Slicing): SlidingWindow {
  if (slicing.height === 1 && slicing.width === 1) return window;
  const outputHeight = Math.ceil(window.outputHeight / slicing.height);
  const outputWidth = Math.ceil(window.outputWidth / slicing.width);
  const reach = (outputs: number, stride: number, dilation: number, kernel: number) =>
    (outputs - 1) * stride + dilation * (kernel - 1) + 1;
  return {
    ...window,
    outputHeight,
    outputWidth,
    inputHeight: Math.min(
      window.inputHeight,
      reach(outputHeight, window.strideHeight, window.dilationHeight, window.kernelHeight),
    ),
    inputWidth: Math.min(
      window.inputWidth,
      reach(outputWidth, window.strideWidth, window.dilationWidth, window.kernelWidth),
    ),
  };
}

function planFor(
  request: ConvolutionRequest,
  kind: ConvolutionSharding,
  slicing: Slicing,
): ConvolutionPlan | undefined {
  const { chip, input, config } = request;
  const window = windowOfSlice(request.window, slicing);
  const pixelTiles = Math.ceil(window.batch * window.outputHeight * window.outputWidth / 32);
  const channelTiles = Math.ceil(window.outChannels / 32);
  const asMatmul = isPointwise(request.window) && !request.transposed;
  const inChannelTiles = Math.ceil(window.inChannels / 32);
  const wished = givenGrid(request);
  const { grid, inputColumns } = wished === undefined
    ? spread(kind, pixelTiles, channelTiles, inChannelTiles, chip)
    : spreadOver(wished, kind, channelTiles, asMatmul, chip);
  const outHeight = Math.ceil(pixelTiles / grid[0]);
  const outWidth = Math.ceil(channelTiles / grid[1]);
  const aligned = alignedChannels(request.window, input, kind);
  const channels = roundUp(Math.ceil(aligned / inputColumns), kind === "height_sharded" ? 8 : 32);
  const element = rowElementBytes(input.dataType);
  const channelBytes = channels * element;
  const pixelsIn = window.batch * window.inputHeight * window.inputWidth;
  const plan: Spread = {
    memoryLayout: kind,
    grid,
    inputColumns,
    keepsInputShards: input.placement === "l1_sharded" && input.memoryLayout === kind &&
      input.gridShape[0] === grid[0] && input.gridShape[1] === inputColumns,
    slices: slicing.height * slicing.width,
    window,
    outHeight,
    outWidth,
    channels,
    channelBytes,
    outputShardBytes: outHeight * outWidth * tileBytes(request.outType),
    inputShardBytes: Math.ceil(pixelsIn / grid[0]) * channelBytes,
    haloBytes: asMatmul ? 0 : haloOf(window, request.transposed, outHeight * 32, channelBytes, config),
  };
  return asMatmul ? asPlainMatmul(request, plan) : withActivationBlock(request, plan);
}

/** Shard grid of the output, and the cores that the input's channels are spread over. */
function spread(
  kind: ConvolutionSharding,
  pixelTiles: number,
  channelTiles: number,
  inChannelTiles: number,
  chip: ChipDescription,
): Pick<ConvolutionPlan, "grid" | "inputColumns"> {
  const { rows, columns } = chip.workerGrid;
  const cores = workerCores(chip);
  switch (kind) {
    case "height_sharded":
      return { grid: [coresWithLittlePadding(pixelTiles, cores), 1], inputColumns: 1 };
    case "width_sharded":
      return {
        grid: [1, coresWithLittlePadding(channelTiles, cores)],
        inputColumns: coresWithLittlePadding(inChannelTiles, cores),
      };
    case "block_sharded":
      return {
        grid: [coresWithLittlePadding(pixelTiles, rows), coresWithLittlePadding(channelTiles, columns)],
        inputColumns: coresWithLittlePadding(inChannelTiles, columns),
      };
  }
}

/**
 * The given shard grid: the cores of an overridden config, or the input's own shards. A sharded input is used in place
 * unless `reshard_if_not_optimal` is set or the kernel cannot read its shards: channels aligned, for a plain matmul
 * whole tiles of pixels and no channels of padding (tt-metal conv2d_utils.cpp,
 * `get_conv_padded_input_shape_and_mem_config`).
 */
function givenGrid(request: ConvolutionRequest): readonly [number, number] | undefined {
  const { config, input } = request;
  if (config.overrideShardingConfig === true && config.coreGrid !== undefined) {
    return gridOfCores(config.coreGrid, config.shardLayout);
  }
  const [rows, columns] = input.gridShape;
  return rows === undefined || columns === undefined || !staysOnShards(request) ? undefined : [rows, columns];
}

/** Whether the kernel can read the input's shards, and no others are requested. */
export function staysOnShards({ window, config, input, transposed }: ConvolutionRequest): boolean {
  const [height = 0, width = 0] = input.shardShape;
  const kind = input.memoryLayout;
  if (input.placement !== "l1_sharded" || config.reshardIfNotOptimal === true) return false;
  if (config.overrideShardingConfig === true) return false;
  if (kind !== "height_sharded" && kind !== "block_sharded" && kind !== "width_sharded") return false;
  const unit = input.tiled ? 32 : 1;
  const asMatmul = isPointwise(window) && !transposed;
  const alignment = input.tiled || asMatmul || kind === "width_sharded" ? 32 : 8;
  if (width * unit % alignment !== 0) return false;
  if (!asMatmul) return true;
  const [, columns = 1] = input.gridShape;
  const padsChannels = kind === "block_sharded" && window.inChannels !== columns * width * unit;
  return !padsChannels && height * unit % 32 === 0;
}

/** Rows and columns of the cores of an overridden config: a line for height and width, a rectangle for blocks. */
function gridOfCores(
  cores: readonly CoreRange[],
  kind: Conv2dConfig["shardLayout"],
): readonly [number, number] {
  const count = coreCount(cores);
  if (kind === "height_sharded") return [count, 1];
  if (kind === "width_sharded") return [1, count];
  const extent = (axis: "x" | "y") =>
    Math.max(...cores.map(({ end }) => end[axis])) - Math.min(...cores.map(({ start }) => start[axis])) + 1;
  return [extent("y"), extent("x")];
}

/**
 * Grid of the output over given cores of the input: the same for a plain matmul and along the pixels, else the columns
 * suit the output's channels (tt-metal `determine_output_parallel_config`).
 */
function spreadOver(
  [rows, columns]: readonly [number, number],
  kind: ConvolutionSharding,
  channelTiles: number,
  asMatmul: boolean,
  chip: ChipDescription,
): Pick<ConvolutionPlan, "grid" | "inputColumns"> {
  if (asMatmul || kind === "height_sharded") return { grid: [rows, columns], inputColumns: columns };
  const most = kind === "block_sharded" ? chip.workerGrid.columns : workerCores(chip);
  return { grid: [rows, coresWithLittlePadding(channelTiles, most)], inputColumns: columns };
}

/**
 * The largest activation block whose buffers fit; the smallest one if none does, for example because the result alone
 * does not fit.
 */
function withActivationBlock(request: ConvolutionRequest, plan: Spread): ConvolutionPlan | undefined {
  const { outHeight } = plan;
  const override = Math.ceil((request.config.actBlockHOverride ?? 0) / 32);
  const blockWidth = activationBlockWidth(request, plan);
  let best: ConvolutionPlan | undefined;
  let bestBytes = Number.POSITIVE_INFINITY;
  const tallest = override === 0 ? outHeight : Math.min(override, outHeight);
  const mayFit = plan.outputShardBytes <= request.usableL1Bytes;
  for (const blockHeight of mayFit ? divisorsUpTo(outHeight, tallest) : [1]) {
    const circularBuffers = convolutionBuffers(request, plan, blockHeight, blockWidth);
    const candidate = { ...plan, blockHeight, blockWidth, circularBuffers };
    const bytes = circularBufferBytes(candidate);
    if (peakOf(plan, bytes) <= request.usableL1Bytes) return candidate;
    if (bytes < bestBytes) [best, bestBytes] = [candidate, bytes];
  }
  return best;
}

/** Halo per core; a transposed convolution reads an image that is spread out by its stride first. */
function haloOf(
  window: SlidingWindow,
  transposed: boolean,
  pixels: number,
  channelBytes: number,
  config: Conv2dConfig,
): number {
  const perCore = transposed ? pixels * channelBytes : haloBytes(window, pixels, channelBytes);
  return config.inPlace === true ? perCore / 2 : perCore;
}

/** Tiles of one step along the contracted extent: a window row when height sharded, else the whole window. */
function activationBlockWidth({ window, config }: ConvolutionRequest, plan: Spread): number {
  if (plan.memoryLayout === "height_sharded") return Math.ceil(window.kernelWidth * plan.channels / 32);
  const whole = window.kernelHeight * window.kernelWidth * plan.channels / 32;
  return Math.max(1, Math.ceil(whole / Math.max(1, config.actBlockWDiv ?? 1)));
}

/**
 * Circular buffers of the convolution kernel (tt-metal:conv2d): activation block as read and as tiles, a block of
 * weights, partials where they cannot lie in the output, bias, 64 bytes of scratch. `blockHeight` is the height of the
 * activation block in tiles: `act_block_h_override` is its upper bound, smaller divisors are taken when L1 is short.
 */
function convolutionBuffers(
  request: ConvolutionRequest,
  plan: Spread,
  blockHeight: number,
  blockWidth: number,
): readonly CircularBuffer[] {
  const { window, config, input, weight, outType, compute, hasBias } = request;
  const { outHeight, outWidth } = plan;
  const actTile = tileBytes(input.dataType === "f32" ? "f32" : "bf16");
  const partialTile = partialTileBytes(compute, tileBytes(outType));
  const weightTile = tileBytes(config.weightsDtype ?? weight.dataType);
  const weightCopies = plan.memoryLayout === "height_sharded" && outHeight > blockHeight
    ? window.kernelHeight
    : config.enableWeightsDoubleBuffer === true
    ? 2
    : 1;
  const aliasesOutput = partialTile === tileBytes(outType) && config.outputLayout !== "row_major";
  const block = blockHeight * blockWidth * actTile;
  const buffers: readonly CircularBuffer[] = [
    { name: "activation", bytes: block * (config.enableActDoubleBuffer === true ? 2 : 1) },
    { name: "activation_tilized", bytes: block },
    { name: "weights", bytes: outWidth * blockWidth * weightCopies * weightTile },
    { name: "partials", bytes: aliasesOutput ? 0 : outHeight * outWidth * partialTile },
    { name: "bias", bytes: hasBias ? outWidth * weightTile : 0 },
    { name: "scratch", bytes: 64 },
  ];
  return buffers.filter(({ bytes }) => bytes > 0);
}

/** A 1x1 convolution of stride 1 runs as a matmul on the shards. */
function asPlainMatmul(request: ConvolutionRequest, plan: Spread): ConvolutionPlan {
  const { window, config, input, weight, outType, compute, hasBias } = request;
  const kt = Math.ceil(window.inChannels / 32);
  const height = plan.memoryLayout === "height_sharded";
  const in0BlockW = height ? kt : greatestCommonDivisor(Math.ceil(kt / plan.inputColumns), kt);
  const out = tileBytes(outType);
  const partials = partialTileBytes(compute, out);
  const depth = kt > in0BlockW ? 2 : 1;
  const { outHeight, outWidth } = plan;
  const buffers = [
    { name: "in0", bytes: height ? 0 : outHeight * in0BlockW * depth * tileBytes(input.dataType) },
    { name: "in1", bytes: outWidth * in0BlockW * depth * tileBytes(config.weightsDtype ?? weight.dataType) },
    { name: "partials", bytes: partials === out ? 0 : outHeight * outWidth * partials },
    { name: "bias", bytes: hasBias ? outWidth * out : 0 },
  ];
  return {
    ...plan,
    blockHeight: outHeight,
    blockWidth: in0BlockW,
    circularBuffers: buffers.filter(({ bytes }) => bytes > 0),
  };
}

/** Partials are f32 with f32 and L1 accumulation, bf16 with L1 accumulation alone, else of the output's format. */
function partialTileBytes(compute: ComputeKernelConfig | undefined, outTile: number): number {
  if (compute?.packerL1Acc !== true) return outTile;
  return tileBytes(compute.fp32DestAccEn === true ? "f32" : "bf16");
}

/** Channels are padded to 8 in rows (height or block sharded), to 32 in tiles, by width and in depthwise kernels. */
function alignedChannels(window: SlidingWindow, input: ProgramTensor, kind: ConvolutionSharding): number {
  const wide = input.tiled || kind === "width_sharded" || needsWholeTiles(window);
  return roundUp(window.inChannels, wide ? 32 : 8);
}

/** Whether rows need less channel padding than tiles. */
export function padsFewerInRows(window: SlidingWindow): boolean {
  return !needsWholeTiles(window) && roundUp(window.inChannels, 8) < roundUp(window.inChannels, 32);
}

/** Whether the channels are padded to whole tiles regardless of the input's pages. */
function needsWholeTiles(window: SlidingWindow): boolean {
  return isPointwise(window) || (window.groups > 1 && window.groups === window.inChannels);
}
