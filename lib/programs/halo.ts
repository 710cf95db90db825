// SPDX-License-Identifier: Apache-2.0
import type { CircularBuffer, HaloProgram } from "./program.ts";
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

/** The halo program: each core gathers the padded rows of pixels that its windows look at. */
export function haloProgram(request: HaloRequest): HaloProgram {
  const { window, input, rowCores, cores, stickBytes, channelTiles } = request;
  const inputSticks = Math.ceil(window.batch * window.inputHeight * window.inputWidth / rowCores);
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
    ...sticksOf(window, request.outputSticks),
    stickBytes: Math.max(16, stickBytes),
    tiles: input.tiled ? Math.ceil(inputSticks / 32) * channelTiles : 0,
  };
}

/** An image and the padding around it, both sides together, in pixels. */
export type PaddedImage = Pick<SlidingWindow, "inputHeight" | "inputWidth" | "padHeight" | "padWidth">;

/**
 * What the sticks of a core are: pixels on average, and padding on the core that has the most of it. A core at the
 * upper or lower edge of the image has whole rows of padding where the others have pixels, and both ends of every row.
 */
export function sticksOf(
  { inputHeight, inputWidth, padHeight, padWidth }: PaddedImage,
  outputSticks: number,
): Pick<HaloProgram, "filledSticks" | "paddingSticks"> {
  const rowSticks = inputWidth + padWidth;
  const filledSticks = outputSticks * inputHeight * inputWidth / ((inputHeight + padHeight) * rowSticks);
  const rowsOutside = Math.ceil(padHeight / 2);
  const rowsInside = Math.max(0, outputSticks / rowSticks - rowsOutside);
  const atEdge = Math.min(outputSticks, rowsOutside * rowSticks + rowsInside * padWidth);
  return { filledSticks, paddingSticks: Math.max(outputSticks - filledSticks, atEdge) };
}

/**
 * Circular buffers beside those that lie on input and result: each of two readers has a stick of padding, and rows of
 * untilized tiles where the input is tiled (tt-metal:conv2d, `untilize_with_halo`).
 */
function haloBuffers({ input, stickBytes, channelTiles }: HaloRequest): readonly CircularBuffer[] {
  const format = input.dataType === "f32" ? "f32" : "bf16";
  return [0, 1].flatMap((reader) => [
    { name: `padding${reader}`, bytes: stickBytes },
    ...input.tiled ? [tileBuffer(`untilized${reader}`, UNTILIZED_ROWS * channelTiles, format)] : [],
  ]);
}
