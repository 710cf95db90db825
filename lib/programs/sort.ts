// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../device/chip_description.ts";
import { readInteger } from "../dialect/attribute_values.ts";
import { normalDim } from "../ops/shapes.ts";
import { tileShuffle, transposeTiles } from "./permute.ts";
import {
  type CircularBuffer,
  inOrder,
  type OpLaunch,
  type OpPrograms,
  type StreamProgram,
  unknownPrograms,
} from "./program.ts";
import { bytesPerTile, deviceMemory, isPresent, type ProgramTensor, tiledTensor } from "./program_tensor.ts";
import { pageBuffer, streamProgram, tileBuffer, wholeTensor } from "./stream.ts";

/** Tiles of a row that one core sorts in L1; longer rows are exchanged between cores or through DRAM (tt-metal:sort-topk). */
const MOST_TILES_IN_L1 = 64;

/** `sort`: rows of tiles, values and indices together; other dimensions than the last go through transposed copies. */
export function sortPrograms(op: OpLaunch, chip: ChipDescription): OpPrograms {
  const [input] = op.inputs;
  const results = op.outputs.filter(isPresent);
  const [values] = results;
  if (input === undefined || values === undefined) {
    return unknownPrograms(op.name, "needs an input and a result");
  }
  const rank = input.shape.length;
  const dim = normalDim(readInteger(op.attributes, "dim") ?? -1, rank);
  if (dim === rank - 1) return inOrder(sortProgram(input, results, sortBuffers(input, input), chip));
  const shape = input.shape.map((extent, axis) =>
    axis === dim ? input.shape[rank - 1] ?? 1 : axis === rank - 1 ? input.shape[dim] ?? 1 : extent
  );
  const turn = (from: ProgramTensor, to: ProgramTensor) =>
    dim === rank - 2 ? transposeTiles(from, to, chip) : tileShuffle(from, to, chip);
  const turned = tiledTensor(shape, input.dataType, deviceMemory(input));
  const sorted = results.map((result) => tiledTensor(shape, result.dataType, deviceMemory(result)));
  return inOrder(
    turn(input, turned),
    sortProgram(turned, sorted, sortBuffers(input, turned), chip),
    ...results.map((result, index) => turn(sorted[index] ?? turned, result)),
  );
}

/** Tiles of input, values and indices, rows of transposed ones, and the 1024 bytes that cores agree through. */
function sortBuffers(input: ProgramTensor, sorted: ProgramTensor): readonly CircularBuffer[] {
  const width = widthInL1(sorted);
  return [
    ...["in0", "index", "values", "indices"].map((name) => pageBuffer(name, 2, input)),
    ...["values_transposed", "indices_transposed"].map((name) => ({
      name,
      bytes: 2 * width * bytesPerTile(input),
    })),
    { name: "synchronisation", bytes: 1024 },
  ];
}

/** `topk`: the same over rows of which the first `k` stay. */
export function topkPrograms(op: OpLaunch, chip: ChipDescription): OpPrograms {
  const [input] = op.inputs;
  const results = op.outputs.filter(isPresent);
  if (input === undefined || results.length === 0) {
    return unknownPrograms(op.name, "needs an input and a result");
  }
  const width = widthInL1(input);
  return inOrder(sortProgram(input, results, [
    pageBuffer("in0", 2, input),
    tileBuffer("index", 2, "u16"),
    { name: "values_transposed", bytes: width * bytesPerTile(input) },
    tileBuffer("indices_transposed", width, "u16"),
    pageBuffer("values", 4, input),
  ], chip));
}

function sortProgram(
  input: ProgramTensor,
  outputs: readonly ProgramTensor[],
  circularBuffers: readonly CircularBuffer[],
  chip: ChipDescription,
): StreamProgram {
  const length = widthInL1(input);
  return streamProgram({
    units: input.tiles / length,
    reads: [wholeTensor(input)],
    writes: outputs.map(wholeTensor),
    compute: [{ operation: "reduce", count: length }],
    readBarriers: length,
    flops: input.tiles * 1024,
    circularBuffers,
  }, chip);
}

/** Tiles of a row that a core holds at once. */
function widthInL1({ extent }: ProgramTensor): number {
  return Math.max(1, Math.min(MOST_TILES_IN_L1, Math.ceil(extent[1] / 32)));
}
