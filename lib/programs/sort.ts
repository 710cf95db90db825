// SPDX-License-Identifier: Apache-2.0
import { normalDim, swapExtents } from "../layout/extents.ts";
import { type ChipDescription, workerCores } from "../device/chip_description.ts";
import { readInteger } from "../dialect/attribute_values.ts";
import { tileColumns, tileRows } from "../layout/tile_shape.ts";
import { fillPadding } from "./fill_pad.ts";
import { exchangeDimensions } from "./permute.ts";
import type { OpLaunch } from "./op_launch.ts";
import type { CircularBuffer } from "./circular_buffer.ts";
import {
  type DeviceProgram,
  inOrder,
  type OpPrograms,
  type StreamProgram,
  unknownPrograms,
} from "./program.ts";
import type { ProgramRules } from "./program_rules.ts";
import {
  bytesPerTile,
  deviceMemory,
  isPresent,
  type ProgramTensor,
  rowMajorTensor,
  tiledTensor,
} from "./program_tensor.ts";
import { pageBuffer, streamProgram, tileBuffer, wholeTensor } from "./stream.ts";
import { tilizeProgram } from "./tilize.ts";

/**
 * Tiles of a row that one core sorts in L1; longer rows are exchanged between cores or through DRAM
 * (tt-metal:sort-topk).
 */
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
  const shape = swapExtents(input.shape, dim, rank - 1);
  const turn = (from: ProgramTensor, to: ProgramTensor) =>
    exchangeDimensions(from, to, [dim, rank - 1], chip);
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

/**
 * Width of a row from which several cores share it, the most results, and the least width of a core
 * (tt-metal:sort-topk).
 */
const SHARED_ROW = { least: 8192, most: 65536, results: 64, perCore: 512 };

/** Merges that bring the ranked rows of a tile into order, however few are kept. */
const MERGES_AT_LEAST = 9;

/**
 * `topk`: a core sorts the tiles of a row one by one into the tiles of the largest so far. Wide rows whose indices fit
 * 16 bits are cut over cores, one of which merges the lists of the others; rows of tiles follow one another then. Padding
 * is filled before.
 */
export function topkPrograms(
  op: OpLaunch,
  chip: ChipDescription,
  { fillsPadding }: Pick<ProgramRules, "fillsPadding">,
): OpPrograms {
  const [input] = op.inputs;
  const results = op.outputs.filter(isPresent);
  if (input === undefined || results.length === 0) {
    return unknownPrograms(op.name, "needs an input and a result");
  }
  const width = input.shape.at(-1) ?? 1;
  const largest = readInteger(op.attributes, "k") ?? results[0]?.shape.at(-1) ?? 1;
  const kept = Math.ceil(largest / 32);
  const tiles = tileColumns(input.shape);
  const rows = tileRows(input.shape);
  const shares = width >= SHARED_ROW.least && width < SHARED_ROW.most && largest <= SHARED_ROW.results &&
    Number.isInteger(Math.log2(tiles));
  // A row is cut into halves until a part is as narrow as it may be or there are no more cores: one of them merges.
  const most = Math.min(workerCores(chip) - 1, Math.ceil(width / SHARED_ROW.perCore));
  const sharers = shares ? 2 ** Math.floor(Math.log2(Math.max(1, most))) : 1;
  if (
    !shares && chip.architecture === "blackhole" && input.dataType === "bf16" && width >= SHARED_ROW.least
  ) {
    return inOrder(...rankedRows(input, results, kept, chip));
  }
  const perUnit = shares ? rows : 1;
  const held = widthInL1(input);
  const filled = fillsPadding ? fillPadding(input, chip) : [];
  return inOrder(
    ...filled,
    streamProgram({
      units: shares ? sharers : rows,
      reads: [wholeTensor(input)],
      writes: results.map(wholeTensor),
      compute: [
        { operation: "sort_step", count: perUnit * Math.ceil(tiles / sharers) * kept },
        { operation: "sort_merge", count: shares ? sharers : 1 },
        // Values and indices are sorted standing, and turned back at the end.
        { operation: "transpose", count: perUnit * 2 * kept },
      ],
      parts: perUnit * Math.ceil(tiles / sharers),
      readBarriers: perUnit * Math.ceil(tiles / sharers),
      flops: input.tiles * 1024,
      circularBuffers: [
        pageBuffer("in0", 2, input),
        tileBuffer("index", 2, "u16"),
        { name: "values_transposed", bytes: held * bytesPerTile(input) },
        tileBuffer("indices_transposed", held, "u16"),
        pageBuffer("values", 4, input),
      ],
    }, chip),
  );
}

/**
 * Wide rows of Blackhole: rows of elements, one to a core that ranks its elements, and the kept ones brought into order
 * and tiles (published:ops-2, `topk_large_indices` with what stands around it).
 */
function rankedRows(
  input: ProgramTensor,
  results: readonly ProgramTensor[],
  kept: number,
  chip: ChipDescription,
): readonly DeviceProgram[] {
  const rows = rowMajorTensor(input.shape, input.dataType, deviceMemory(input));
  const ranked = streamProgram({
    units: rows.pages,
    reads: [wholeTensor(rows)],
    writes: results.map(wholeTensor),
    compute: [{ operation: "rank_element", count: input.shape.at(-1) ?? 1 }],
    circularBuffers: [pageBuffer("in0", 2, input)],
  }, chip);
  const order = streamProgram({
    units: tileRows(input.shape),
    reads: results.map(wholeTensor),
    writes: results.map(wholeTensor),
    compute: [{ operation: "sort_merge", count: MERGES_AT_LEAST + kept / 2 }],
    circularBuffers: results.map((result, index) => pageBuffer(`in${index}`, 2, result)),
  }, chip);
  return [tilizeProgram(input, rows, chip), ranked, order];
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
