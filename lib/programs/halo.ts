// SPDX-License-Identifier: Apache-2.0
import type { HaloProgram } from "./program.ts";
import type { ProgramTensor } from "./program_tensor.ts";
import type { SlidingWindow } from "../ops/sliding_window.ts";

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

/** The halo program: each core gathers the padded rows of pixels that its windows look at. */
export function haloProgram(request: HaloRequest): HaloProgram {
  const { window, input, rowCores, cores, stickBytes, channelTiles } = request;
  const inputSticks = Math.ceil(window.batch * window.inputHeight * window.inputWidth / rowCores);
  const padded = (window.inputHeight + window.padHeight) * (window.inputWidth + window.padWidth);
  return {
    kind: "halo",
    cores,
    circularBuffers: [],
    reads: [{ tensor: input, bytes: input.bytes, local: true }],
    writes: [],
    flops: 0,
    launches: 1,
    inputSticks,
    outputSticks: request.outputSticks,
    filledShare: window.inputHeight * window.inputWidth / padded,
    stickBytes: Math.max(16, stickBytes),
    tiles: input.tiled ? Math.ceil(inputSticks / 32) * channelTiles : 0,
  };
}
