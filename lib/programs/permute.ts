// SPDX-License-Identifier: Apache-2.0
import { type ChipDescription, workerCores } from "../device/chip_description.ts";
import { volume } from "../layout/extents.ts";
import { pageCopy } from "./page_copy.ts";
import type { OpLaunch } from "./op_launch.ts";
import type { CircularBuffer } from "./circular_buffer.ts";
import {
  type DeviceProgram,
  inOrder,
  NO_PROGRAMS,
  type OpPrograms,
  type PageStream,
  type StreamProgram,
  unknownPrograms,
} from "./program.ts";
import { inDram, type ProgramTensor } from "./program_tensor.ts";
import { pageBuffer, streamProgram, wholeTensor } from "./stream.ts";
import { permuteSharesBuffer } from "./view.ts";
import { permutationOf } from "../ops/view_shapes.ts";

/** `permute` and `transpose`: whole tiles or rows if the last dimensions stay, transposed tiles if they swap. */
export function permutePrograms(op: OpLaunch, chip: ChipDescription): OpPrograms {
  const [input] = op.inputs;
  const [output] = op.outputs;
  if (input === undefined || output === undefined) {
    return unknownPrograms(op.name, "needs an input and a result");
  }
  const rank = input.shape.length;
  const order = permutationOf(op.attributes, rank);
  if (order === undefined) return unknownPrograms(op.name, "its dimensions are not a permutation");
  if (permuteSharesBuffer(input, output, order)) return NO_PROGRAMS;
  return inOrder(permutation(input, output, order, chip));
}

/** The program that permutes a tensor's dimensions. */
export function permutation(
  input: ProgramTensor,
  output: ProgramTensor,
  order: readonly number[],
  chip: ChipDescription,
): DeviceProgram {
  const rank = input.shape.length;
  const [before, last] = [order.at(-2), order.at(-1)];
  if (last === rank - 1 && (before === rank - 2 || !input.tiled)) {
    return pageCopy([input], [output], { circularBuffers: buffers(input, output) }, chip);
  }
  if (!input.tiled) return blockShuffle(input, output, order, chip);
  const turns = last === rank - 2 && before === rank - 1;
  return turns ? transposeTiles(input, output, chip) : tileShuffle(input, output, order, chip);
}

/** The program that swaps two dimensions. */
export function exchangeDimensions(
  input: ProgramTensor,
  output: ProgramTensor,
  [one, other]: readonly [number, number],
  chip: ChipDescription,
): DeviceProgram {
  const order = input.shape.map((_, dim) => dim === one ? other : dim === other ? one : dim);
  return permutation(input, output, order, chip);
}

/** Transposition of the last two dimensions: every tile is transposed by the unpacker and moved to its new place. */
export function transposeTiles(
  input: ProgramTensor,
  output: ProgramTensor,
  chip: ChipDescription,
): StreamProgram {
  return streamProgram({
    units: output.tiles,
    reads: [wholeTensor(input)],
    writes: [wholeTensor(output)],
    compute: [{ operation: "transpose", count: 1 }],
    circularBuffers: buffers(input, output),
  }, chip);
}

/** Half rows of a tile: a row of a face, 16 elements. */
const HALF_ROWS = 64;

/**
 * Tiles whose last two dimensions change places with others. Where the last dimension stays, a tile of the input goes out
 * in half rows, one by one, and the rows that the result's last tiles lack are written when all are out (tt-metal:permute,
 * `MultiCoreTileRowInvariant`; and of transposes, `TransposeHCTiledInterleaved`).
 *
 * @param order the input's dimensions in the order of the result's
 */
function tileShuffle(
  input: ProgramTensor,
  output: ProgramTensor,
  order: readonly number[],
  chip: ChipDescription,
): StreamProgram {
  const halfRow = output.pageBytes / HALF_ROWS;
  const circularBuffers = buffers(input, output);
  if (order.at(-1) !== order.length - 1) return turnedBlocks(input, output, order, chip);
  const rows = input.shape.at(-2) ?? 1;
  const rowsOut = input.tiles / Math.ceil(rows / 32) * rows;
  const padding = paddingOf(output, halfRow);
  return streamProgram({
    units: input.tiles,
    minCores: padding.length > 0 ? Math.min(workerCores(chip), output.tiles) : 0,
    circularBuffers,
    reads: [wholeTensor(input)],
    writes: [
      {
        tensor: output,
        bytes: rowsOut * 2 * halfRow,
        transactionBytes: halfRow,
        // Addresses in L1 are computed while the previous writes are in flight.
        scattered: inDram(output),
      },
      ...padding,
    ],
  }, chip);
}

/**
 * Tiles whose last dimension moves: blocks of 32 by 32 of the old and of the new last dimension are read in half rows,
 * filled up where the new last dimension does not fill them, turned, and written in half rows; each one that is fetched
 * takes as long as one that is copied (tt-metal:permute, `MultiCoreTiledGeneric`).
 */
function turnedBlocks(
  input: ProgramTensor,
  output: ProgramTensor,
  order: readonly number[],
  chip: ChipDescription,
): StreamProgram {
  const halfRow = output.pageBytes / HALF_ROWS;
  const across = input.shape[order.at(-1) ?? 0] ?? 1;
  const along = input.shape.at(-1) ?? 1;
  const rows = volume(input.shape) / Math.max(1, across * along);
  const blocksAcross = Math.ceil(across / 32);
  const halves = Math.ceil(along / FACE_ROWS);
  const missing = (blocksAcross * 32 - across) * halves;
  const units = rows * blocksAcross * Math.ceil(along / 32);
  const padding = paddingOf(output, halfRow);
  const [fetched, written] = [across * halves, along * Math.ceil(across / FACE_ROWS)];
  return streamProgram({
    units,
    minCores: padding.length > 0 ? Math.min(workerCores(chip), output.tiles) : 0,
    circularBuffers: buffers(input, output),
    reads: [{ tensor: input, bytes: rows * fetched * halfRow }],
    shortCopies: rows * fetched / units,
    paddingWords: rows * missing * halfRow / 4 / units,
    paddingRuns: rows * missing / units,
    compute: [{ operation: "transpose", count: 1 }],
    writes: [
      { tensor: output, bytes: rows * written * halfRow, transactionBytes: halfRow, scattered: true },
      ...padding,
    ],
  }, chip);
}

/** Rows of a face, which is a quarter of a tile. */
const FACE_ROWS = 16;

/** The rows of padding below a tensor's last rows of tiles: one write for what is missing in each face. */
function paddingOf(output: ProgramTensor, halfRow: number): readonly PageStream[] {
  const rows = output.shape.at(-2) ?? 1;
  const filled = rows % 32;
  if (filled === 0) return [];
  const bytes = output.tiles / Math.ceil(rows / 32) * (32 - filled) * 2 * halfRow;
  const faces = filled < FACE_ROWS ? 2 : 1;
  return [{ tensor: output, bytes, transactionBytes: (32 - filled) * halfRow / faces, afterUnits: true }];
}

/**
 * Rows whose last dimension moves: blocks of 32 by 32 of the old and of the new last dimension are read in pieces of
 * rows, turned as tiles, and written in pieces of rows (tt-metal:permute, `MultiCoreBlockedGeneric`).
 */
export function blockShuffle(
  input: ProgramTensor,
  output: ProgramTensor,
  order: readonly number[],
  chip: ChipDescription,
): StreamProgram {
  const across = input.shape[order.at(-1) ?? 0] ?? 1;
  const along = input.shape.at(-1) ?? 1;
  const elements = volume(input.shape);
  const [blocksAcross, blocksAlong] = [Math.ceil(across / 32), Math.ceil(along / 32)];
  const units = elements / Math.max(1, across * along) * blocksAcross * blocksAlong;
  const element = input.bytes / Math.max(1, elements);
  // If a core has one block, the fullest one counts; of several, some are partial.
  const fuller = (extent: number, blocks: number) =>
    units <= workerCores(chip) ? Math.min(32, extent) * blocks / extent : 1;
  const pieces = (tensor: ProgramTensor, extent: number, blocks: number, share: number): PageStream => ({
    tensor,
    bytes: tensor.bytes * share,
    transactionBytes: extent / blocks * element,
  });
  return streamProgram({
    units,
    reads: [pieces(input, along, blocksAlong, fuller(across, blocksAcross))],
    // Rows that are read are a stride apart; the place of each written row is computed from its indices.
    writes: [{ ...pieces(output, across, blocksAcross, fuller(along, blocksAlong)), scattered: true }],
    compute: [
      { operation: "tilize", count: 1 },
      { operation: "transpose", count: 1 },
      { operation: "untilize_row", count: 1 },
      { operation: "untilize", count: 1 },
    ],
    circularBuffers: buffers(input, output),
  }, chip);
}

/** Two pages on either side (tt-metal:permute; recorded for a transpose: four tiles). */
function buffers(input: ProgramTensor, output: ProgramTensor): readonly CircularBuffer[] {
  return [pageBuffer("in0", 2, input), pageBuffer("out", 2, output)];
}
