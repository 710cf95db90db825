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
  isInShards,
  isPresent,
  type ProgramTensor,
  rowMajorTensor,
  tiledTensor,
  withShape,
} from "./program_tensor.ts";
import { LaunchSequence } from "./launch_sequence.ts";
import { shardTransfer } from "./memory_move.ts";
import { pageBuffer, streamProgram, tileBuffer, wholeTensor } from "./stream.ts";
import { tilizeProgram } from "./tilize.ts";

/**
 * Tiles of a row that one core sorts in L1; longer rows are exchanged between cores or through DRAM
 * (tt-metal:sort-topk).
 */
const MOST_TILES_IN_L1 = 64;

/**
 * `sort`: rows of tiles, values and indices together. Shards are gathered in DRAM before and cut there after, other
 * dimensions than the last go through transposed copies where the input lies, and rows of tiles are padded to a power of
 * two (`ttnn:backend-0-81-1`).
 */
export function sortPrograms(op: OpLaunch, chip: ChipDescription): OpPrograms {
  const [input] = op.inputs;
  const results = op.outputs.filter(isPresent);
  if (input === undefined || results.length === 0) {
    return unknownPrograms(op.name, "needs an input and a result");
  }
  const rank = input.shape.length;
  const dim = normalDim(readInteger(op.attributes, "dim") ?? -1, rank);
  const sequence = new LaunchSequence(chip);
  const make = (tensor: ProgramTensor, ...programs: readonly DeviceProgram[]) => {
    const name = sequence.allocate(tensor);
    sequence.run(...programs);
    return name;
  };
  const gathered = isInShards(input) ? tiledTensor(input.shape, input.dataType, "dram") : input;
  if (gathered !== input) make(gathered, shardTransfer(input, gathered));
  const turns = dim !== rank - 1;
  const shape = turns ? swapExtents(input.shape, dim, rank - 1) : input.shape;
  const turn = (from: ProgramTensor, to: ProgramTensor) =>
    exchangeDimensions(from, to, [dim, rank - 1], chip);
  const turned = turns ? withShape(gathered, shape) : gathered;
  if (turns) make(turned, turn(gathered, turned));
  const whole = [...shape.slice(0, -1), paddedRow(shape.at(-1) ?? 1)];
  const pads = tileColumns(whole) !== tileColumns(shape);
  const rows = pads ? withShape(turned, whole) : turned;
  if (pads) make(rows, padded(turned, rows, chip));
  else sequence.run(...fillPadding(turned, chip));
  const memory = results.some(isInShards) ? "dram" : deviceMemory(results[0] ?? input);
  const stays = !turns && !pads && !results.some(isInShards);
  const sorted = stays ? results : results.map(({ dataType }) => tiledTensor(whole, dataType, memory));
  const names = sorted.map((tensor, result) =>
    stays ? sequence.allocateResult(result, tensor) : sequence.allocate(tensor)
  );
  sequence.run(sortProgram(rows, sorted, chip));
  if (stays) return sequence.launched();
  const finish = (
    from: readonly ProgramTensor[],
    to: readonly ProgramTensor[],
    last: boolean,
    step: Step,
  ) => {
    for (const [result, tensor] of to.entries()) {
      const made = last ? sequence.allocateResult(result, tensor) : sequence.allocate(tensor);
      sequence.run(step(from[result] ?? tensor, tensor));
      const before = names[result];
      if (before !== undefined) sequence.free(before);
      names[result] = made;
    }
    return to;
  };
  const shards = results.some(isInShards);
  const cut = pads
    ? finish(
      sorted,
      turns || shards ? sorted.map((tensor) => withShape(tensor, shape)) : results,
      !turns && !shards,
      (
        from,
        to,
      ) => sliced(from, to, chip),
    )
    : sorted;
  if (turns) finish(cut, results, true, turn);
  else if (shards) finish(cut, results, true, (from, to) => shardTransfer(from, to));
  return sequence.launched();
}

/** A program from one tensor to another. */
type Step = (from: ProgramTensor, to: ProgramTensor) => DeviceProgram;

/** Width of a row of tiles that is sorted: a power of two of tiles, at least two. */
function paddedRow(width: number): number {
  const tiles = 2 ** Math.max(1, Math.ceil(Math.log2(Math.ceil(width / 32))));
  return Math.ceil(width / 32) === tiles ? width : 32 * tiles;
}

function padded(input: ProgramTensor, output: ProgramTensor, chip: ChipDescription): DeviceProgram {
  return streamProgram({
    units: output.tiles,
    reads: [wholeTensor(input)],
    writes: [wholeTensor(output)],
    circularBuffers: [
      pageBuffer("in0", 2, input),
      { ...pageBuffer("padding_value", 1, input), kind: "scratch" },
    ],
  }, chip);
}

/** Bytes per dimension of the table of begins of a slice, which has four. */
const SLICE_TABLE_BYTES = 4;

function sliced(input: ProgramTensor, output: ProgramTensor, chip: ChipDescription): DeviceProgram {
  return streamProgram({
    units: output.tiles,
    reads: [{ tensor: input, bytes: output.bytes }],
    writes: [wholeTensor(output)],
    circularBuffers: [
      pageBuffer("in0", 2, input),
      { name: "begins", bytes: SLICE_TABLE_BYTES * 4, kind: "scratch" },
    ],
  }, chip);
}

/**
 * Buffers of a sort: a core holds a row of tiles of values and one of indices, or its part of a long row, which it
 * exchanges with others (`ttnn:backend-0-81-1`).
 */
function sortBuffers(
  rows: ProgramTensor,
  indices: ProgramTensor | undefined,
  chip: ChipDescription,
): readonly CircularBuffer[] {
  const tiles = tileColumns(rows.shape);
  const index = indices ?? { dataType: "u16" };
  const pair = (name: string, count: number): readonly CircularBuffer[] => [
    { name, bytes: count * bytesPerTile(rows) },
    { name: `${name}_index`, bytes: count * bytesPerTile(index) },
  ];
  if (tiles <= MOST_TILES_IN_L1) {
    return [...pair("in0", 4), ...pair("row", tiles), ...pair("out", 2), {
      name: "synchronisation",
      bytes: 1024,
    }];
  }
  const cores = 2 ** Math.floor(Math.log2(workerCores(chip)));
  const held = Math.max(2, Math.ceil(tiles / cores));
  return [
    ...pair("in0", 2),
    ...pair("row", held),
    ...pair("out", 2),
    ...pair("sent", 2),
    ...pair("received", 2),
    tileBuffer("cores", 2, "u16"),
    { name: "synchronisation", bytes: 2048 },
  ];
}

/**
 * Width of a row from which several cores share it, the most results, and the least width of a core; and these in the
 * revision of most published measurements (`ttnn:backend-0-81-1`, tt-metal:sort-topk).
 */
const SHARED_ROW = { least: 1024, most: 65536, results: 64, perCore: 128 };
const MEASURED_SHARED_ROW = { ...SHARED_ROW, least: 8192, perCore: 512 };

/** Cores that share a row, powers of two in a box beside which one core merges; 1 if none share. */
function sharersOf(tiles: number, kept: number, { workerGrid }: ChipDescription): number {
  const side = (extent: number) => 2 ** Math.floor(Math.log2(Math.max(1, extent - 1)));
  const most = side(workerGrid.rows) * side(workerGrid.columns);
  for (let share = SHARED_ROW.perCore / 32; share <= tiles / 2; share *= 2) {
    const cores = tiles / share;
    // What all have found fits beside four times the share of one.
    if (cores <= most && cores * kept <= 4 * share) return cores;
  }
  return 1;
}

function measuredSharersOf(width: number, chip: ChipDescription): number {
  // A row is cut into halves until a part is as narrow as it may be or there are no more cores: one of them merges.
  const most = Math.min(workerCores(chip) - 1, Math.ceil(width / MEASURED_SHARED_ROW.perCore));
  return 2 ** Math.floor(Math.log2(Math.max(1, most)));
}

/** Buffers of `topk`: of a core that has rows of its own, or of those that share a row and the one that merges. */
function topkBuffers(
  input: ProgramTensor,
  index: Pick<ProgramTensor, "dataType">,
  { kept, sharers }: { readonly kept: number; readonly sharers: number },
): readonly CircularBuffer[] {
  const pair = (name: string, count: number, kind: "circular" | "dataflow"): readonly CircularBuffer[] => [
    { name, bytes: count * bytesPerTile(input), kind },
    { name: `${name}_index`, bytes: count * bytesPerTile(index), kind },
  ];
  // Values are sorted in bf16, whatever their format.
  const wide = Math.max(bytesPerTile(input), bytesPerTile({ dataType: "bf16" }));
  const widePair = (name: string, count: number): readonly CircularBuffer[] => [
    { name, bytes: count * wide },
    { name: `${name}_index`, bytes: count * bytesPerTile(index) },
  ];
  if (sharers === 1) {
    return [
      ...pair("in0", 2, "dataflow"),
      ...widePair("transposed", 4),
      ...widePair("best", 2 * kept),
      ...pair("out", kept, "dataflow"),
    ];
  }
  const found = sharers * kept;
  const share = tileColumns(input.shape) / sharers;
  const circular = (name: string, bytes: number, onCore = bytes): CircularBuffer => ({
    name,
    bytes,
    kind: "circular",
    ...(onCore === bytes ? {} : { bytesOnCore: onCore }),
  });
  const indexTile = bytesPerTile(index);
  // Cores that share hold their part of the row, the one that merges what all have found.
  const sharing = share * (wide + indexTile) + 2 * indexTile;
  const merging = 2 * bytesPerTile(input) + found * (wide + indexTile);
  return [
    ...pair("in0", 4, "circular"),
    circular("gathered", found * wide),
    circular("gathered_index", found * indexTile),
    circular("out_index", 2 * indexTile),
    circular("share_or_merged", sharing + merging, Math.max(sharing, merging)),
  ];
}

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
  const limits = fillsPadding ? SHARED_ROW : MEASURED_SHARED_ROW;
  const mayShare = width >= limits.least && width < limits.most && largest <= limits.results &&
    Number.isInteger(Math.log2(tiles));
  const sharers = !mayShare
    ? 1
    : fillsPadding
    ? sharersOf(tiles, kept, chip)
    : measuredSharersOf(width, chip);
  const shares = sharers > 1;
  if (
    !shares && chip.architecture === "blackhole" && input.dataType === "bf16" &&
    width >= MEASURED_SHARED_ROW.least
  ) {
    return inOrder(...rankedRows(input, results, kept, chip));
  }
  const perUnit = shares ? rows : 1;
  const filled = fillsPadding ? fillPadding(input, chip) : [];
  // Tensors of another rank than four come as four-dimensional ones with whole tiles of results, which are cut.
  const cuts = fillsPadding && input.shape.length !== 4 && largest % 32 !== 0;
  const made = results.map((result) => cuts ? withShape(result, result.shape.with(-1, 32 * kept)) : result);
  const program = streamProgram({
    units: shares ? sharers : rows,
    reads: [wholeTensor(input)],
    writes: made.map(wholeTensor),
    compute: {
      work: [
        { operation: "sort_step", count: perUnit * Math.ceil(tiles / sharers) * kept },
        { operation: "sort_merge", count: shares ? sharers : 1 },
        // Values and indices are sorted standing, and turned back at the end.
        { operation: "transpose", count: perUnit * 2 * kept },
      ],
    },
    parts: perUnit * Math.ceil(tiles / sharers),
    reader: { barriers: perUnit * Math.ceil(tiles / sharers) },
    flops: input.tiles * 1024,
    circularBuffers: topkBuffers(input, results[1] ?? { dataType: "u16" }, { kept, sharers }),
  }, chip);
  if (!cuts) return inOrder(...filled, program);
  const sequence = new LaunchSequence(chip);
  sequence.run(...filled);
  const names = made.map((tensor) => sequence.allocate(tensor));
  sequence.run(program);
  for (const [result, tensor] of results.entries()) {
    sequence.allocateResult(result, tensor);
    sequence.run(sliced(made[result] ?? tensor, tensor, chip));
    const name = names[result];
    if (name !== undefined) sequence.free(name);
  }
  return sequence.launched();
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
    compute: { work: [{ operation: "rank_element", count: input.shape.at(-1) ?? 1 }] },
    circularBuffers: [pageBuffer("in0", 2, input)],
  }, chip);
  const order = streamProgram({
    units: tileRows(input.shape),
    reads: results.map(wholeTensor),
    writes: results.map(wholeTensor),
    compute: { work: [{ operation: "sort_merge", count: MERGES_AT_LEAST + kept / 2 }] },
    circularBuffers: results.map((result, index) => pageBuffer(`in${index}`, 2, result)),
  }, chip);
  return [tilizeProgram(input, rows, chip), ranked, order];
}

function sortProgram(
  input: ProgramTensor,
  outputs: readonly ProgramTensor[],
  chip: ChipDescription,
): StreamProgram {
  const length = widthInL1(input);
  return streamProgram({
    units: input.tiles / length,
    reads: [wholeTensor(input)],
    writes: outputs.map(wholeTensor),
    compute: { work: [{ operation: "reduce", count: length }] },
    reader: { barriers: length },
    flops: input.tiles * 1024,
    circularBuffers: sortBuffers(input, outputs[1], chip),
  }, chip);
}

/** Tiles of a row that a core holds at once. */
function widthInL1({ extent }: ProgramTensor): number {
  return Math.max(1, Math.min(MOST_TILES_IN_L1, Math.ceil(extent[1] / 32)));
}
