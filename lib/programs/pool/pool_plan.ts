// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../../device/chip_description.ts";
import { isBlockFloat, tileBytes } from "../../layout/data_type.ts";
import { roundUp } from "../../layout/make_layout.ts";
import type { TtnnLayout } from "../../layout/ttnn_layout.ts";
import { windowReach } from "../../layout/window_positions.ts";
import { indexFormat, type SlidingWindow } from "../../ops/sliding_window.ts";
import { type CircularBuffer, circularBuffer, circularBufferBytes, MOST_PAGES } from "../circular_buffer.ts";
import { inDram, isInterleaved, type ProgramTensor, programTensor } from "../program_tensor.ts";
import { elementShard, shardedLayout, shardedTensor } from "../shard_spec.ts";
import { type HaloPlan, planHalo } from "../sliding_window/halo.ts";
import {
  configOfShards,
  type ParallelConfig,
  type ShardKind,
  spreadOverCores,
} from "../sliding_window/parallel_config.ts";
import {
  type ConvolutionRefusal,
  inputPixels,
  outputPixels,
  readerIndexBytes,
  refused,
  tooManyRows,
} from "../sliding_window/sliding_window.ts";

/** The reduction of a window; `indexed_max` also finds where its largest pixel is. */
export type PoolKind = "max" | "indexed_max" | "average";

/** A pool with its placed input. */
export interface PoolRequest {
  readonly window: SlidingWindow;
  readonly kind: PoolKind;
  /** Whether an average counts the padding in its windows. */
  readonly countsPadding: boolean;
  readonly input: ProgramTensor;
  /** Whether config tensors are in DRAM; otherwise in L1_SMALL. */
  readonly tablesInDram: boolean;
  readonly reallocatesHalo: boolean;
  readonly chip: ChipDescription;
}

/** A pool on shards in L1. */
export interface WindowPool {
  readonly kind: "windows";
  readonly request: PoolRequest;
  /** The shards created from an interleaved operand; `undefined` if the operand's own shards are read. */
  readonly shards: ProgramTensor | undefined;
  readonly config: ParallelConfig;
  readonly halo: HaloPlan;
  readonly circularBuffers: readonly CircularBuffer[];
  /** Bytes per core of each table in L1_SMALL. */
  readonly tablesInL1Small: readonly number[];
  /** Output pixels per core. */
  readonly pixels: number;
  /** The result in the kernel's output shards, and their layout. */
  readonly result: ProgramTensor;
  readonly resultLayout: TtnnLayout;
}

/** A pool that averages whole images. */
export interface MeanPool {
  readonly kind: "mean";
  readonly request: PoolRequest;
}

/** Plan of an unsliced pool (`ttnn:backend-0-81-1`, tt-metal:pool). */
export function planPool(request: PoolRequest): WindowPool | MeanPool | ConvolutionRefusal {
  const { window, input } = request;
  if (exceedsHalf(window)) return refused("padding", "padding must not exceed half of the window");
  if (exceedsImage(window)) return refused("reach", "the window must not exceed the padded image");
  if (isMean(request)) return { kind: "mean", request };
  if (input.dataType !== "bf16" && !isBlockFloat(input.dataType)) {
    return refused("format", `${input.dataType} is not pooled`);
  }
  const own = configOfShards(input);
  if (own === undefined && !isInterleaved(input)) {
    const reason = "the operand must be interleaved or in height, block or width shards in L1";
    return refused("operand-memory", reason);
  }
  const config = own ?? automaticConfig(request);
  if (own !== undefined && hasEmptyShards(input, own, elementShard(input)[1])) {
    return refused("empty-shards", `channels do not reach all ${own.columns} columns of cores`);
  }
  const shards = own === undefined ? shardsOf(request, config) : undefined;
  const activation = shards ?? input;
  const moved = { window, transposed: false };
  const halo = planHalo({
    moved,
    input: activation,
    config,
    rowUnit: 1,
    tablesInDram: request.tablesInDram,
    chip: request.chip,
  });
  const rows = activation.tiled ? halo.sticks : Math.max(halo.sticks, elementShard(activation)[0]);
  if (rows > MOST_PAGES) return tooManyRows(rows);
  const pixels = roundUp(outputPixels(window), config.rows) / config.rows;
  const shape = [1, 1, outputPixels(window), window.outChannels];
  const resultLayout = shardedLayout({ dataType: "bf16", tiled: false }, config, [
    pixels,
    resultChannels(window, config),
  ]);
  const indexBytes = readerIndexBytes(moved, halo.bounds, undefined);
  const divides = hasSeveralDivisors(request);
  return {
    kind: "windows",
    request,
    shards,
    config,
    halo,
    pixels,
    circularBuffers: request.tablesInDram
      ? [
        ...kernelBuffers(request, config),
        circularBuffer("reader_indices", indexBytes),
        ...divides ? [circularBuffer("divisors", pixels * BYTES_PER_ENTRY)] : [],
      ]
      : kernelBuffers(request, config),
    tablesInL1Small: request.tablesInDram ? [] : [
      indexBytes,
      ...divides ? [BYTES_PER_ENTRY * mostDivisors(request, pixels, config.rows)] : [],
    ],
    result: programTensor({ shape, dataType: "bf16" }, resultLayout),
    resultLayout,
  };
}

/** Whether padding on the top, bottom or left exceeds half of the window. */
function exceedsHalf({ padding: { top, bottom, left }, kernelHeight, kernelWidth }: SlidingWindow): boolean {
  const [height, width] = [Math.floor(kernelHeight / 2), Math.floor(kernelWidth / 2)];
  return top > height || bottom > height || left > width;
}

/** Whether a window is larger than the image with the padding that the op asks for, to which `ceil_mode` adds nothing. */
function exceedsImage(window: SlidingWindow): boolean {
  const { padding: { top, bottom, left, right } } = window;
  const rows = windowReach({ kernel: window.kernelHeight, dilation: window.dilationHeight });
  const columns = windowReach({ kernel: window.kernelWidth, dilation: window.dilationWidth });
  return rows > window.inputHeight + top + bottom || columns > window.inputWidth + left + right;
}

/** Bytes of a table entry (reader indices, divisors), and of the end of the DRAM tables. */
const BYTES_PER_ENTRY = 6;
const TABLE_END = 2;

/** Whether an average's window is the whole unpadded image; block floats: pixels % 32 = 0. */
export function isMean({ kind, window, input }: PoolRequest): boolean {
  const { padding: { top, bottom, left, right }, inputHeight, inputWidth } = window;
  return kind === "average" && window.kernelHeight === inputHeight && window.kernelWidth === inputWidth &&
    top + bottom + left + right === 0 &&
    (!isBlockFloat(input.dataType) || inputHeight * inputWidth % 32 === 0);
}

/** Channels per core of the result: `outChannels / columns` in faces; if padded, one or whole tiles. */
function resultChannels({ outChannels }: SlidingWindow, { columns }: ParallelConfig): number {
  const channels = roundUp(outChannels, 16 * columns) / columns;
  return channels * columns === outChannels || channels === 16 ? channels : roundUp(channels, 32);
}

/** Whether the last column of cores is empty. */
function hasEmptyShards({ shape }: ProgramTensor, { columns }: ParallelConfig, shardWidth: number): boolean {
  const channels = shape.at(-1) ?? 1;
  return channels % columns !== 0 && (columns - 1) * shardWidth >= channels;
}

/** Whether an average divides windows by different pixel counts. */
export function hasSeveralDivisors({ kind, countsPadding, window }: PoolRequest): boolean {
  const { padding: { top, bottom, left, right }, padHeight, padWidth } = window;
  const padded = top + bottom + left + right;
  return kind === "average" && (padHeight + padWidth > padded || (!countsPadding && padded > 0));
}

/** Most divisor entries of a core: one per run of output pixels with equal divisors. */
function mostDivisors({ window, countsPadding }: PoolRequest, pixels: number, cores: number): number {
  const { outputHeight, outputWidth, padding: { top, bottom, left, right } } = window;
  // Pixels of a window along one axis that count.
  const along = (begin: number, kernel: number, size: number, after: number) => {
    const end = Math.min(begin + kernel, size + after);
    return countsPadding ? end - begin : Math.max(0, Math.min(end, size) - Math.max(begin, 0));
  };
  const { kernelHeight, kernelWidth, inputHeight, inputWidth, strideHeight, strideWidth } = window;
  let most = 0;
  for (let core = 0; core < cores; core++) {
    let count = 0;
    let last: number | undefined;
    for (let output = core * pixels; output < (core + 1) * pixels; output++) {
      const row = Math.floor(output / outputWidth) % outputHeight;
      const column = output % outputWidth;
      const area = along(row * strideHeight - top, kernelHeight, inputHeight, bottom) *
        along(column * strideWidth - left, kernelWidth, inputWidth, right);
      if (area !== last) count++;
      last = area;
    }
    most = Math.max(most, count);
  }
  return most;
}

/** The sharding with the least L1; ties go to height. */
export function automaticConfig(request: PoolRequest): ParallelConfig {
  const spread = (kind: ShardKind) => {
    const config = configOfKind(request, kind);
    return { config, bytes: expectedBytes(request, config) };
  };
  const [height, width, block] = [spread("height_sharded"), spread("width_sharded"), spread("block_sharded")];
  if (height.bytes > width.bytes) return (width.bytes > block.bytes ? block : width).config;
  return (height.bytes > block.bytes ? block : height).config;
}

function configOfKind({ window, input, chip }: PoolRequest, kind: ShardKind): ParallelConfig {
  return spreadOverCores(kind, {
    pixels: outputPixels(window),
    inChannels: window.inChannels,
    outChannels: window.outChannels,
    channelAlignment: 32,
    padsChannels: false,
    rowUnit: 1,
    columnUnit: input.tiled ? 32 : 16,
    rowMultiple: 1,
  }, chip);
}

/**
 * The backend's estimate of L1 bytes per core when it chooses a sharding: rows of the result are rounded up
 * to 32.
 */
function expectedBytes(request: PoolRequest, config: ParallelConfig): number {
  const { window: { inChannels } } = request;
  const columns = roundUp(inChannels, config.columns * 32) / config.columns;
  const row = Math.ceil(inChannels / config.columns / 16) * Math.min(16, columns) * ELEMENT;
  return kernelBytes(request, config, row, 32);
}

/**
 * The backend's estimate of L1 bytes per core: circular buffers, result, copies of DRAM tables.
 *
 * @param row bytes of a row of the result
 * @param unit alignment of the rows per core
 */
export function kernelBytes(request: PoolRequest, config: ParallelConfig, row: number, unit = 1): number {
  const pixels = outputPixels(request.window);
  const rows = config.kind === "width_sharded" ? pixels : roundUp(pixels, config.rows * unit) / config.rows;
  const tables = !request.tablesInDram
    ? 0
    : rows * BYTES_PER_ENTRY * (hasSeveralDivisors(request) ? 2 : 1) + TABLE_END;
  const results = (request.kind === "indexed_max" ? 2 : 1) * roundUp(rows * row, 32);
  return circularBufferBytes({ circularBuffers: kernelBuffers(request, config) }) + results + tables;
}

/** The operand in shards of this parallel config. */
export function shardsOf({ window, input }: PoolRequest, config: ParallelConfig): ProgramTensor {
  const { tiled } = input;
  const pixels = tiled ? roundUp(inputPixels(window), 32) : inputPixels(window);
  const shape = [1, 1, inputPixels(window), window.inChannels];
  return shardedTensor({ ...input, shape }, config, [
    roundUp(pixels, config.rows * (tiled ? 32 : 1)) / config.rows,
    roundUp(window.inChannels, config.columns * (tiled ? 32 : 8)) / config.columns,
  ]);
}

/** Bytes of an element: the kernel computes in bf16. */
const ELEMENT = 2;
const TILE = 1024 * ELEMENT;

/** Most window pixels reduced at once; pixels per batch of a larger window. */
const SMALL_WINDOW = 16;
const GATHERED = 32;

/**
 * Circular buffers of the pooling kernel, table copies excluded (`ttnn:backend-0-81-1`): scalars, a clear
 * tile, stick batches of two readers.
 */
function kernelBuffers(request: PoolRequest, config: ParallelConfig): readonly CircularBuffer[] {
  const { kind, window } = request;
  const pixels = window.kernelHeight * window.kernelWidth;
  const channels = window.inChannels / config.columns;
  const lastTile = Math.floor(channels) % 32;
  const small = lastTile > 0 && lastTile <= SMALL_WINDOW ? SMALL_WINDOW : GATHERED;
  const tilesAtOnce = kind === "indexed_max" ? 1 : kind === "average" && pixels > small ? 4 : 8;
  const width = Math.min(Math.ceil(channels / 32), tilesAtOnce) * 32;
  const batch = 2 * roundUp(width * (pixels <= SMALL_WINDOW ? pixels : GATHERED), 1024) * ELEMENT;
  return [
    circularBuffer("scalar", 2 * TILE),
    ...hasSeveralDivisors(request) ? [circularBuffer("next_scalar", 2 * TILE)] : [],
    circularBuffer("clear_value", TILE),
    circularBuffer("in0", batch),
    circularBuffer("in1", batch),
    ...kind === "indexed_max" ? indexBuffers(window, pixels > small) : [],
  ];
}

/**
 * Buffers of a core that finds indices besides values: six tiles of indices and their increments along windows and rows,
 * two more for the results so far of windows that it gathers in parts, one bf16 tile to sort in (`ttnn:backend-0-81-1`).
 */
function indexBuffers(window: SlidingWindow, inParts: boolean): readonly CircularBuffer[] {
  return [
    circularBuffer("indices", (inParts ? 8 : 6) * tileBytes(indexFormat(window))),
    circularBuffer("sorted", TILE),
  ];
}

/** Whether the shards are freed after the halo: those created from a DRAM operand. */
export function dropsShards({ request: { input }, shards }: WindowPool): boolean {
  return shards !== undefined && inDram(input);
}
