// SPDX-License-Identifier: Apache-2.0
import { elementBytes, isBlockFloat, tileBytes } from "../../layout/data_type.ts";
import { roundUp } from "../../layout/make_layout.ts";
import type { ComputeKernelConfig, Conv2dConfig } from "../../op_config/op_config.ts";
import type { ConstraintQuery, RuleContext } from "../rule.ts";
import type { Tensor } from "../tensor.ts";
import { coresWithLittlePadding, haloBytes, type SlidingWindow } from "./conv_geometry.ts";
import { greatestCommonDivisor, matmulCbBytes } from "../matmul_blocking.ts";

/** How a convolution is spread over cores. Tiles per core. */
export interface ConvPlan {
  readonly memoryLayout: "height_sharded" | "block_sharded" | "width_sharded";
  /** Shard grid of the output. */
  readonly grid: readonly [number, number];
  readonly outHeight: number;
  readonly outWidth: number;
  readonly cbBytes: number;
  /** Output shard per core of the (slice of the) convolution itself. */
  readonly outputShardBytes: number;
  /** Input shard and halo per core; 0 where the convolution is a plain matmul on shards that are there. */
  readonly inputShardBytes: number;
  readonly haloBytes: number;
}

/** A convolution to spread. */
export interface ConvRequest {
  readonly query: ConstraintQuery;
  readonly window: SlidingWindow;
  readonly config: Conv2dConfig;
  readonly input: Tensor;
  readonly weight: Tensor;
  readonly context: RuleContext;
  readonly transposed: boolean;
}

/** Cuts of a convolution that reads and writes DRAM: so many slices of the output along one axis. */
interface Slicing {
  readonly height: number;
  readonly width: number;
}

/**
 * Wanted sharding, else the one that takes the least L1; height wins ties, then block. A convolution that reads and
 * writes DRAM is cut into as many slices of the output as it takes to fit.
 */
export function choosePlan(
  request: ConvRequest,
  wanted: ConvPlan["memoryLayout"] | undefined,
  sliced: "no" | "height" | "width" | "either",
): ConvPlan | undefined {
  const { window, context } = request;
  const kinds = wanted === undefined
    ? ["height_sharded", "block_sharded", "width_sharded"] as const
    : [wanted];
  let best: ConvPlan | undefined;
  let bestBytes = Number.POSITIVE_INFINITY;
  for (const slicing of slicings(window, sliced)) {
    for (const kind of kinds) {
      const plan = planFor(request, kind, slicing);
      const bytes = plan === undefined ? Number.POSITIVE_INFINITY : peakOf(plan);
      if (plan !== undefined && bytes < bestBytes) {
        best = plan;
        bestBytes = bytes;
      }
    }
    if (bestBytes <= context.usableL1Bytes) return best;
  }
  return best;
}

/** Slicings to try, coarsest first; counts double up to one row or column per slice. */
function slicings(window: SlidingWindow, sliced: "no" | "height" | "width" | "either"): readonly Slicing[] {
  const found: Slicing[] = [{ height: 1, width: 1 }];
  if (sliced === "no") return found;
  const most = Math.max(window.outputHeight, window.outputWidth);
  for (let count = 2; count <= most; count *= 2) {
    if (sliced !== "width" && count <= window.outputHeight) found.push({ height: count, width: 1 });
    if (sliced !== "height" && count <= window.outputWidth) found.push({ height: 1, width: count });
  }
  return found;
}

/** L1 at the fullest moment: while the halo is gathered, or while the kernel runs on it. */
function peakOf(plan: ConvPlan): number {
  return Math.max(
    plan.inputShardBytes + plan.haloBytes,
    plan.cbBytes + plan.haloBytes + plan.outputShardBytes,
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
  request: ConvRequest,
  kind: ConvPlan["memoryLayout"],
  slicing: Slicing,
): ConvPlan | undefined {
  const { context, input, config } = request;
  const window = windowOfSlice(request.window, slicing);
  const { rows, columns } = context.chip.workerGrid;
  const pixelTiles = Math.ceil(window.batch * window.outputHeight * window.outputWidth / 32);
  const channelTiles = Math.ceil(window.outChannels / 32);
  const inChannelTiles = Math.ceil(window.inChannels / 32);
  const aligned = alignedChannels(request.window, input, kind);
  let grid: readonly [number, number];
  let inputColumns = 1;
  if (kind === "height_sharded") {
    grid = [coresWithLittlePadding(pixelTiles, context.cores), 1];
  } else if (kind === "width_sharded") {
    inputColumns = coresWithLittlePadding(inChannelTiles, context.cores);
    grid = [1, coresWithLittlePadding(channelTiles, context.cores)];
  } else {
    inputColumns = coresWithLittlePadding(inChannelTiles, columns);
    grid = [coresWithLittlePadding(pixelTiles, rows), coresWithLittlePadding(channelTiles, columns)];
  }
  if (window.groups > 1 && kind === "width_sharded") return undefined;
  const outHeight = Math.ceil(pixelTiles / grid[0]);
  const outWidth = Math.ceil(channelTiles / grid[1]);
  const channelsPerCore = roundUp(Math.ceil(aligned / inputColumns), kind === "height_sharded" ? 8 : 32);
  const element = isBlockFloat(input.layout.dataType) ? 2 : elementBytes(input.layout.dataType);
  const channelBytes = channelsPerCore * element;
  const pixelsIn = window.batch * window.inputHeight * window.inputWidth;
  const asMatmul = isPointwise(request.window) && !request.transposed;
  const outType = request.query.hint?.dataType ?? request.query.op.results[0]?.dataType ?? "bf16";
  const plan: Omit<ConvPlan, "cbBytes"> = {
    memoryLayout: kind,
    grid,
    outHeight,
    outWidth,
    outputShardBytes: outHeight * outWidth * tileBytes(outType),
    inputShardBytes: Math.ceil(pixelsIn / grid[0]) * channelBytes,
    haloBytes: asMatmul ? 0 : haloOf(window, request.transposed, outHeight * 32, channelBytes, config),
  };
  if (asMatmul) {
    return { ...plan, cbBytes: pointwiseCbBytes(request, kind, outHeight, outWidth, inputColumns) };
  }
  const override = Math.ceil((config.actBlockHOverride ?? 0) / 32);
  let best: ConvPlan | undefined;
  for (let blockH = override === 0 ? outHeight : Math.min(override, outHeight); blockH >= 1; blockH--) {
    if (outHeight % blockH !== 0) continue;
    const cbBytes = convCbBytes(request, kind, plan, blockH, channelsPerCore);
    const candidate = { ...plan, cbBytes };
    if (peakOf(candidate) <= context.usableL1Bytes) return candidate;
    if (best === undefined || cbBytes < best.cbBytes) best = candidate;
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

/**
 * Circular buffers of the convolution kernel (tt-metal:conv2d): activation block as read and as tiles, a block of
 * weights, partials where they cannot lie in the output, bias, 64 bytes of scratch. `blockH` is the height of the
 * activation block in tiles: `act_block_h_override` is its upper bound, smaller divisors are taken when L1 is short.
 */
function convCbBytes(
  request: ConvRequest,
  kind: ConvPlan["memoryLayout"],
  plan: Omit<ConvPlan, "cbBytes">,
  blockH: number,
  channelsPerCore: number,
): number {
  const { window, config, input, weight, query } = request;
  const { outHeight, outWidth } = plan;
  const blockW = kind === "height_sharded" ? Math.ceil(window.kernelWidth * channelsPerCore / 32) : Math.max(
    1,
    Math.ceil(
      window.kernelHeight * window.kernelWidth * channelsPerCore / 32 / Math.max(1, config.actBlockWDiv ?? 1),
    ),
  );
  const outType = query.hint?.dataType ?? query.op.results[0]?.dataType ?? "bf16";
  const actTile = tileBytes(input.layout.dataType === "f32" ? "f32" : "bf16");
  const partialTile = partialTileBytes(convComputeConfig(query), tileBytes(outType));
  const weightTile = tileBytes(config.weightsDtype ?? weight.layout.dataType);
  const weightCopies = kind === "height_sharded" && outHeight > blockH
    ? window.kernelHeight
    : config.enableWeightsDoubleBuffer === true
    ? 2
    : 1;
  const aliasesOutput = partialTile === tileBytes(outType) && config.outputLayout !== "row_major";
  let bytes = blockH * blockW * actTile * (config.enableActDoubleBuffer === true ? 2 : 1);
  bytes += blockH * blockW * actTile;
  bytes += outWidth * blockW * weightCopies * weightTile;
  if (!aliasesOutput) bytes += outHeight * outWidth * partialTile;
  if (query.operands[2] !== undefined) bytes += outWidth * weightTile;
  return bytes + 64;
}

/** A 1x1 convolution of stride 1 runs as a matmul on the shards. */
function pointwiseCbBytes(
  request: ConvRequest,
  kind: ConvPlan["memoryLayout"],
  outHeight: number,
  outWidth: number,
  inputColumns: number,
): number {
  const { window, config, input, weight, query } = request;
  const kt = Math.ceil(window.inChannels / 32);
  const shardColumns = Math.ceil(kt / inputColumns);
  const outTile = tileBytes(query.hint?.dataType ?? query.op.results[0]?.dataType ?? "bf16");
  const tile = {
    in0: tileBytes(input.layout.dataType),
    in1: tileBytes(config.weightsDtype ?? weight.layout.dataType),
    out: outTile,
    partials: partialTileBytes(convComputeConfig(query), outTile),
    bias: query.operands[2] === undefined ? 0 : outTile,
  };
  const height = kind === "height_sharded";
  const in0BlockW = height ? kt : greatestCommonDivisor(shardColumns, kt);
  return matmulCbBytes(kt, { height: outHeight, width: outWidth, in0BlockW }, tile, {
    a: height ? "height" : "block_or_width",
    outputSharded: true,
  });
}

/** Partials are f32 with f32 and L1 accumulation, bf16 with L1 accumulation alone, else of the output's format. */
export function partialTileBytes(compute: ComputeKernelConfig | undefined, outTile: number): number {
  if (compute?.packerL1Acc !== true) return outTile;
  return tileBytes(compute.fp32DestAccEn === true ? "f32" : "bf16");
}

/** Channels are padded to 8 in rows (height or block sharded), to 32 in tiles, by width and in depthwise kernels. */
function alignedChannels(window: SlidingWindow, input: Tensor, kind: ConvPlan["memoryLayout"]): number {
  const depthwise = window.groups > 1 && window.groups === window.inChannels;
  const wide = input.layout.tile !== undefined || kind === "width_sharded" || depthwise ||
    isPointwise(window);
  return roundUp(window.inChannels, wide ? 32 : 8);
}

/** Whether a convolution is a plain matrix multiplication of its pixels. */
export function isPointwise(window: SlidingWindow): boolean {
  return window.kernelHeight === 1 && window.kernelWidth === 1 && window.strideHeight === 1 &&
    window.strideWidth === 1 && window.padHeight === 0 && window.padWidth === 0 && window.groups === 1;
}

/** Compute kernel config of a convolution. */
export function convComputeConfig(query: ConstraintQuery): ComputeKernelConfig | undefined {
  return query.config?.kind === "conv2d" ? query.config.computeConfig : undefined;
}
