// SPDX-License-Identifier: Apache-2.0
import type { Conv3dConfig } from "../op_config/op_config.ts";

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

/**
 * Conv3d config of an op: blocks from the table when it knows the shape, else the op's own; the user's fields win.
 *
 * @param inChannels padded channels of the input
 * @param kernel depth, height, width
 * @param own config that the op carries
 * @param override fields that the user fixes
 */
export function conv3dConfig(
  inChannels: number,
  outChannels: number,
  kernel: readonly number[],
  own: Conv3dConfig,
  override: Conv3dConfig,
): Conv3dConfig {
  const blocking = BLOCKING[`${inChannels},${outChannels},${kernel.join("x")}`];
  if (blocking === undefined) return { ...own, ...override };
  const [cInBlock, cOutBlock, tOutBlock, hOutBlock, wOutBlock] = blocking;
  return { ...own, cInBlock, cOutBlock, tOutBlock, hOutBlock, wOutBlock, ...override };
}
