// SPDX-License-Identifier: Apache-2.0
import { isBlockFloat, rowElementBytes } from "../layout/data_type.ts";
import { roundUp } from "../layout/make_layout.ts";
import type { SlidingWindow } from "../ops/sliding_window.ts";
import {
  channelAlignment,
  isRefused,
  type Refused,
  refused,
  resultConfig,
  stickType,
  type WeightsExtent,
} from "./convolution_blocks.ts";
import { type ConvolutionRequest, planSharded, type ShardedConvolution } from "./convolution_plan.ts";
import {
  activationShard,
  automaticKind,
  convolutionConfig,
  expectedSticks,
  kernelL1,
} from "./convolution_sharding.ts";
import { isShardKind, type ParallelConfig, type ShardKind } from "./parallel_config.ts";
import type { ProgramTensor } from "./program_tensor.ts";
import { shardedTensor } from "./sharded_tensor.ts";
import { inputPixels } from "./sliding_window.ts";

/** Axis of the result that is cut. */
export type SlicedAxis = "height" | "width";

/** How a convolution of an operand in DRAM is cut: one slice runs as if it were not cut. */
export interface Slicing {
  readonly axis: SlicedAxis;
  readonly count: number;
}

/** A convolution that reads DRAM and writes DRAM, slice by slice. */
export interface SlicedConvolution {
  readonly kind: "sliced";
  readonly request: ConvolutionRequest;
  /** Each reads its part of the operand in `activation`, or the operand itself if it is the only one. */
  readonly slices: readonly ShardedConvolution[];
}

/** A part of the result. */
interface Part {
  /** What the kernel runs on: whole tiles of a row, with the padding that this takes. */
  readonly window: SlidingWindow;
  /** What is wanted of it, with the padding of the whole image; by it cores are chosen. */
  readonly wanted: SlidingWindow;
}

/**
 * The smallest number of slices whose largest one fits, as the backend chooses it (`ttnn-0.81.1`): along the axis that it
 * prefers, else along the other.
 *
 * @param freeBytes L1 per core that is free beside the live tensors
 */
export function automaticSlicing(request: ConvolutionRequest, freeBytes: number): Slicing | Refused {
  const { window, config } = request;
  const first = config.outputLayout === "row_major"
    ? window.inputHeight > 3 * window.inputWidth ? "height" : "width"
    : window.inputWidth < 200 || window.inputHeight > window.inputWidth
    ? "height"
    : "width";
  for (const axis of [first, first === "height" ? "width" : "height"] as const) {
    const count = fewestSlices(request, axis, freeBytes);
    if (typeof count !== "number") return count;
    if (count > 0) return { axis, count };
  }
  return refused("dram-slices", `no number of slices fits into ${freeBytes} B of L1 per core`);
}

/** The smallest number of slices along an axis that fits; 0 if none does. */
export function fewestSlices(
  request: ConvolutionRequest,
  axis: SlicedAxis,
  freeBytes: number,
): number | Refused {
  const known = new Map<string, number>();
  for (let count = 1; count <= unitsAlong(request, axis); count++) {
    let most = 0;
    for (const part of partsOf(request, { axis, count })) {
      const key = partKey(part);
      let bytes = known.get(key);
      if (bytes === undefined) {
        const needed = bytesOfSlice(request, part);
        if (typeof needed !== "number") return needed;
        known.set(key, bytes = needed);
      }
      most = Math.max(most, bytes);
      if (most > freeBytes) break;
    }
    if (most <= freeBytes) return count;
  }
  return 0;
}

/** Equal parts need equally much. */
function partKey({ window, wanted }: Part): string {
  const { inputHeight, inputWidth, outputHeight, outputWidth, padHeight, padWidth, padding: { top, left } } =
    window;
  const { outputHeight: rows, outputWidth: columns } = wanted;
  return [inputHeight, inputWidth, outputHeight, outputWidth, padHeight, padWidth, top, left, rows, columns]
    .join(" ");
}

/** What is cut of an axis: rows of pixels, or whole tiles of a row. */
function unitOf({ config }: ConvolutionRequest, axis: SlicedAxis): number {
  return axis === "width" && config.outputLayout !== "row_major" ? 32 : 1;
}

function unitsAlong(request: ConvolutionRequest, axis: SlicedAxis): number {
  const { outputHeight, outputWidth } = request.window;
  return Math.ceil((axis === "height" ? outputHeight : outputWidth) / unitOf(request, axis));
}

/** The windows of the slices: what each reads of the image, and the padding that is left at its borders. */
function partsOf(request: ConvolutionRequest, { axis, count }: Slicing): readonly Part[] {
  const { window, config } = request;
  const unit = unitOf(request, axis);
  const units = unitsAlong(request, axis);
  const along = axis === "height"
    ? {
      size: window.inputHeight,
      output: window.outputHeight,
      stride: window.strideHeight,
      reach: window.dilationHeight * (window.kernelHeight - 1),
      before: window.padding.top,
      after: window.padding.bottom,
    }
    : {
      size: window.inputWidth,
      output: window.outputWidth,
      stride: window.strideWidth,
      reach: window.dilationWidth * (window.kernelWidth - 1),
      before: window.padding.left,
      after: window.padding.right,
    };
  const parts: Part[] = [];
  let begin = 0;
  for (let index = 0; index < count; index++) {
    const share = Math.floor(units / count) + (index < units % count ? 1 : 0);
    const end = Math.min(along.output, begin + unit * share);
    if (end === begin) continue;
    const reads = readBy(along, begin, end);
    const rounds = config.outputLayout === "row_major" ? 1 : 32;
    parts.push(partOf(window, axis, end - begin, reads, rounds));
    begin = end;
  }
  return parts;
}

/** Pixels of an axis that a slice reads, and padding before and after them. */
interface PartReads {
  readonly from: number;
  readonly to: number;
  readonly before: number;
  readonly after: number;
}

function readBy(
  { size, output, stride, reach, before, after }: Readonly<
    Record<"size" | "output" | "stride" | "reach" | "before" | "after", number>
  >,
  begin: number,
  end: number,
): PartReads {
  const from = begin * stride - before;
  const to = (end - 1) * stride - before + reach + 1;
  return {
    from: begin === 0 ? 0 : Math.max(0, from),
    to: end === output ? size : Math.min(size, to),
    before: begin === 0 ? before : Math.max(0, -from),
    after: end === output ? after : Math.max(0, to - size),
  };
}

/** @param rounds multiple of the result's width: tiles are written whole, so that a slice reads padding beside it */
function partOf(
  window: SlidingWindow,
  axis: SlicedAxis,
  outputs: number,
  { from, to, before, after }: PartReads,
  rounds: number,
): Part {
  const { strideWidth, padding } = window;
  const size = axis === "height" ? window.inputHeight : window.inputWidth;
  const width = axis === "width" ? outputs : window.outputWidth;
  const rest = width % rounds;
  const added = rest !== 0 && to - from !== size ? rounds - rest : 0;
  const beside = added * strideWidth;
  const sides = axis === "height"
    ? { ...padding, top: before, bottom: after, right: padding.right + beside }
    : { ...padding, left: before, right: after + beside };
  const image = axis === "height" ? { inputHeight: to - from } : { inputWidth: to - from };
  return {
    window: withPositions({
      ...window,
      ...image,
      padding: sides,
      padHeight: sides.top + sides.bottom,
      padWidth: sides.left + sides.right,
    }),
    wanted: {
      ...window,
      ...image,
      ...axis === "height" ? { outputHeight: outputs } : {},
      outputWidth: width + added,
    },
  };
}

/** A window with the result that it has over its image. */
function withPositions(window: SlidingWindow): SlidingWindow {
  const positions = (extent: number, reach: number, stride: number) =>
    Math.floor((extent - reach - 1) / stride) + 1;
  return {
    ...window,
    outputHeight: positions(
      window.inputHeight + window.padHeight,
      window.dilationHeight * (window.kernelHeight - 1),
      window.strideHeight,
    ),
    outputWidth: positions(
      window.inputWidth + window.padWidth,
      window.dilationWidth * (window.kernelWidth - 1),
      window.strideWidth,
    ),
  };
}

/** Shards of a part of the operand. */
interface SliceShards {
  readonly config: ParallelConfig;
  readonly shard: readonly [number, number];
}

/** The shards that a slice is read into. */
function shardsOfSlice(request: ConvolutionRequest, { wanted }: Part): SliceShards | Refused {
  const { config, input } = request;
  const part: ConvolutionRequest = { ...request, window: wanted };
  const kind = isShardKind(config.shardLayout)
    ? config.shardLayout
    : automaticKind(part, false, input.tiled, withPositions(wanted));
  if (typeof kind !== "string") return kind;
  const isWhole = wanted.inputHeight === request.window.inputHeight &&
    wanted.inputWidth === request.window.inputWidth;
  return spreadSlice(part, kind, kind === "width_sharded" || (input.tiled && isWhole) ? 32 : 8);
}

/** Shards of an operand over the cores of a kind, whatever activation block the config asks for. */
function spreadSlice(request: ConvolutionRequest, kind: ShardKind, alignment: number): SliceShards {
  const config = { ...request.config, actBlockHOverride: 0 };
  const cores = convolutionConfig({ ...request, config }, kind, alignment, false);
  return { config: cores, shard: activationShard(request.window, cores, request.input.tiled, alignment) };
}

/** L1 per core that the backend expects of a slice. */
function bytesOfSlice(request: ConvolutionRequest, part: Part): number | Refused {
  const shards = shardsOfSlice(request, part);
  if (isRefused(shards)) return shards;
  const { kind, columns } = shards.config;
  const { inChannels, outChannels, kernelHeight, kernelWidth } = part.window;
  const alignment = channelAlignment({ kind, tiled: request.input.tiled, isMatmul: false });
  return bytesBeside({ ...request, window: part.window }, shards, roundUp(inChannels, columns * alignment), [
    roundUp(inChannels, alignment) * kernelHeight * kernelWidth,
    roundUp(outChannels, 32),
  ]);
}

/** L1 per core while the halo of these shards is gathered or the kernel runs on it, whichever is more. */
function bytesBeside(
  request: ConvolutionRequest,
  { config, shard }: SliceShards,
  channels: number,
  weights: WeightsExtent,
): number | Refused {
  const kernel = kernelL1(request, config, channels, weights);
  if (isRefused(kernel)) return kernel;
  const stick = shard[1] * rowElementBytes(stickType(request.inputType));
  const operand = Math.floor(shard[0] * stick / (isBlockFloat(request.inputType) ? 2 : 1));
  return Math.max(operand, kernel.bytes) + expectedSticks(request, config) * stick;
}

/**
 * Plans every slice. A slice of several is read as rows, whatever the operand's pages are.
 *
 * @returns the refusal of the first slice that cannot run
 */
export function planSlices(request: ConvolutionRequest, slicing: Slicing): SlicedConvolution | Refused {
  const config = {
    ...request.config,
    deallocateActivation: true,
    reallocateHaloOutput: true,
    outputLayout: "tile",
  } as const;
  if (slicing.count === 1) {
    const plan = planSharded({ ...request, config });
    return isRefused(plan) ? plan : { kind: "sliced", request, slices: [plan] };
  }
  const slices: ShardedConvolution[] = [];
  for (const part of partsOf(request, slicing)) {
    const shards = shardsOfSlice(request, part);
    if (isRefused(shards)) return shards;
    const { window } = part;
    const input = sliceTensor(request, window, shards);
    const plan = planSharded({
      ...request,
      config: { ...config, shardLayout: shards.config.kind },
      window,
      input,
      inputType: input.dataType,
      preparesForShards: true,
    });
    if (isRefused(plan)) return plan;
    slices.push(plan);
  }
  return { kind: "sliced", request, slices };
}

function sliceTensor(
  { input, window: { inChannels } }: ConvolutionRequest,
  window: SlidingWindow,
  { config, shard }: SliceShards,
): ProgramTensor {
  const dataType = input.dataType === "f32" ? "f32" : input.tiled ? "bf16" : input.dataType;
  return shardedTensor(
    { shape: [1, 1, inputPixels(window), inChannels], dataType, tiled: false },
    config,
    shard,
  );
}

/** Bytes per core that a transposed convolution needs if it is not cut, as the backend expects it. */
export function bytesOfTransposed(request: ConvolutionRequest): number | Refused {
  const { window, config, input } = request;
  const kind = isShardKind(config.shardLayout)
    ? config.shardLayout
    : automaticKind(request, false, input.tiled);
  if (typeof kind !== "string") return kind;
  const shards = spreadSlice(request, kind, kind === "width_sharded" ? 32 : 8);
  const channels = roundUp(window.inChannels, shards.config.columns * 32);
  return bytesBeside(request, shards, channels, [
    channels * window.kernelHeight * window.kernelWidth,
    roundUp(window.outChannels, 32 * resultConfig(request, shards.config).columns),
  ]);
}

/** Pixels per row of tiles that the rows of an image have to fill, lest a tiled operand is reshaped twice first. */
export function needsReshape({ input, window }: ConvolutionRequest): boolean {
  return input.tiled && window.inputWidth % 32 !== 0 && !(window.batch === 1 && window.inputHeight === 1);
}
