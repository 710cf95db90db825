// SPDX-License-Identifier: Apache-2.0
import { CONV3D } from "../ops/attributes/window.ts";
import { readAttributes } from "../ops/attributes/read_attributes.ts";
import type { Conv3dConfig } from "../op_config/op_config.ts";
import type { OpSignature } from "../ops/op_signature.ts";

/** Blocks by `channels in, channels out, kernel`: channels in, channels out, depth, height, width. */
type Blocking = readonly [number, number, number, number, number];

/** tt-metal's default conv3d blocking, as tt-mlir looks it up (tt-mlir:conv3d-config). */
const BLOCKING: Readonly<Record<string, Blocking>> = {
  "96,3,3x3x3": [96, 32, 1, 16, 8],
  "96,32,3x3x3": [96, 32, 1, 16, 8],
  "192,96,1x3x3": [192, 96, 1, 4, 8],
  "96,96,3x3x3": [96, 96, 1, 8, 8],
  "384,192,1x3x3": [192, 96, 1, 32, 4],
  "192,192,3x3x3": [96, 96, 1, 8, 4],
  "32,384,3x3x3": [32, 96, 1, 2, 32],
  "192,384,3x3x3": [64, 128, 1, 8, 4],
  "384,384,3x3x3": [96, 96, 1, 8, 4],
  "384,768,3x3x3": [96, 96, 1, 8, 4],
  "1024,4096,3x3x3": [256, 32, 1, 1, 1],
  "512,4096,3x3x3": [256, 32, 1, 1, 1],
  "256,512,3x3x3": [256, 32, 1, 4, 4],
  "128,128,3x3x3": [128, 32, 1, 8, 8],
  "128,48,3x3x3": [128, 32, 1, 8, 8],
  "1024,4096,1x3x3": [256, 32, 1, 1, 1],
  "1024,128,3x3x3": [256, 32, 1, 1, 1],
};

/** The shape that determines the blocks of a conv3d. */
export interface Conv3dShape {
  /** Padded channels of the input. */
  readonly inChannels: number;
  readonly outChannels: number;
  /** Depth, height, width. */
  readonly kernel: readonly number[];
  /** Frames, height and width of the result; empty if unknown. */
  readonly output: readonly number[];
}

/** Pixels of a block: rows of a tile. */
const BLOCK_PIXELS = 32;

/**
 * Output channels of a block to try for shapes outside the table; larger blocks reload the image less often.
 */
const CHANNELS_OUT = [128, 64, 32];

/**
 * Conv3d configs to try: the table's entry for a known shape; otherwise blocks whose pixels fill a tile; and
 * the op's own. Input channels of a block stay as in the op, because its weights are prepared for them.
 * Fields set by the user take precedence.
 *
 * @param own config that the op carries
 * @param override fields that the user fixes
 */
export function conv3dConfigs(
  shape: Conv3dShape,
  own: Conv3dConfig,
  override: Conv3dConfig,
): readonly Conv3dConfig[] {
  const { inChannels, outChannels, kernel } = shape;
  const blocking = BLOCKING[`${inChannels},${outChannels},${kernel.join("x")}`];
  if (blocking !== undefined) {
    const [cInBlock, cOutBlock, tOutBlock, hOutBlock, wOutBlock] = blocking;
    return [{ cInBlock, ...own, cOutBlock, tOutBlock, hOutBlock, wOutBlock, ...override }];
  }
  const [frames, height, width] = shape.output;
  const carried = { ...own, ...override };
  if (frames === undefined || height === undefined || width === undefined) return [carried];
  const wOutBlock = Math.min(8, coveringPower(width));
  const hOutBlock = Math.min(BLOCK_PIXELS / wOutBlock, coveringPower(height));
  const tOutBlock = Math.min(BLOCK_PIXELS / wOutBlock / hOutBlock, coveringPower(frames));
  const padded = Math.ceil(outChannels / 32) * 32;
  const decided = CHANNELS_OUT.filter((channels) => padded % channels === 0)
    .map((cOutBlock) => ({ ...own, tOutBlock, hOutBlock, wOutBlock, cOutBlock, ...override }));
  return [...decided, carried];
}

/** The smallest power of two ≥ an extent. */
function coveringPower(extent: number): number {
  return 2 ** Math.ceil(Math.log2(Math.max(1, extent)));
}

export function conv3dShape(op: OpSignature): Conv3dShape {
  const { in_channels: inChannels, out_channels: outChannels, kernel_size: kernel } = readAttributes(
    op,
    CONV3D,
  );
  return { inChannels, outChannels, kernel, output: op.results[0]?.shape.slice(1, 4) ?? [] };
}
