// SPDX-License-Identifier: Apache-2.0
import { readAttributes } from "../ops/attributes/read_attributes.ts";
import { TOPK } from "../ops/attributes/reduction.ts";
import { type ChipDescription, kernelsOf, workerCores } from "../device/chip_description.ts";
import { tileColumns, tileRows } from "../layout/tile_shape.ts";
import type { CircularBuffer } from "./circular_buffer.ts";
import { fillPadding } from "./fill_pad.ts";
import { LaunchSequence, runSteps } from "./launch_sequence.ts";
import type { LaunchContext, UnaryLaunch } from "./op_launch.ts";
import { type DeviceProgram, inOrder, type OpPrograms } from "./program.ts";
import {
  bytesPerTile,
  deviceMemory,
  isPresent,
  layoutOf,
  type ProgramTensor,
  programTensor,
  rowMajorTensor,
  withShape,
} from "./program_tensor.ts";
import { padSteps } from "./pad.ts";
import { sliceOfTiles } from "./slice.ts";
import { pageBuffer, streamProgram, wholeTensor } from "./stream.ts";
import { tilizeProgram } from "./tilize.ts";

/**
 * `topk` over several cores per row: least and largest row width, most results, least width per core; and the
 * same for the revision of most published measurements (`ttnn:backend-0-81-1`, tt-metal:sort-topk).
 */
const SHARED_ROW = { least: 1024, most: 65536, results: 64, perCore: 128 };
const MEASURED_SHARED_ROW = { ...SHARED_ROW, least: 8192, perCore: 512 };

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

function measuredSharersOf(width: number, chip: ChipDescription): number {
  // A row is halved until parts reach the minimum width or cores run out; one core merges.
  const most = Math.min(workerCores(chip) - 1, Math.ceil(width / MEASURED_SHARED_ROW.perCore));
  return 2 ** Math.floor(Math.log2(Math.max(1, most)));
}

/** Buffers of `topk`: of a core with its own rows, or of cores that share a row and of the merging core. */
function topkBuffers(
  input: ProgramTensor,
  index: Pick<ProgramTensor, "dataType">,
  { kept, sharers }: { readonly kept: number; readonly sharers: number },
): readonly CircularBuffer[] {
  const pair = (name: string, count: number, kind: "circular" | "dataflow"): readonly CircularBuffer[] => [
    { name, bytes: count * bytesPerTile(input), kind },
    { name: `${name}_index`, bytes: count * bytesPerTile(index), kind },
  ];
  // Values are sorted in bf16 for every format.
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
  // Sharing cores hold their part of the row, the merging core all candidates.
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

/** Merges that sort the ranked rows of a tile, for any number of results. */
const MERGES_AT_LEAST = 9;

/**
 * `topk`: a core sorts the tiles of a row one by one into the tiles of the current largest. Wide rows with
 * 16-bit indices are divided over cores, one of which merges the others' lists; tile rows then run one after
 * another. Padding is filled first.
 */
export function topkPrograms(
  op: UnaryLaunch,
  { chip, programRules: { fillsPadding } }: LaunchContext,
): OpPrograms {
  const results = op.outputs.filter(isPresent);
  const input = fillsPadding ? inTwoTiles(op.input) : op.input;
  const width = input.shape.at(-1) ?? 1;
  const largest = readAttributes(op, TOPK).k;
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
    !shares && kernelsOf(chip.architecture) === "blackhole" && input.dataType === "bf16" &&
    width >= MEASURED_SHARED_ROW.least
  ) {
    return inOrder(...rankedRows(input, results, kept, chip));
  }
  const perUnit = shares ? rows : 1;
  // Tensors of rank ≠ 4 are reshaped to four dimensions with whole tiles of results, which are sliced.
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
        // Values and indices are sorted transposed, and transposed back at the end.
        { operation: "transpose", count: perUnit * 2 * kept },
      ],
    },
    parts: perUnit * Math.ceil(tiles / sharers),
    reader: { barriers: perUnit * Math.ceil(tiles / sharers) },
    flops: input.tiles * 1024,
    circularBuffers: topkBuffers(input, results[1] ?? { dataType: "u16" }, { kept, sharers }),
  }, chip);
  if (!fillsPadding) return inOrder(program);
  const sequence = new LaunchSequence(chip);
  sequence.run(...fillPadding(op.input, chip));
  let padded: number | undefined;
  if (input !== op.input) {
    padded = runSteps(sequence, padSteps(op.input, input, 0, chip), (tensor) => sequence.allocate(tensor));
    sequence.run(...fillPadding(input, chip));
  }
  const names = made.map((tensor, result) =>
    cuts ? sequence.allocate(tensor) : sequence.allocateResult(result, tensor)
  );
  sequence.run(program);
  for (const [result, tensor] of (cuts ? results : []).entries()) {
    sequence.allocateResult(result, tensor);
    sequence.run(sliceOfTiles(made[result] ?? tensor, tensor, chip));
    const name = names[result];
    if (name !== undefined) sequence.free(name);
  }
  if (padded !== undefined) sequence.free(padded);
  return sequence.launched();
}

/** Rows of one tile with a second one behind it, in their own memory: the sort is of pairs (`ttnn:backend-0-81-1`). */
function inTwoTiles(input: ProgramTensor): ProgramTensor {
  const width = input.shape.at(-1) ?? 1;
  if (width > 32) return input;
  const tensor = { shape: input.shape.with(-1, 64), dataType: input.dataType };
  const [height = 1, columns = 1] = input.shardShape;
  return programTensor(tensor, { ...layoutOf(input), shardShape: [height, 2 * columns] });
}

/**
 * Wide rows on Blackhole: each core ranks the elements of one row-major row; the kept ones are sorted and
 * tilized (published:ops-2, `topk_large_indices` and surrounding programs).
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
