// SPDX-License-Identifier: Apache-2.0
import { workerCores } from "../../device/chip_description.ts";
import { isBlockFloat, rowElementBytes } from "../../layout/data_type.ts";
import { roundUp } from "../../layout/make_layout.ts";
import type { Conv2dSliceConfig } from "../../op_config/op_config.ts";
import type { SlidingWindow } from "../../ops/sliding_window.ts";
import { channelAlignment, resultConfig, stickType } from "./convolution_blocks.ts";
import { type ConvolutionRequest, planSharded, type ShardedConvolution } from "./convolution_plan.ts";
import {
  activationShard,
  automaticKind,
  convolutionCores,
  expectedSticks,
  kernelL1,
} from "./convolution_sharding.ts";
import type { ProgramTensor } from "../program_tensor.ts";
import { shardedTensor } from "../shard_spec.ts";
import { isShardKind, type ParallelConfig, type ShardKind } from "../sliding_window/parallel_config.ts";
import {
  automaticSlices,
  fewestSlices,
  mostSlices,
  partsOf,
  type SliceGrain,
  type Slicing,
  type WindowPart,
  withPositions,
} from "../sliding_window/sliced_window.ts";
import {
  type ConvolutionRefusal,
  inputPixels,
  isRefused,
  refused,
} from "../sliding_window/sliding_window.ts";

/** A convolution that reads and writes DRAM slice by slice. */
export interface SlicedConvolution {
  readonly kind: "sliced";
  readonly request: ConvolutionRequest;
  /** Each slice reads its part of the operand into `activation`; a single slice reads the operand itself. */
  readonly slices: readonly ShardedConvolution[];
}

/**
 * A convolution of an operand in DRAM, slice by slice: as the slice config asks, otherwise as the backend chooses.
 *
 * @param freeBytes L1 per core beside the live tensors
 */
export function routeSlices(
  request: ConvolutionRequest,
  slice: Conv2dSliceConfig | undefined,
  freeBytes: number,
): ShardedConvolution | SlicedConvolution | ConvolutionRefusal {
  if (!request.transposed && request.weightType.startsWith("bfp_")) {
    return refused(
      "sliced-weights",
      "weights for slices are prepared as rows, which block formats do not have",
    );
  }
  if (!request.transposed && request.input.tiled && request.input.dataType === "u8") {
    return refused("sliced-bytes", "tiles of bytes are untilized into more than the rows of a slice hold");
  }
  if (slice === undefined) {
    const slicing = automaticSlicing(request, freeBytes);
    return isRefused(slicing) ? slicing : planSlices(request, slicing);
  }
  const grain = grainOf(request);
  const bytesOf = (part: WindowPart) => bytesOfSlice(request, part);
  const axis = slice.sliceType === "dram_width" ? "width" : "height";
  const count = slice.numSlices > 0
    ? slice.numSlices
    : fewestSlices(request, axis, grain, bytesOf, freeBytes);
  if (typeof count !== "number") return count;
  if (count === 0) return noSlices(freeBytes);
  if (count === 1 && request.transposed) return planSharded(request);
  const most = mostSlices(request.window, axis, grain);
  return count > most
    ? refused("dram-slices", `there are at most ${most} slices along its ${axis}`)
    : planSlices(request, { axis, count });
}

/** The slicing that the backend chooses without a slice config. */
export function automaticSlicing(
  request: ConvolutionRequest,
  freeBytes: number,
): Slicing | ConvolutionRefusal {
  const bytesOf = (part: WindowPart) => bytesOfSlice(request, part);
  return automaticSlices(request, grainOf(request), bytesOf, freeBytes) ?? noSlices(freeBytes);
}

function noSlices(freeBytes: number): ConvolutionRefusal {
  return refused("dram-slices", `no number of slices fits into ${freeBytes} B of L1 per core`);
}

function grainOf({ config }: ConvolutionRequest): SliceGrain {
  return config.outputLayout === "row_major" ? "row_major" : "tile";
}

/** Shards of a slice of the operand. */
interface SliceShards {
  readonly config: ParallelConfig;
  readonly shard: readonly [number, number];
}

/** The shards that a slice is read into, regardless of the configured activation block. */
function shardsOfSlice(
  request: ConvolutionRequest,
  { wanted }: WindowPart,
): SliceShards | ConvolutionRefusal {
  const { config, input, transposed } = request;
  const part: ConvolutionRequest = { ...request, window: wanted };
  const kind = isShardKind(config.shardLayout)
    ? config.shardLayout
    : automaticKind(part, false, transposed ? undefined : withPositions(wanted));
  if (typeof kind !== "string") return kind;
  const isWhole = wanted.inputHeight === request.window.inputHeight &&
    wanted.inputWidth === request.window.inputWidth;
  const inTiles = input.tiled && isWhole && !transposed;
  const alignment = kind === "width_sharded" || inTiles ? 32 : 8;
  const free = { ...part, config: { ...config, actBlockHOverride: 0 } };
  const cores = convolutionCores(free, kind, alignment, false);
  return { config: cores, shard: activationShard(part, cores, alignment) };
}

/** Whether the pixels of a slice alone take more than the L1 of all cores, however they are sharded. */
function exceedsChip({ inputType, chip }: ConvolutionRequest, { wanted }: WindowPart): boolean {
  const bytes = inputPixels(wanted) * wanted.inChannels * rowElementBytes(stickType(inputType));
  return (isBlockFloat(inputType) ? bytes / 2 : bytes) > workerCores(chip) * chip.l1Size;
}

/** L1 per core that the backend expects of a slice: while its halo is gathered, or while the kernel runs on it. */
function bytesOfSlice(request: ConvolutionRequest, part: WindowPart): number | ConvolutionRefusal {
  if (exceedsChip(request, part)) return Infinity;
  const shards = shardsOfSlice(request, part);
  if (isRefused(shards)) return shards;
  const { config, shard } = shards;
  const { inputType, input, transposed } = request;
  const { inChannels, outChannels, kernelHeight, kernelWidth } = part.window;
  const foreseen = { ...request, window: part.foreseen };
  const alignment = transposed ? 32 : channelAlignment(config.kind, input.tiled);
  const channels = roundUp(inChannels, config.columns * alignment);
  const kernel = kernelL1(foreseen, config, channels, [
    (transposed ? channels : roundUp(inChannels, alignment)) * kernelHeight * kernelWidth,
    roundUp(outChannels, 32 * (transposed ? resultConfig(foreseen, config).columns : 1)),
  ]);
  if (isRefused(kernel)) return kernel;
  const stick = shard[1] * rowElementBytes(stickType(inputType));
  const operand = Math.floor(shard[0] * stick / (isBlockFloat(inputType) && !transposed ? 2 : 1));
  return Math.max(operand, kernel.bytes) +
    expectedSticks({ ...request, window: part.window }, config) * stick;
}

/**
 * Plans every slice. With several slices, each is read row-major, regardless of the operand's pages, into
 * shards of the first slice's kind.
 *
 * @returns the refusal of the first slice that cannot run
 */
function planSlices(
  request: ConvolutionRequest,
  slicing: Slicing,
): SlicedConvolution | ConvolutionRefusal {
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
  let first: ShardKind | undefined;
  for (const part of partsOf(request, slicing, grainOf(request))) {
    const own = first === undefined ? request.config : { ...request.config, shardLayout: first };
    const shards = shardsOfSlice({ ...request, config: own }, part);
    if (isRefused(shards)) return shards;
    first ??= shards.config.kind;
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

/** Whether a tiled operand is reshaped before and after, because image rows do not fill tile rows. */
export function needsReshape({ input, window }: ConvolutionRequest): boolean {
  return input.tiled && window.inputWidth % 32 !== 0 && !(window.batch === 1 && window.inputHeight === 1);
}
