// SPDX-License-Identifier: Apache-2.0
import type { DataType } from "../../layout/data_type.ts";
import type { Conv2dConfig, Conv2dSliceConfig } from "../../op_config/op_config.ts";
import { isTransposedWindow, windowOf } from "../../ops/op_windows.ts";
import {
  computeOf,
  convolutionBlocks,
  convolutionSubblock,
  isDepthwiseLine,
  resultConfig,
  runsAsMatmul,
} from "./convolution_blocks.ts";
import {
  type ConvolutionRequest,
  planSharded,
  preparedFor,
  type ShardedConvolution,
} from "./convolution_plan.ts";
import { automaticKind } from "./convolution_sharding.ts";
import { routeSlices, type SlicedConvolution } from "./convolution_slices.ts";
import { type FoldedConvolution, foldedRequest, folds } from "./matmul_convolution.ts";
import type { LaunchContext, OpLaunch } from "../op_launch.ts";
import type { ConvolutionProgram } from "../program.ts";
import { isInterleaved, type ProgramTensor } from "../program_tensor.ts";
import { coresOfConfig } from "../sliding_window/parallel_config.ts";
import {
  type ConvolutionRefusal,
  isRefused,
  outputPixels,
  refused,
} from "../sliding_window/sliding_window.ts";
import { wholeTensor } from "../stream.ts";

/**
 * A 1x1 convolution of an interleaved operand as a `linear` into DRAM, which chooses its own program config.
 */
export interface LinearConvolution {
  readonly kind: "linear";
  readonly request: ConvolutionRequest;
}

/** The implementation of a convolution. */
export type ConvolutionRoute =
  | LinearConvolution
  | ShardedConvolution
  | SlicedConvolution
  | FoldedConvolution;

/** Rule name of refusals because of limits of this model, not of the backend. */
export const NOT_MODELLED = "not-modelled";

/**
 * The backend's implementation of a convolution (`ttnn:backend-0-81-1`, tt-metal:conv2d), the first that applies:
 * windows folded into channels ({@linkcode folds}); a 1x1 convolution of an interleaved operand as a `linear`, unless
 * its config names a shard layout; an activation in DRAM in slices, unless the window is 1x1 or the slice config says
 * `l1_full`; on shards in L1.
 *
 * @param freeBytes L1 per core beside the live tensors; evaluated only if slices are chosen
 */
export function routeConvolution(
  request: ConvolutionRequest,
  slice: Conv2dSliceConfig | undefined,
  freeBytes: () => number,
): ConvolutionRoute | ConvolutionRefusal {
  const route = routeOf(request, slice, freeBytes);
  return isRefused(route) ? route : pointFault(request, route) ?? route;
}

/**
 * Why a strided transposed convolution with a 1x1 kernel cannot read its weights: they are prepared as a matmul's, divided
 * among the columns of the operand's shards, or into blocks for an operand in DRAM (`ttnn:backend-0-81-1`).
 */
function pointFault(request: ConvolutionRequest, route: ConvolutionRoute): ConvolutionRefusal | undefined {
  const { input, window, transposed, config } = request;
  const isPoint = window.kernelHeight === 1 && window.kernelWidth === 1;
  if (!transposed || !isPoint || runsAsMatmul(request)) return undefined;
  const columns = input.memoryLayout === "height_sharded" ? 1 : input.gridShape.at(-1) ?? 1;
  const isBlocks = route.kind === "sliced" &&
    route.slices.some((plan) => plan.input.kind === "block_sharded");
  return isBlocks || (columns > 1 && config.shardLayout !== "width_sharded")
    ? refused("point-weights", "its weights are prepared in columns of cores, which its kernel does not have")
    : undefined;
}

function routeOf(
  request: ConvolutionRequest,
  slice: Conv2dSliceConfig | undefined,
  freeBytes: () => number,
): ConvolutionRoute | ConvolutionRefusal {
  const { input, config, transposed } = request;
  const isSliced = input.placement === "dram_interleaved" && slice?.sliceType !== "l1_full";
  if (isSliced && transposed && config.weightsDtype === undefined) {
    return refused("weights-dtype", "of an operand in DRAM it needs the weights_dtype in its conv2d_config");
  }
  if (folds(request)) return routeFolded(request);
  if (runsAsMatmul(request)) {
    return isInterleaved(input) && config.shardLayout === undefined
      ? routeLinear(request)
      : planSharded(request);
  }
  if (!isSliced) return planSharded(request);
  if (config.reshardIfNotOptimal === true && config.shardLayout === undefined) {
    return refused("reshard-without-layout", "reshard_if_not_optimal needs a shard_layout");
  }
  return routeSlices(request, slice, freeBytes());
}

function routeLinear(request: ConvolutionRequest): LinearConvolution | ConvolutionRefusal {
  const { input, transposed } = request;
  if (transposed && !input.tiled && input.placement === "dram_interleaved") {
    return refused(
      "point-weights",
      "its weights are prepared in blocks, with more rows than its matmul reads",
    );
  }
  const kind = automaticKind(request, true);
  return typeof kind === "string" ? { kind: "linear", request } : kind;
}

function routeFolded(request: ConvolutionRequest): FoldedConvolution | ConvolutionRefusal {
  const folded = foldedRequest(request);
  if (folded === undefined) {
    return refused(NOT_MODELLED, "how its windows are folded into channels is not modelled for such shards");
  }
  const then = folded.config.shardLayout === undefined ? routeLinear(folded) : planSharded(folded);
  return isRefused(then) ? then : { kind: "folded", request, then };
}

/** The conv2d config of an op; an empty one if it has none. */
export function convolutionConfigOf(config: OpLaunch["config"]): Conv2dConfig {
  return config?.kind === "conv2d" ? config.conv2dConfig ?? {} : {};
}

/** Slice config of an op; `undefined` if it has none. */
export function sliceConfigOf(config: OpLaunch["config"]): Conv2dSliceConfig | undefined {
  return config?.kind === "conv2d" ? config.sliceConfig : undefined;
}

/** Reads a convolution; `undefined` if attributes are missing or the window does not fit. */
export function convolutionRequest(
  op: Pick<OpLaunch, "name" | "attributes" | "config">,
  { input, weight, hasBias, outType }: {
    readonly input: ProgramTensor;
    readonly weight: ProgramTensor;
    readonly hasBias: boolean;
    readonly outType: DataType;
  },
  { chip }: Pick<LaunchContext, "chip">,
): ConvolutionRequest | undefined {
  const window = windowOf(op);
  if (window === undefined) return undefined;
  const config = convolutionConfigOf(op.config);
  return {
    window,
    transposed: isTransposedWindow(op.name),
    config,
    compute: op.config?.kind === "conv2d" ? op.config.computeConfig : undefined,
    inputType: input.dataType,
    weightType: config.weightsDtype ?? weight.dataType,
    // Upstream's op model prepares weights on the host for a result in the weights' format; the IR's prepare
    // ops for the real result format.
    preparedOutType: weight.placement === "host" ? weight.dataType : outType,
    outType,
    hasBias,
    chip,
    input,
    preparesForShards: false,
  };
}

/**
 * The convolution kernel on its shards. Groups do not matter: grouped weights are padded with zeros to a
 * dense matrix (published:ops-2, depthwise windows of SegFormer).
 */
export function convolutionProgram(plan: ShardedConvolution, weight: ProgramTensor): ConvolutionProgram {
  const { request, blocks, input, output, activation, result } = plan;
  const { window, config, outType } = request;
  const { kernelHeight, kernelWidth, inChannels, outChannels, groups } = window;
  // The kernel of depthwise 1D convolutions multiplies each channel with itself only.
  const isLine = isDepthwiseLine(request);
  const depth = isLine ? kernelWidth : contractedTiles(plan);
  return {
    kind: "convolution",
    cores: coresOfConfig(output),
    circularBuffers: plan.circularBuffers,
    reads: [{ ...wholeTensor(activation), local: true }, wholeTensor(weight)],
    writes: [{ ...wholeTensor(result), local: true }],
    flops: outputPixels(window) * outChannels * (kernelHeight * kernelWidth * inChannels / groups) * 2,
    rows: blocks.outHeight,
    columns: blocks.outWidth,
    depth,
    ownDepth: isLine ? blocks.blockWidth : depth / input.columns,
    blockRows: blocks.blockHeight,
    reloadsWeights: output.columns > 1,
    blockDepth: Math.max(1, blocks.blockWidth),
    doubleBuffered: config.enableActDoubleBuffer === true && config.enableWeightsDoubleBuffer === true,
    subblock: convolutionSubblock(request, blocks),
    fidelity: computeOf(request).mathFidelity,
    activationType: outType,
    weightType: request.weightType,
    pixels: blocks.outHeight * 32,
    // The pixels of a window row are contiguous, unless the window is dilated.
    readsPerPixel: kernelHeight * (window.dilationWidth > 1 ? kernelWidth : 1),
  };
}

/** Tiles summed for one output tile: per block of window rows, or all channels of a pixel at once. */
function contractedTiles(
  { request: { window, config }, input, blocks, weights }: ShardedConvolution,
): number {
  switch (input.kind) {
    case "height_sharded":
      return window.kernelHeight * blocks.blockWidth;
    case "block_sharded":
      return (config.fullInnerDim === true ? 1 : window.kernelHeight) * blocks.blockWidth * input.columns;
    case "width_sharded":
      return weights[0] / 32;
  }
}

/**
 * Extent `[rows, columns]` of prepared 2D convolution weights, without padding: (window · input channels) ×
 * output channels, dense, groups filled with zeros. For depthwise 1D convolutions every weight is repeated
 * over an activation block (`ttnn:backend-0-81-1`).
 *
 * @returns `undefined` if the convolution cannot be spread over cores
 */
export function preparedWeightsExtent(
  request: ConvolutionRequest,
): readonly [rows: number, columns: number] | undefined {
  const { kernelHeight, kernelWidth, inChannels, outChannels } = request.window;
  if (!isDepthwiseLine(request)) return [kernelHeight * kernelWidth * inChannels, outChannels];
  const prepared = preparedFor(request);
  if (isRefused(prepared)) return undefined;
  const { input, channels } = prepared;
  const { blockHeight } = convolutionBlocks(request, input, resultConfig(request, input), channels);
  return [kernelWidth * blockHeight * 32, outChannels];
}
