// SPDX-License-Identifier: Apache-2.0
import type { DataType } from "../../layout/data_type.ts";
import { canonicalCoreRanges, roundUp } from "../../layout/make_layout.ts";
import type { TtnnLayout } from "../../layout/ttnn_layout.ts";
import { type CircularBuffer, MOST_PAGES } from "../circular_buffer.ts";
import {
  channelAlignment,
  type ConvolutionBlocks,
  convolutionBlocks,
  type ConvolutionWork,
  isDepthwiseLine,
  preparedExtent,
  resultConfig,
  runsAsMatmul,
  type WeightsExtent,
} from "./convolution_blocks.ts";
import { convolutionBuffers, INDEX_BYTES_PER_TILE, readerShares } from "./convolution_buffers.ts";
import { activationShard, automaticKind, convolutionCores } from "./convolution_sharding.ts";
import { pointwiseBuffers } from "./matmul_convolution.ts";
import { isInterleaved, type ProgramTensor, programTensor } from "../program_tensor.ts";
import { elementShard, shardedLayout, shardedTensor } from "../shard_spec.ts";
import { type HaloPlan, planHalo } from "../sliding_window/halo.ts";
import {
  configOfShards,
  isShardKind,
  type ParallelConfig,
  parallelConfig,
  sameConfig,
  type ShardKind,
} from "../sliding_window/parallel_config.ts";
import {
  type ConvolutionRefusal,
  inputPixels,
  isRefused,
  type MovedWindow,
  outputPixels,
  readerIndexBytes,
  refused,
  tooManyRows,
} from "../sliding_window/sliding_window.ts";

/** A convolution with its placed activation. */
export interface ConvolutionRequest extends ConvolutionWork {
  readonly input: ProgramTensor;
  /** Result format for which the weights were prepared. */
  readonly preparedOutType: DataType;
  /**
   * Whether weights are prepared for the shards that the kernel reads, regardless of the operand's shards:
   * true for slices of an operand in DRAM.
   */
  readonly preparesForShards: boolean;
}

/** The conversion of an activation into the shards that the kernel reads. */
export interface Staging {
  /** The created shards; `undefined` if the operand's own shards are read. */
  readonly shards: ProgramTensor | undefined;
  /** Whether row-major data is tilized first, in the operand's memory, or after sharding. */
  readonly tilizes: "never" | "before" | "after";
}

/** A convolution on shards in L1. */
export interface ShardedConvolution {
  readonly kind: "sharded";
  readonly request: ConvolutionRequest;
  readonly isMatmul: boolean;
  readonly staging: Staging;
  readonly input: ParallelConfig;
  readonly output: ParallelConfig;
  readonly blocks: ConvolutionBlocks;
  /** The kernel's activation, before the halo. */
  readonly activation: ProgramTensor;
  /** `undefined` if the kernel reads the shards as they are. */
  readonly halo: HaloPlan | undefined;
  /** Extent of the weights operand. */
  readonly weights: WeightsExtent;
  readonly circularBuffers: readonly CircularBuffer[];
  /** Bytes of the kernel's tables in L1_SMALL. */
  readonly tablesInL1Small: readonly number[];
  /** The result in the kernel's output shards, and their layout. */
  readonly result: ProgramTensor;
  readonly resultLayout: TtnnLayout;
}

/**
 * Plan of a convolution of an operand in L1, or of an unsliced one in DRAM: shards, halo, kernel
 * (`ttnn:backend-0-81-1`, tt-metal:conv2d).
 *
 * @returns the plan, or the backend's refusal
 */
export function planSharded(request: ConvolutionRequest): ShardedConvolution | ConvolutionRefusal {
  const isMatmul = runsAsMatmul(request);
  const spread = shardsToRead(request, isMatmul);
  if (isRefused(spread)) return spread;
  const { input, activation } = spread;
  const output = resultConfig(request, input);
  const channels = alignedChannels(request, input, activation, isMatmul);
  const blocks = convolutionBlocks(request, input, output, channels);
  const weights = request.preparesForShards
    ? preparedExtent(request, input, output, channels)
    : preparedWeights(request);
  if (isRefused(weights)) return weights;
  const plan = { request, isMatmul, ...spread, output, blocks, weights };
  return isMatmul ? planPointwise(plan) : planKernel(plan);
}

/** Input channels, padded for shards that are read in place. */
function alignedChannels(
  { window }: ConvolutionRequest,
  config: ParallelConfig,
  shards: ProgramTensor,
  isMatmul: boolean,
): number {
  const alignment = channelAlignment(config.kind, shards.tiled || isMatmul, elementShard(shards)[1]);
  return roundUp(window.inChannels, config.columns * alignment);
}

type PlacedActivation = Pick<
  ShardedConvolution,
  "request" | "isMatmul" | "staging" | "input" | "output" | "blocks" | "activation" | "weights"
>;

/** The matmul that implements a 1x1 convolution on its shards. */
function planPointwise(plan: PlacedActivation): ShardedConvolution | ConvolutionRefusal {
  const { request, input, output, blocks, weights: [rows, columns] } = plan;
  if (input.kind === "width_sharded") {
    return refused("width-sharded-matmul", "a 1x1 convolution cannot run on width shards");
  }
  if (rows !== roundUp(blocks.channels, 32)) {
    return unlikePrepared(`for ${rows} channels, the operand's shards hold ${blocks.channels}`);
  }
  const across = Math.ceil(columns / 32 / blocks.outWidth);
  if (input.kind === "block_sharded" && across > output.columns) {
    const cores = `${across} columns of cores, not ${output.columns}`;
    return unlikePrepared(`in ${columns} columns, which are blocks of ${cores}`);
  }
  const circularBuffers = pointwiseBuffers(request, input, blocks);
  return isRefused(circularBuffers) ? circularBuffers : {
    kind: "sharded",
    ...plan,
    halo: undefined,
    circularBuffers,
    tablesInL1Small: [],
    ...resultOf(plan, true),
  };
}

/** The convolution kernel after its halo. */
function planKernel(plan: PlacedActivation): ShardedConvolution | ConvolutionRefusal {
  const { request, input, output, blocks, activation, weights } = plan;
  const { window, config, transposed } = request;
  if (isDepthwiseLine(request) && input.kind === "width_sharded") {
    return refused("depthwise-line", "a depthwise convolution along a line does not run on width shards");
  }
  const moved: MovedWindow = { window, transposed };
  const tablesInDram = config.configTensorsInDram === true;
  const halo = planHalo({
    moved,
    input: activation,
    config: input,
    rowUnit: 32,
    tablesInDram,
    chip: request.chip,
  });
  const { top, bottom, left, right } = window.padding;
  const readsShards = input.kind === "width_sharded" && !activation.tiled && !transposed &&
    top + bottom + left + right === 0;
  const rows = readsShards ? elementShard(activation)[0] : halo.sticks;
  if (rows > MOST_PAGES || (!activation.tiled && elementShard(activation)[0] > MOST_PAGES)) {
    return tooManyRows(rows);
  }
  const fault = weightsFault(plan);
  if (fault !== undefined) return fault;
  const shares = readerShares(request, { input, blocks });
  if (isRefused(shares)) return shares;
  const blockRows = shares.filter((tiles, reader) => reader === 0 || tiles > 0).map((tiles) => tiles * 32);
  const indexBytes = readerIndexBytes(moved, halo.bounds, blockRows);
  if (indexBytes > blocks.outHeight * INDEX_BYTES_PER_TILE) {
    return refused("reader-indices", "the readers' table is larger than the backend foresees");
  }
  const circularBuffers = convolutionBuffers(request, {
    input,
    blocks,
    weights,
    isAlone: input.kind !== "height_sharded" && input.columns === 1 && output.columns === 1,
    indexBytes: tablesInDram ? indexBytes : undefined,
  });
  return isRefused(circularBuffers) ? circularBuffers : {
    kind: "sharded",
    ...plan,
    halo: readsShards ? undefined : halo,
    circularBuffers,
    tablesInL1Small: tablesInDram ? [] : [indexBytes],
    ...resultOf(plan, config.outputLayout !== "row_major"),
  };
}

/** Why the kernel cannot read weights that were prepared for the operand's own shards. */
function weightsFault({ input, blocks, weights, request }: PlacedActivation): ConvolutionRefusal | undefined {
  const { kernelHeight, kernelWidth } = request.window;
  const [rows, columns] = weights;
  if (input.kind === "width_sharded") {
    const depth = roundUp(blocks.channels * kernelWidth, 32) * kernelHeight;
    if (rows !== depth) return unlikePrepared(`with ${rows} rows, the kernel reads ${depth}`);
    if (blocks.outHeight % blocks.blockHeight !== 0) {
      return refused(
        "act-block-h",
        `a width-sharded convolution needs activation blocks that divide ${blocks.outHeight} rows of tiles`,
      );
    }
  }
  return columns / 32 % blocks.outWidth === 0
    ? undefined
    : unlikePrepared(`with ${columns / 32} columns of tiles, a core makes ${blocks.outWidth}`);
}

/** The refusal of weights that are prepared for another kernel. @param how and what is needed instead */
function unlikePrepared(how: string): ConvolutionRefusal {
  return refused("prepared-weights", `its weights are prepared ${how}`);
}

function resultOf(
  { request, output, blocks, weights, isMatmul }: PlacedActivation,
  tiled: boolean,
): Pick<ShardedConvolution, "result" | "resultLayout"> {
  const { window, outType: dataType } = request;
  const shape = [1, 1, outputPixels(window), window.outChannels];
  const cores = isMatmul ? withoutIdle(output, blocks, request, weights) : output;
  const resultLayout = shardedLayout({ dataType, tiled }, cores, blocks.outShard);
  return { result: programTensor({ shape, dataType }, resultLayout), resultLayout };
}

/**
 * The cores of a matmul's result that blocks of its pixels and of the weights are for; weights are padded to whole tiles
 * on every column of cores, also where those hold padding alone.
 */
function withoutIdle(
  { kind, rows, columns }: ParallelConfig,
  { outHeight, outWidth }: ConvolutionBlocks,
  { window, chip }: ConvolutionRequest,
  [, weightColumns]: WeightsExtent,
): ParallelConfig {
  const tiles = (extent: number) => Math.ceil(extent / 32);
  const busy = [
    Math.min(rows, Math.ceil(tiles(outputPixels(window)) / outHeight)),
    Math.min(columns, Math.ceil(tiles(weightColumns) / outWidth)),
  ] as const;
  return parallelConfig(kind, canonicalCoreRanges("l1", kind, busy, chip.workerGrid, undefined));
}

/** The activation as the kernel reads it. */
type SpreadActivation = Pick<ShardedConvolution, "input" | "staging" | "activation">;

/**
 * A sharded operand is read in place, regardless of the configured sharding, unless the kernel cannot read
 * its shards or the config requests a better sharding.
 */
function shardsToRead(request: ConvolutionRequest, isMatmul: boolean): SpreadActivation | ConvolutionRefusal {
  const { input: operand, config } = request;
  const own = configOfShards(operand);
  if (own === undefined && !isInterleaved(operand)) {
    return refused(
      "operand-memory",
      "the operand must be interleaved or in height, block or width shards in L1",
    );
  }
  const inPlace: SpreadActivation | undefined = own !== undefined && canReadShards(request, own, isMatmul)
    ? {
      input: own,
      activation: operand,
      staging: { shards: undefined, tilizes: operand.tiled ? "never" : "after" },
    }
    : undefined;
  if (inPlace !== undefined && config.reshardIfNotOptimal !== true) return inPlace;
  const kind = chosenKind(request, own, isMatmul);
  if (typeof kind !== "string") return kind;
  const alignment = channelAlignment(
    own?.kind ?? "interleaved",
    operand.tiled || isMatmul,
    own === undefined ? undefined : elementShard(operand)[1],
  );
  const best = convolutionCores(request, kind, alignment, isMatmul);
  if (inPlace !== undefined && own !== undefined && sameConfig(best, own)) return inPlace;
  return stagedShards(request, own, best, isMatmul);
}

/**
 * Whether the kernel can read such shards: aligned channels; for a matmul whole tiles of pixels and no padded
 * channels.
 */
function canReadShards(request: ConvolutionRequest, own: ParallelConfig, isMatmul: boolean): boolean {
  const { input } = request;
  const [rows, columns] = elementShard(input);
  if (columns % channelAlignment(own.kind, input.tiled || isMatmul, columns) !== 0) return false;
  return !isMatmul || (rows % 32 === 0 && !(own.kind === "block_sharded" && padsBlocks(request, own)));
}

/** Whether blocks hold more channels than exist. */
function padsBlocks({ input, window }: ConvolutionRequest, { columns }: ParallelConfig): boolean {
  return window.inChannels !== columns * elementShard(input)[1];
}

/** The configured sharding; the backend chooses one itself for interleaved operands only. */
function chosenKind(
  request: ConvolutionRequest,
  own: ParallelConfig | undefined,
  isMatmul: boolean,
): ShardKind | ConvolutionRefusal {
  const { shardLayout, reshardIfNotOptimal } = request.config;
  if (isMatmul && own?.kind === "block_sharded" && padsBlocks(request, own)) {
    return reshardIfNotOptimal === true && shardLayout === undefined
      ? refused("reshard-without-layout", "reshard_if_not_optimal needs a shard_layout")
      : "block_sharded";
  }
  if (isShardKind(shardLayout)) return shardLayout;
  if (own === undefined) return automaticKind(request, isMatmul);
  return refused(
    "shard-layout",
    "the kernel cannot read the operand's shards, and conv2d_config names no shard_layout for others",
  );
}

/** The operand in other shards. */
function stagedShards(
  request: ConvolutionRequest,
  own: ParallelConfig | undefined,
  input: ParallelConfig,
  isMatmul: boolean,
): SpreadActivation | ConvolutionRefusal {
  const { input: operand, window } = request;
  const shard = activationShard(request, input, channelAlignment(input.kind, operand.tiled || isMatmul));
  const ownShard = own === undefined ? undefined : elementShard(operand);
  const mostRows = Math.max(shard[0], ownShard?.[0] ?? 0);
  if (!operand.tiled && mostRows > MOST_PAGES) return tooManyRows(mostRows);
  const before = isMatmul && !operand.tiled && input.kind !== "height_sharded";
  if (before && ownShard !== undefined && ownShard.some((extent) => extent % 32 !== 0)) {
    return refused("shard-tile", `shards of ${ownShard.join("x")} elements cannot be made tiles`);
  }
  const shape = [1, 1, inputPixels(window), window.inChannels];
  const shards = shardedTensor({ ...operand, shape, tiled: operand.tiled || before }, input, shard);
  const tilizes = operand.tiled ? "never" : before ? "before" : "after";
  return { input, activation: shards, staging: { shards, tilizes } };
}

/** The cores and channels that weights are prepared for. */
export interface PreparedFor {
  readonly input: ParallelConfig;
  /** Padded input channels. */
  readonly channels: number;
}

/**
 * The sharding that prepare ops assume: the operand's own shards, even if the convolution then reads others; with
 * `reshard_if_not_optimal` the configured sharding; for an interleaved operand the configured one, or the backend's
 * choice with its own defaults (`ttnn:backend-0-81-1`).
 */
export function preparedFor(request: ConvolutionRequest): PreparedFor | ConvolutionRefusal {
  const { input: operand, window, config } = request;
  const isMatmul = runsAsMatmul(request);
  const own = configOfShards(operand);
  if (own !== undefined && config.reshardIfNotOptimal !== true) {
    return { input: own, channels: alignedChannels(request, own, operand, isMatmul) };
  }
  const asDefault: ConvolutionRequest = { ...request, compute: undefined, outType: request.preparedOutType };
  const kind = isShardKind(config.shardLayout)
    ? config.shardLayout
    : own === undefined
    ? automaticKind(asDefault, isMatmul)
    : refused("shard-layout", "conv2d_config names no shard_layout for other shards");
  if (typeof kind !== "string") return kind;
  const inTiles = operand.tiled || isMatmul;
  const alignment = channelAlignment(kind, inTiles);
  const ofCores = own === undefined
    ? alignment
    : channelAlignment(own.kind, inTiles, elementShard(operand)[1]);
  const input = convolutionCores(request, kind, ofCores, isMatmul);
  return { input, channels: roundUp(window.inChannels, input.columns * alignment) };
}

/** Padded extent of the weights operand. */
function preparedWeights(request: ConvolutionRequest): WeightsExtent | ConvolutionRefusal {
  const prepared = preparedFor(request);
  if (isRefused(prepared)) return prepared;
  const { input, channels } = prepared;
  return preparedExtent(request, input, resultConfig(request, input), channels);
}
