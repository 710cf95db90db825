// SPDX-License-Identifier: Apache-2.0
import { rowCount } from "../layout/extents.ts";
import { definitionOf } from "../ops/op_book.ts";
import { type ChipDescription, workerCores } from "../device/chip_description.ts";
import { rowElementBytes } from "../layout/data_type.ts";
import { roundUp } from "../layout/make_layout.ts";
import { spreadPages } from "./convolution.ts";
import { haloProgram } from "./halo.ts";
import type { OpLaunch } from "./op_launch.ts";
import type { CircularBuffer } from "./circular_buffer.ts";
import { type DeviceProgram, inOrder, type OpPrograms, unknownPrograms } from "./program.ts";
import type { ProgramTensor } from "./program_tensor.ts";
import { shardTransfer } from "./memory_move.ts";
import { coresWithLittlePadding, haloBytes } from "./sliding_window.ts";
import { windowOf } from "../ops/op_windows.ts";
import type { SlidingWindow } from "../ops/sliding_window.ts";
import { pageBuffer, streamProgram, tileBuffer, wherePlaced } from "./stream.ts";

/** How a pool is spread over cores, the halo beside the shards. Per core. */
export interface PoolPlan {
  readonly window: SlidingWindow;
  /** Cores along the pixels and along the channels. */
  readonly grid: readonly [number, number];
  /** Output pixels, whole tiles of them. */
  readonly pixels: number;
  /** Channels with their padding, and bytes of one stick. */
  readonly channels: number;
  readonly stickBytes: number;
  readonly inputShardBytes: number;
  readonly haloBytes: number;
}

/**
 * Spreads a pool over the cores of its shards: those of the result, else those of the input; without shards over the
 * cores along the pixels that waste the least on padding (tt-metal:pool).
 *
 * @param pixels output pixels of the whole op
 * @param output `undefined` if its place is not chosen yet
 * @param tiled whether input or output are in tiles, so that channels are padded to 32 instead of 8
 */
export function planPool(
  window: SlidingWindow,
  tensors: { readonly input: ProgramTensor; readonly output: ProgramTensor | undefined },
  pixels: number,
  tiled: boolean,
  chip: ChipDescription,
): PoolPlan {
  const { input, output } = tensors;
  const rows = Math.max(1, Math.ceil(pixels / 32));
  const [gridRows, gridColumns] = shardGrid(output) ?? shardGrid(input) ??
    [coresWithLittlePadding(rows, workerCores(chip)), 1];
  const element = rowElementBytes(input.dataType);
  const channels = roundUp(Math.ceil(window.inChannels / gridColumns), tiled ? 32 : 8);
  const pixelsPerCore = Math.ceil(rows / gridRows) * 32;
  const inputPixels = Math.ceil(window.batch * window.inputHeight * window.inputWidth / gridRows);
  return {
    window,
    grid: [gridRows, gridColumns],
    pixels: pixelsPerCore,
    channels,
    stickBytes: channels * element,
    inputShardBytes: inputPixels * channels * element,
    haloBytes: haloBytes(window, pixelsPerCore, channels * element),
  };
}

function shardGrid(tensor: ProgramTensor | undefined): readonly [number, number] | undefined {
  if (tensor?.placement !== "l1_sharded") return undefined;
  const [rows, columns] = tensor.gridShape;
  return rows === undefined || columns === undefined ? undefined : [rows, columns];
}

/** `max_pool2d`, `avg_pool2d`: shards, halo, then reduction of windows; a pool without a window reduces the image. */
export function poolPrograms(op: OpLaunch, chip: ChipDescription): OpPrograms {
  const [input] = op.inputs;
  const [output] = op.outputs;
  if (input === undefined || output === undefined) {
    return unknownPrograms(op.name, "needs an input and a result");
  }
  if (!op.attributes.has("kernel_size")) return globalPoolPrograms(input, output, chip);
  const window = windowOf(op);
  if (window === undefined) {
    return unknownPrograms(op.name, "batch, image, channels or kernel are missing or do not fit");
  }
  const pixels = rowCount(output.shape);
  const plan = planPool(window, { input, output }, pixels, input.tiled || output.tiled, chip);
  const [rowCores, columnCores] = plan.grid;
  const cores = rowCores * columnCores;
  const windowPixels = window.kernelHeight * window.kernelWidth;
  const channelTiles = Math.max(1, Math.ceil(window.inChannels / columnCores / 32));
  return inOrder(
    ...spreadInput(input, output, cores, chip),
    haloProgram({
      window,
      input,
      rowCores,
      cores,
      stickBytes: plan.stickBytes,
      outputSticks: plan.haloBytes / plan.stickBytes,
      channelTiles,
    }, chip),
    {
      kind: "pool",
      cores,
      circularBuffers: poolBuffers(op.name, output, windowPixels, channelTiles),
      reads: [{ tensor: input, bytes: input.bytes, local: true }],
      writes: [{ tensor: output, bytes: output.bytes, local: true }],
      flops: pixels * windowPixels * channelTiles * columnCores * 32,
      launches: 1,
      pixels: Math.min(plan.pixels, Math.ceil(pixels / rowCores)),
      windowPixels,
      windowReads: poolReads(window.kernelHeight, window.kernelWidth),
      channelTiles,
    },
    ...output.placement === "l1_sharded" ? [] : [spreadPages(output, "write", cores, 1, chip)],
  );
}

/** How the input gets to the cores of the pool: read page by page, or from its shards if these are elsewhere. */
function spreadInput(
  input: ProgramTensor,
  output: ProgramTensor,
  cores: number,
  chip: ChipDescription,
): readonly DeviceProgram[] {
  if (input.placement !== "l1_sharded") return [spreadPages(input, "read", cores, 1, chip)];
  const [from, to] = [shardGrid(input), shardGrid(output)];
  const stays = to === undefined || from?.join("x") === to.join("x");
  if (stays) return [];
  const { shardCores, gridShape, coreRanges, memoryLayout } = output;
  const shardBytes = Math.ceil(input.bytes / Math.max(1, shardCores));
  return [
    shardTransfer(input, { ...input, shardCores, gridShape, coreRanges, memoryLayout, shardBytes }),
  ];
}

/**
 * Circular buffers of the pooling kernel (tt-metal:pool): the scalar that a window is reduced with, a tile to clear
 * with, two readers' batches of sticks, and where the result is tiled, a row of it before it is tilized.
 */
function poolBuffers(
  name: string,
  output: ProgramTensor,
  windowPixels: number,
  channelTiles: number,
): readonly CircularBuffer[] {
  const average = definitionOf(name).family === "avg_pool";
  const sticks = Math.min(windowPixels, 32);
  const batch = 2 * roundUp(Math.min(channelTiles, average ? 4 : 8) * 32 * sticks, 1024) * 2;
  const buffers = [
    tileBuffer("scalar", average ? 4 : 2, "bf16"),
    tileBuffer("clear_value", 1, "bf16"),
    { name: "in0", bytes: batch },
    { name: "in1", bytes: batch },
    pageBuffer("out", 2, output),
  ];
  return output.tiled ? [...buffers, tileBuffer("pre_tilize", channelTiles, "bf16")] : buffers;
}

/** `global_avg_pool2d`: a sum over the image, tile by tile of the result, and a scale. */
function globalPoolPrograms(input: ProgramTensor, output: ProgramTensor, chip: ChipDescription): OpPrograms {
  const perResult = input.tiles / Math.max(1, output.tiles);
  return inOrder(streamProgram({
    units: output.tiles,
    reads: [wherePlaced(input)],
    writes: [wherePlaced(output)],
    compute: [{ operation: "reduce", count: perResult }],
    readBarriers: perResult,
    flops: input.tiles * 1024,
    circularBuffers: [{ name: "tiles", bytes: 6 * 2048 }],
  }, chip));
}

/** Pixels of a window that one reduction holds: the rows of a face. */
const PIXELS_AT_ONCE = 16;

/** Reads of one window: a row at a time, or pixel by pixel where it takes several reductions. */
export function poolReads(height: number, width: number): number {
  return height * width <= PIXELS_AT_ONCE ? height : height * width;
}
