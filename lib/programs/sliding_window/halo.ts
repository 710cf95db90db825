// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../../device/chip_description.ts";
import { boxExtent } from "../../layout/core_range.ts";
import { rowElementBytes, tileBytes } from "../../layout/data_type.ts";
import { roundUp } from "../../layout/make_layout.ts";
import type { SlidingWindow } from "../../ops/sliding_window.ts";
import { type CircularBuffer, circularBuffer } from "../circular_buffer.ts";
import { stickType } from "../conv/convolution_blocks.ts";
import { type ChainStep, freeing } from "../launch_sequence.ts";
import type { HaloProgram, PoolProgram } from "../program.ts";
import type { ProgramTensor } from "../program_tensor.ts";
import { remember } from "../remember.ts";
import { elementShard, shardedTensor } from "../shard_spec.ts";
import { haloConfigBytes } from "./halo_config.ts";
import { coresOfConfig, type ParallelConfig } from "./parallel_config.ts";
import {
  type CoreBounds,
  coreBounds,
  geometryKey,
  haloSticks,
  inputPixels,
  type MovedWindow,
  paddedImage,
} from "./sliding_window.ts";
import { residentProgram } from "../stream.ts";

/** Inputs of a halo plan. */
export interface HaloRequest {
  readonly moved: MovedWindow;
  /** The activation in its shards. */
  readonly input: ProgramTensor;
  readonly config: ParallelConfig;
  /** Granularity of output pixels per core. */
  readonly rowUnit: 1 | 32;
  /** Whether config tensors are in DRAM, so that the program holds a copy; otherwise they are in L1_SMALL. */
  readonly tablesInDram: boolean;
  readonly chip: ChipDescription;
}

/** A halo: the sticks that every core gathers. */
export interface HaloPlan extends HaloRequest {
  readonly bounds: readonly CoreBounds[];
  /** Sticks (pixels with all channels of a core) on the core with the most, and bytes per stick. */
  readonly sticks: number;
  readonly stickBytes: number;
  /** Its result: row-major shards on the cores of the input. */
  readonly output: ProgramTensor;
}

export function planHalo(request: HaloRequest): HaloPlan {
  const { moved, input, config, rowUnit, chip } = request;
  const bounds = coreBounds(moved, config.rows, rowUnit);
  const sticks = haloSticks(bounds);
  const dataType = stickType(input.dataType);
  const [, width] = elementShard(input);
  const shape = [1, 1, sticks * config.rows, moved.window.inChannels];
  return {
    ...request,
    bounds,
    sticks,
    stickBytes: roundUp(width * rowElementBytes(dataType), chip.l1Alignment),
    output: shardedTensor({ shape, dataType, tiled: false }, config, [sticks, width]),
  };
}

/** What all programs that reduce windows of a halo share. */
export function poolOf(
  { output }: HaloPlan,
  result: ProgramTensor,
  circularBuffers: readonly CircularBuffer[],
): Pick<PoolProgram, "kind" | "circularBuffers" | "reads" | "writes"> {
  return {
    kind: "pool",
    circularBuffers,
    reads: [{ tensor: output, bytes: output.bytes, local: true }],
    writes: [{ tensor: result, bytes: result.bytes, local: true }],
  };
}

/**
 * The steps that gather a halo.
 *
 * @param isMoved whether the halo is allocated anew, at the address of the shards if these are freed
 * @param dropped the shards that it is gathered from, if they are freed
 */
export function gatherSteps(halo: HaloPlan, isMoved: boolean, dropped?: ProgramTensor): readonly ChainStep[] {
  const { output } = halo;
  const { program, tablesInL1Small: smallTables } = haloProgram(halo);
  const freed = dropped === undefined ? [] : [dropped];
  const gathered: ChainStep = { tensor: output, programs: [program], smallTables, frees: freed };
  if (!isMoved) return [gathered];
  const copy = residentProgram(output.shardCores, [], { copiedBytes: output.shardBytes });
  return [
    ...freeing([gathered], output),
    { tensor: output, programs: dropped === undefined ? [] : [{ ...copy, isUntraced: true }] },
  ];
}

/**
 * The halo program: each core gathers the padded rows of pixels that its windows read.
 *
 * @returns the program, and the bytes of its config tensors in L1_SMALL
 */
function haloProgram(
  plan: HaloPlan,
): { readonly program: HaloProgram; readonly tablesInL1Small: readonly number[] } {
  const { moved, input, config, stickBytes, sticks, chip } = plan;
  const [inputSticks, width] = elementShard(input);
  const cores = coresOfConfig(config);
  const image = moved.transposed ? spreadImage(moved.window) : moved.window;
  const pixels = inputPixels(moved.window);
  const tables = haloTables(plan);
  const program: HaloProgram = {
    kind: "halo",
    cores,
    circularBuffers: haloBuffers(plan, plan.tablesInDram ? tables : []),
    reads: [{ tensor: input, bytes: input.bytes, local: true }],
    writes: [],
    flops: 0,
    inputSticks,
    outputSticks: sticks,
    ...sticksOf(image, sticks, { sticks: pixels, rowCores: config.rows, inputSticks }),
    lineCores: lineCores(config.rows, cores, chip),
    stickBytes,
    tiles: input.tiled ? Math.ceil(inputSticks / 32) * Math.ceil(width / 32) : 0,
  };
  return { program, tablesInL1Small: plan.tablesInDram ? [] : tables };
}

/**
 * Bytes of config tensors by window and shards, independent of channels: a search repeats the same ones many
 * times.
 */
const TABLE_CACHE: Map<string, readonly number[]> = new Map();

/** Bytes of the config tensors. */
function haloTables({ moved, input, config, bounds, rowUnit }: HaloPlan): readonly number[] {
  const [shardRows] = elementShard(input);
  const columns = config.kind === "block_sharded" ? undefined : boxExtent(config.coreRanges)[1];
  const key = `${
    geometryKey(moved)
  } ${shardRows} ${input.tiled} ${columns} ${config.rows} ${bounds.length} ${rowUnit}`;
  return remember(TABLE_CACHE, key, () =>
    haloConfigBytes(moved, bounds, {
      shardRows,
      tiled: input.tiled,
      placeOf: (core) => columns === undefined ? [0, core] : [core % columns, Math.floor(core / columns)],
    }));
}

/** The image of a transposed convolution, in which all positions without a pixel are padding. */
function spreadImage(window: SlidingWindow): PaddedImage {
  const [height, width] = paddedImage({ window, transposed: true });
  const { inputHeight, inputWidth } = window;
  return { inputHeight, inputWidth, padHeight: height - inputHeight, padWidth: width - inputWidth };
}

/** An image and its padding (both sides together), in pixels. */
export type PaddedImage = Pick<SlidingWindow, "inputHeight" | "inputWidth" | "padHeight" | "padWidth">;

/** How an image's pixels are sharded. */
export interface PixelShards {
  /** Pixels of all images. */
  readonly sticks: number;
  /** Cores along the pixels, and pixels per core. */
  readonly rowCores: number;
  readonly inputSticks: number;
}

/**
 * Sticks of a core: the mean number of pixels, the part of them from other cores, and the padding of the core
 * with the most. A core at the upper or lower edge of the image has whole rows of padding instead of pixels,
 * plus both ends of every row.
 */
export function sticksOf(
  { inputHeight, inputWidth, padHeight, padWidth }: PaddedImage,
  outputSticks: number,
  shards: PixelShards,
): Pick<HaloProgram, "filledSticks" | "foreignSticks" | "paddingSticks"> {
  const rowSticks = inputWidth + padWidth;
  const filledSticks = outputSticks * inputHeight * inputWidth / ((inputHeight + padHeight) * rowSticks);
  const rowsOutside = Math.ceil(padHeight / 2);
  const rowsInside = Math.max(0, outputSticks / rowSticks - rowsOutside);
  const atEdge = Math.min(outputSticks, rowsOutside * rowSticks + rowsInside * padWidth);
  return {
    filledSticks,
    foreignSticks: filledSticks - ownSticks(filledSticks, shards),
    paddingSticks: Math.max(outputSticks - filledSticks, atEdge),
  };
}

/**
 * Mean number of pixels in a core's own shard among those that its windows read. Windows are spread evenly
 * over the image; if shards hold more pixels than the core processes, windows and shards drift apart until a
 * core has none of its own.
 */
function ownSticks(filledSticks: number, { sticks, rowCores, inputSticks }: PixelShards): number {
  const step = sticks / rowCores;
  const before = (filledSticks - step) / 2;
  let own = 0;
  for (let core = 0; core < rowCores; core++) {
    const begin = Math.max(core * inputSticks, core * step - before);
    const end = Math.min((core + 1) * inputSticks, sticks, core * step - before + filledSticks);
    own += Math.max(0, end - begin);
  }
  return Math.min(filledSticks, own / rowCores);
}

/** Height shards are placed row by row of the grid; the pixels of block shards go down its columns. */
export function lineCores(rowCores: number, cores: number, { workerGrid }: ChipDescription): number {
  return cores > rowCores ? rowCores : Math.min(rowCores, workerGrid.columns);
}

/** Tile rows that each of two threads untilizes ahead. */
const UNTILIZED_ROWS = 2;

/**
 * Circular buffers besides input and result (`ttnn:backend-0-81-1`): for each of two threads a stick of
 * padding, untilized tile rows if the input is tiled, and copies of its two config tensors if these are in
 * DRAM.
 */
function haloBuffers({ input, stickBytes }: HaloPlan, tables: readonly number[]): readonly CircularBuffer[] {
  const [, width] = elementShard(input);
  const pair = (name: string, bytes: number) =>
    [0, 1].map((thread) => circularBuffer(`${name}${thread}`, bytes));
  const untilized = UNTILIZED_ROWS * Math.ceil(width / 32) * tileBytes(stickType(input.dataType));
  return [
    ...pair("padding", stickBytes),
    ...input.tiled ? pair("untilized", untilized) : [],
    ...tables.map((bytes, index) => circularBuffer(`config${index}`, bytes)),
  ];
}
