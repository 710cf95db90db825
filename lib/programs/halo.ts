// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../device/chip_description.ts";
import type { CircularBuffer } from "./circular_buffer.ts";
import type { HaloProgram } from "./program.ts";
import type { ProgramTensor } from "./program_tensor.ts";
import type { SlidingWindow } from "../ops/sliding_window.ts";
import { tileBuffer } from "./stream.ts";

/** A sliding window op whose activation is spread over cores. */
export interface HaloRequest {
  readonly window: SlidingWindow;
  readonly input: ProgramTensor;
  /** Cores along the pixels, and in all. */
  readonly rowCores: number;
  readonly cores: number;
  /** Bytes of one stick, and sticks that a core needs. */
  readonly stickBytes: number;
  readonly outputSticks: number;
  /** Tiles of channels that a core holds. */
  readonly channelTiles: number;
}

/** Rows of tiles that each of two readers untilizes ahead of itself. */
const UNTILIZED_ROWS = 2;

/** The halo program: each core gathers the padded rows of pixels that its windows read. */
export function haloProgram(request: HaloRequest, chip: ChipDescription): HaloProgram {
  const { window, input, rowCores, cores, stickBytes, channelTiles } = request;
  const sticks = window.batch * window.inputHeight * window.inputWidth;
  const inputSticks = Math.ceil(sticks / rowCores);
  return {
    kind: "halo",
    cores,
    circularBuffers: haloBuffers(request),
    reads: [{ tensor: input, bytes: input.bytes, local: true }],
    writes: [],
    flops: 0,
    launches: 1,
    inputSticks,
    outputSticks: request.outputSticks,
    ...sticksOf(window, request.outputSticks, { sticks, rowCores, inputSticks }),
    lineCores: lineCores(rowCores, cores, chip),
    stickBytes: Math.max(16, stickBytes),
    tiles: input.tiled ? Math.ceil(inputSticks / 32) * channelTiles : 0,
  };
}

/** An image and the padding around it, both sides together, in pixels. */
export type PaddedImage = Pick<SlidingWindow, "inputHeight" | "inputWidth" | "padHeight" | "padWidth">;

/** How an image's pixels are sharded. */
export interface PixelShards {
  /** Pixels of all images. */
  readonly sticks: number;
  /** Cores along the pixels, and pixels that each of them holds. */
  readonly rowCores: number;
  readonly inputSticks: number;
}

/**
 * The sticks of a core: pixels on average, some from other cores, and padding on the core with the most padding. A core
 * at the upper or lower edge of the image has whole rows of padding where the others have pixels, and both ends of
 * every row.
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
 * Pixels of a core's own shard among those that its windows read, on average. Windows are spread evenly over the image;
 * if shards hold more pixels than each core processes, windows and shards drift apart until a core has none of its own
 * left.
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

/** Height shards follow one another row by row of the grid; the pixels of block shards go down its columns. */
export function lineCores(rowCores: number, cores: number, { workerGrid }: ChipDescription): number {
  return cores > rowCores ? rowCores : Math.min(rowCores, workerGrid.columns);
}

/**
 * Circular buffers in addition to those on input and result: each of two readers has a stick of padding, and rows of
 * untilized tiles where the input is tiled (tt-metal:conv2d, `untilize_with_halo`).
 */
function haloBuffers({ input, stickBytes, channelTiles }: HaloRequest): readonly CircularBuffer[] {
  const format = input.dataType === "f32" ? "f32" : "bf16";
  return [0, 1].flatMap((reader) => [
    { name: `padding${reader}`, bytes: stickBytes },
    ...input.tiled ? [tileBuffer(`untilized${reader}`, UNTILIZED_ROWS * channelTiles, format)] : [],
  ]);
}
