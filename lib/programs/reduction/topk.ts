// SPDX-License-Identifier: Apache-2.0
import { type ChipDescription, kernelsOf } from "../../device/chip_description.ts";
import { tileBytes } from "../../layout/data_type.ts";
import { normalDim, swapExtents } from "../../layout/extents.ts";
import { roundUp } from "../../layout/make_layout.ts";
import { tileColumns, tileRows } from "../../layout/tile_shape.ts";
import { DEFAULT_TILE } from "../../layout/ttnn_layout.ts";
import { readAttributes } from "../../ops/attributes/read_attributes.ts";
import { TOPK } from "../../ops/attributes/reduction.ts";
import { type BufferKind, type CircularBuffer, circularBuffer } from "../circular_buffer.ts";
import { moveSteps } from "../data_movement/memory_move.ts";
import { fillSteps, PAD_BEHIND, paddedInFormat } from "../data_movement/pad.ts";
import { exchangedOrder, permutation } from "../data_movement/permute.ts";
import { sliceOfTiles } from "../data_movement/slice.ts";
import {
  type ChainStep,
  chainStep,
  freeing,
  jointSteps,
  launchChain,
  replacingSteps,
} from "../launch_sequence.ts";
import type { LaunchContext, UnaryLaunch } from "../op_launch.ts";
import type { OpPrograms, StreamProgram } from "../program.ts";
import {
  bytesPerTile,
  deviceMemory,
  interleavedCopy,
  isInShards,
  isPresent,
  layoutOf,
  type ProgramTensor,
  programTensor,
  rowMajorTensor,
  withShape,
} from "../program_tensor.ts";
import { streamProgram, wholeTensor } from "../stream.ts";

/**
 * Limits of `topk` over several cores per row: least width and the first that is too wide, of whole tiles, most results,
 * and least width per core (`ttnn:backend-0-81-1`).
 */
const SHARED_ROW = { least: 1024, below: 65536, results: 64, perCore: 128 };

/**
 * Cores share every row from `width` elements on. Of narrower rows they share at most `tileRowsBelow` tile rows, because
 * sharing cores take tile rows one after another (`ttnn:backend-0-81-1`).
 */
const SHARED_IN_ANY_NUMBER = { width: 8192, tileRowsBelow: 2 };

/** Least width, of whole tiles, of rows that Blackhole ranks element by element (`ttnn:backend-0-81-1`). */
const RANKED_FROM = 4096;

/** How rows are sorted: tiles of results per row, and cores that share a row, 1 if it is not shared. */
interface RowSort {
  readonly kept: number;
  readonly sharers: number;
}

/** Width of a tensor's rows in whole tiles, in elements. */
function tiledWidth({ shape }: ProgramTensor): number {
  return 32 * tileColumns(shape);
}

function rowSort(
  input: ProgramTensor,
  largest: number,
  { chip }: LaunchContext,
): RowSort {
  const width = tiledWidth(input);
  const kept = Math.ceil(largest / 32);
  const mayShare = width >= SHARED_ROW.least && width < SHARED_ROW.below && largest <= SHARED_ROW.results &&
    Number.isInteger(Math.log2(width)) &&
    (width >= SHARED_IN_ANY_NUMBER.width || tileRows(input.shape) <= SHARED_IN_ANY_NUMBER.tileRowsBelow);
  return { kept, sharers: mayShare ? sharersOf(width / 32, kept, chip) : 1 };
}

/** Cores that share a row: a power of two, in a box next to one merging core; 1 if the row is not shared. */
function sharersOf(tiles: number, kept: number, { workerGrid }: ChipDescription): number {
  const side = (extent: number) => 2 ** Math.floor(Math.log2(Math.max(1, extent - 1)));
  const most = side(workerGrid.rows) * side(workerGrid.columns);
  for (let share = SHARED_ROW.perCore / 32; share <= tiles / 2; share *= 2) {
    const cores = tiles / share;
    // The candidates of all cores fit beside four times one core's part.
    if (cores <= most && cores * kept <= 4 * share) return cores;
  }
  return 1;
}

/**
 * Whether Blackhole ranks the elements of rows: of wide ones, of which the widest that cores can share are shared
 * instead, and of all if more results are wanted than shared rows have.
 */
function ranksElements(
  input: ProgramTensor,
  largest: number,
  { sharers }: RowSort,
  { chip }: LaunchContext,
): boolean {
  const width = tiledWidth(input);
  return kernelsOf(chip.architecture) === "blackhole" && input.dataType === "bf16" && !isInShards(input) &&
    (width >= RANKED_FROM || largest > SHARED_ROW.results) &&
    (sharers === 1 || width < SHARED_IN_ANY_NUMBER.width);
}

/** Buffers of `topk`: of a core with its own rows, or of cores that share a row and of the merging core. */
function topkBuffers(
  input: ProgramTensor,
  index: Pick<ProgramTensor, "dataType">,
  { kept, sharers }: RowSort,
): readonly CircularBuffer[] {
  const [tile, indexTile] = [bytesPerTile(input), bytesPerTile(index)];
  // Values are sorted in bf16 for every format.
  const wide = Math.max(tile, tileBytes("bf16"));
  const pair = (name: string, count: number, bytes: number, kind?: BufferKind): readonly CircularBuffer[] =>
    [{ name, bytes: count * bytes }, { name: `${name}_index`, bytes: count * indexTile }]
      .map((buffer) => kind === undefined ? buffer : { ...buffer, kind });
  if (sharers === 1) {
    return [
      ...pair("in0", 2, tile, "dataflow"),
      ...pair("transposed", 4, wide),
      ...pair("best", 2 * kept, wide),
      ...pair("out", kept, tile, "dataflow"),
    ];
  }
  const found = sharers * kept;
  const share = tileColumns(input.shape) / sharers;
  // 16-bit values of rows that end within a tile are sorted as pairs with their indices.
  const isPaired = (input.shape.at(-1) ?? 1) % 32 !== 0 && input.dataType !== "f32";
  // Sharing cores hold their part of the row, the merging core all candidates.
  const sharing = share * (wide + indexTile) + 2 * (isPaired ? wide + indexTile : indexTile);
  const merging = 2 * tile + (isPaired ? found + kept : found) * (wide + indexTile);
  return [
    ...pair("in0", 4, tile, "circular"),
    ...pair("gathered", found, wide, "circular"),
    circularBuffer("out_index", 2 * indexTile),
    {
      ...circularBuffer("share_or_merged", sharing + merging),
      bytesOnCore: Math.max(sharing, merging),
    },
  ];
}

/**
 * `topk`: dimensions other than the last go through transposed copies in the input's memory (`ttnn:backend-0-81-1`).
 *
 * @param asked requested memory, in which rows are ranked even if the results are elsewhere; by default theirs
 */
export function topkPrograms(op: UnaryLaunch, context: LaunchContext, asked?: "dram" | "l1"): OpPrograms {
  const { input } = op;
  const { chip } = context;
  const results = op.outputs.filter(isPresent);
  const { dim, k, largest } = readAttributes(op, TOPK);
  const last = input.shape.length - 1;
  const ranked = normalDim(dim, last + 1);
  if (ranked === last && largest && ranksElements(input, k, rowSort(input, k, context), context)) {
    return rankedPrograms(input, results, k, chip);
  }
  if (ranked === last) {
    const { steps, left } = rankRows({ input, results, kept: k, isLast: true }, context);
    return launchChain(freeing(steps, ...left), chip);
  }
  const permuted = (tensor: ProgramTensor) => withShape(tensor, swapExtents(tensor.shape, ranked, last));
  const order = exchangedOrder(last + 1, [ranked, last]);
  const exchange = (from: ProgramTensor, to: ProgramTensor) => permutation(from, to, order, chip);
  const rows = permuted(input);
  const best = results.map((result) => interleavedCopy(permuted(result), asked ?? deviceMemory(result)));
  const { steps, left } = rankRows({ input: rows, results: best, kept: k, isLast: false }, context);
  const back = freeing(replacingSteps(best, results, exchange, true), ...left, rows);
  return launchChain([chainStep(rows, exchange(input, rows)), ...steps, ...back], chip);
}

interface RankedRows {
  readonly input: ProgramTensor;
  /** Values and indices. */
  readonly results: readonly ProgramTensor[];
  readonly kept: number;
  /** Whether the results are the op's; otherwise they are permuted back. */
  readonly isLast: boolean;
}

/**
 * A core sorts the tiles of a row one by one into the tiles of the current largest. Wide rows with 16-bit indices are
 * divided over cores, one of which merges the others' lists; tile rows then run one after another. Padding is filled
 * first.
 *
 * @returns the steps, and the tensors of theirs that are freed when the op ends
 */
function rankRows(
  { input: given, results, kept: largest, isLast }: RankedRows,
  context: LaunchContext,
): { readonly steps: readonly ChainStep[]; readonly left: readonly ProgramTensor[] } {
  const { chip } = context;
  const input = inTwoTiles(given);
  const tiles = tileColumns(input.shape);
  const rows = tileRows(input.shape);
  const sort = rowSort(input, largest, context);
  const { kept, sharers } = sort;
  const shares = sharers > 1;
  const perUnit = shares ? rows : 1;
  // Tensors of rank ≠ 4, and transposed ones, have whole tiles of results, which are sliced.
  const cuts = (input.shape.length !== 4 || !isLast) && largest % 32 !== 0;
  const made = results.map((result) => cuts ? withShape(result, result.shape.with(-1, 32 * kept)) : result);
  const program = streamProgram({
    units: shares ? sharers : rows,
    reads: [wholeTensor(input)],
    writes: made.map(wholeTensor),
    compute: {
      work: [
        { operation: "sort_step", count: perUnit * Math.ceil(tiles / sharers) * kept },
        { operation: "sort_merge", count: shares ? sharers : 1 },
        // Values and indices are sorted transposed, and transposed back at the end.
        { operation: "transpose", count: perUnit * 2 * kept },
      ],
    },
    parts: perUnit * Math.ceil(tiles / sharers),
    reader: { barriers: perUnit * Math.ceil(tiles / sharers) },
    flops: input.tiles * 1024,
    circularBuffers: topkBuffers(input, results[1] ?? { dataType: "u16" }, sort),
  }, chip);
  const ready = readySteps(given, chip);
  const sliced = cuts
    ? replacingSteps(made, results, (from, to) => sliceOfTiles(from, to, chip), isLast)
    : [];
  return {
    steps: [...ready, ...jointSteps(made, program, () => isLast && !cuts), ...sliced],
    left: ready.filter(({ inPlace }) => inPlace !== true).slice(-1).map(({ tensor }) => tensor),
  };
}

/** Width of the least rows that are sorted: the sort is of pairs of tiles. */
const TWO_TILES = 64;

/** Rows of less than two tiles, made so wide in their own memory (`ttnn:backend-0-81-1`). */
function inTwoTiles(input: ProgramTensor): ProgramTensor {
  const width = input.shape.at(-1) ?? 1;
  if (width >= TWO_TILES) return input;
  const tensor = { shape: input.shape.with(-1, TWO_TILES), dataType: input.dataType };
  const [height = 1, columns = 1] = input.shardShape;
  const wide = columns * TWO_TILES / roundUp(width, DEFAULT_TILE.width);
  return programTensor(tensor, { ...layoutOf(input), shardShape: [height, wide] });
}

/**
 * The steps before the sort: fill the padding, pad rows to two tiles, fill the padding again. Each step frees the tensor
 * before it; rows that occupy two tiles already are only filled (`ttnn:backend-0-81-1`).
 */
function readySteps(given: ProgramTensor, chip: ChipDescription): readonly ChainStep[] {
  const steps: ChainStep[] = [...fillSteps(given, chip)];
  const filled = steps.findLast(({ inPlace }) => inPlace !== true)?.tensor ?? given;
  const wide = inTwoTiles(filled);
  if (wide === filled) return steps;
  // What is given is kept until the rows are ranked.
  const between = filled === given ? [] : [filled];
  const isPadded = wide.tiles > filled.tiles;
  if (isPadded) steps.push(...freeing(paddedInFormat(filled, wide, PAD_BEHIND, chip), ...between));
  const refilled = fillSteps(wide, chip);
  return [
    ...steps,
    ...refilled.every(({ inPlace }) => inPlace === true)
      ? refilled
      : freeing(refilled, ...isPadded ? [wide] : between),
  ];
}

/** Most tiles that a core makes rows of at once. */
const BLOCK_TILES = 8;

/** Ranked places of a row are a multiple of so many. */
const PLACES = 16;

/** Bytes of the places that a core reads and of those it sorts, at a time. */
const SORTED_PLACES = 1024;

/** Merges that sort the ranked rows of a tile, for any number of results. */
const MERGES_AT_LEAST = 9;

/**
 * `topk` of wide rows on Blackhole: tiles become rows, each core ranks the elements of one row, and the best are sorted
 * and tilized, all in the input's memory. Results of other than whole tiles, unless of rank 4, are sliced; others that
 * belong elsewhere are copied (published:ops-2, `topk_large_indices` and surrounding programs; `ttnn:backend-0-81-1`).
 *
 * @param results values and indices
 * @param largest results per row
 */
export function rankedPrograms(
  input: ProgramTensor,
  results: readonly ProgramTensor[],
  largest: number,
  chip: ChipDescription,
): OpPrograms {
  const memory = deviceMemory(input);
  const tile = bytesPerTile(input);
  const kept = Math.ceil(largest / 32);
  const cuts = input.shape.length !== 4 && largest % 32 !== 0;
  const rows = rowMajorTensor(input.shape, input.dataType, memory);
  const places = rowMajorTensor(rows.shape.with(-1, roundUp(largest, PLACES)), "u32", memory);
  const sorted = results.map((result) => {
    const made = interleavedCopy(result, memory);
    return cuts ? withShape(made, made.shape.with(-1, 32 * kept)) : made;
  });
  const areResults = !cuts && results.every((result) => deviceMemory(result) === memory);
  const ranking = streamProgram({
    units: rows.pages,
    reads: [wholeTensor(rows)],
    writes: [wholeTensor(places)],
    compute: { work: [{ operation: "rank_element", count: input.shape.at(-1) ?? 1 }] },
    circularBuffers: buffers({ in0: 2 * tile, out: 2 * tile }),
  }, chip);
  const sorting = streamProgram({
    units: tileRows(input.shape),
    reads: [wholeTensor(places)],
    writes: sorted.map(wholeTensor),
    compute: { work: [{ operation: "sort_merge", count: MERGES_AT_LEAST + kept / 2 }] },
    circularBuffers: [
      ...buffers({ places: SORTED_PLACES, sorted: SORTED_PLACES, values: 2 * tile, gathered: 2 * tile }),
      ...sorted.flatMap((result, index) => buffers({ [`out${index}`]: bytesPerTile(result) })),
    ],
  }, chip);
  const copies = results.map((tensor, result) => ({
    tensor,
    result,
    programs: moveSteps(sorted[result] ?? tensor, tensor, chip).flatMap(({ programs }) => programs),
  }));
  return launchChain([
    chainStep(rows, rowsOfTiles(input, rows, chip)),
    chainStep(places, ranking),
    ...freeing(jointSteps(sorted, sorting, () => areResults), places, rows),
    ...cuts
      ? replacingSteps(sorted, results, (from, to) => sliceOfTiles(from, to, chip), true)
      : areResults
      ? []
      : freeing(copies, ...sorted),
  ], chip);
}

/** The program that makes rows of tiles, blocks of one row of them over all cores. */
function rowsOfTiles(input: ProgramTensor, rows: ProgramTensor, chip: ChipDescription): StreamProgram {
  const count = Math.min(BLOCK_TILES, tileColumns(input.shape));
  const block = 2 * count * bytesPerTile(input);
  return streamProgram({
    units: Math.ceil(input.tiles / count),
    reads: [wholeTensor(input)],
    writes: [{ ...wholeTensor(rows), scattered: true }],
    compute: {
      work: [{ operation: "untilize_row", count: 1 }, { operation: "untilize", count }],
    },
    reader: { barriers: count },
    circularBuffers: buffers({ in0: block, out: block }),
  }, chip);
}

function buffers(sizes: Readonly<Record<string, number>>): readonly CircularBuffer[] {
  return Object.entries(sizes).map(([name, bytes]) => ({ name, bytes, kind: "circular" }));
}
