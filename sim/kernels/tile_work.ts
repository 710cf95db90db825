// SPDX-License-Identifier: Apache-2.0
import type { TileOperation, TileWork } from "../../lib/programs/program.ts";
import type { Device } from "../devices/device.ts";

/** AICLK cycles of one tile operation on one core. */
const CYCLES: Readonly<Record<TileOperation, (device: Device) => number>> = {
  eltwise: ({ tensix }) => tensix.eltwiseTile,
  eltwise_wide: ({ tensix }) => tensix.eltwiseTileWide,
  reduce: ({ tensix }) => tensix.reduceTile,
  reduce_row: ({ tensix }) => tensix.reduceRow,
  add_part: ({ tensix }) => tensix.addPart,
  pass: ({ tensix }) => tensix.passTile,
  pass_wide: ({ tensix }) => tensix.passTileWide,
  pass_block: ({ tensix }) => tensix.passBlock,
  group_pass: ({ tensix }) => tensix.groupTile,
  scan_element: ({ tensix }) => tensix.scanElement,
  scan_row: ({ tensix }) => tensix.scanRow,
  scan_share: ({ tensix }) => tensix.scanShare,
  gather_element: ({ tensix }) => tensix.gatherElement,
  rank_element: ({ tensix }) => tensix.rankElement,
  sort_step: ({ tensix }) => tensix.sortStep,
  sort_merge: ({ tensix }) => tensix.sortMerge,
  tilize: ({ tensix }) => tensix.tilizeTile,
  untilize: ({ tensix }) => tensix.untilizeTile,
  untilize_wide: ({ tensix }) => tensix.untilizeWideTile,
  untilize_row: ({ tensix }) => tensix.untilizeRow,
  transpose: ({ tensix }) => tensix.transposeTile,
  fill_word: ({ stream }) => stream.fillWord,
  copy_byte: ({ stream }) => stream.copyByte,
  pad_word: ({ stream }) => stream.padWord,
  rotate: ({ tensix, matmul }) => tensix.matmulTileHifi4 * matmul.tileScale + matmul.tileOffset,
  rotary_pass: ({ tensix }) => tensix.rotaryTile,
  simple: ({ sfpu }) => sfpu.simple,
  product: ({ sfpu }) => sfpu.product,
  reciprocal: ({ sfpu }) => sfpu.reciprocal,
  exp: ({ sfpu }) => sfpu.exp,
  polynomial: ({ sfpu }) => sfpu.polynomial,
  quotient: ({ sfpu }) => sfpu.quotient,
  transcendental: ({ sfpu }) => sfpu.transcendental,
  inverse: ({ sfpu }) => sfpu.inverse,
};

/** AICLK cycles of a core's compute threads for some tile operations, one after the other. */
export function tileWorkCycles(work: readonly TileWork[], device: Device): number {
  let cycles = 0;
  for (const { operation, count } of work) cycles += count * CYCLES[operation](device);
  return cycles;
}
