// SPDX-License-Identifier: Apache-2.0
import { type ChipDescription, workerCores } from "../../device/chip_description.ts";
import { normalDim, swapExtents } from "../../layout/extents.ts";
import { tileColumns } from "../../layout/tile_shape.ts";
import { readAttributes } from "../../ops/attributes/read_attributes.ts";
import { SORT } from "../../ops/attributes/reduction.ts";
import type { CircularBuffer } from "../circular_buffer.ts";
import { copyProgram, shardTransfer } from "./memory_move.ts";
import { fillPadding } from "./pad.ts";
import { exchangedOrder, permutation } from "./permute.ts";
import { sliceOfTiles } from "./slice.ts";
import {
  type ChainStep,
  chainStep,
  endOf,
  jointSteps,
  launchChain,
  replacingSteps,
} from "../launch_sequence.ts";
import type { LaunchContext, OpLaunch } from "../op_launch.ts";
import { type DeviceProgram, type OpPrograms, type StreamProgram, unknownPrograms } from "../program.ts";
import {
  bytesPerTile,
  deviceMemory,
  isInShards,
  isPresent,
  type ProgramTensor,
  sameShards,
  tiledTensor,
  withFormat,
  withShape,
} from "../program_tensor.ts";
import { pageBuffer, streamProgram, tileBuffer, wholeTensor, wholeTensors } from "../stream.ts";

/**
 * Widest row in tiles that one core sorts in L1; longer rows are exchanged between cores or through DRAM
 * (tt-metal:sort-topk).
 */
const MOST_TILES_IN_L1 = 64;

/** Widest row in tiles per core for exchange between cores; longer rows are merged through DRAM. */
const MOST_TILES_EXCHANGED = 128;

/**
 * `sort`: tile rows, values and indices together. Shards are moved to DRAM before and restored after;
 * dimensions other than the last go through transposed copies in the input's memory; tile rows are padded to
 * a power of two. A row of one value is copied (`ttnn:backend-0-81-1`).
 *
 * @param asked requested memory, in which rows are sorted even if the results are elsewhere; by default that
 * of the results, or DRAM next to shards
 */
export function sortPrograms(op: OpLaunch, { chip }: LaunchContext, asked?: "dram" | "l1"): OpPrograms {
  const [input] = op.inputs;
  const results = op.outputs.filter(isPresent);
  if (input === undefined || results.length === 0) {
    return unknownPrograms(op.name, "needs an input and a result");
  }
  const last = input.shape.length - 1;
  const dim = normalDim(readAttributes(op, SORT).dim, last + 1);
  if (input.shape[dim] === 1) return launchChain(copySteps(input, results, chip), chip);
  const shape = swapExtents(input.shape, dim, last);
  const whole = [...shape.slice(0, -1), paddedRow(shape.at(-1) ?? 1)];
  const order = exchangedOrder(last + 1, [dim, last]);
  const sort: Sort = {
    input,
    results,
    shape,
    whole,
    addsTiles: tileColumns(whole) !== tileColumns(shape),
    permute: dim === last ? undefined : (from, to) => permutation(from, to, order, chip),
    chip,
  };
  const before = stepsBefore(sort);
  const rows = endOf(before, input);
  const shards = results.some(isInShards);
  const memory = asked ?? (shards ? "dram" : deviceMemory(results[0] ?? input));
  const stays = sort.permute === undefined && !sort.addsTiles && !shards;
  const sorted = stays ? results : results.map(({ dataType }) => tiledTensor(whole, dataType, memory));
  return launchChain([
    ...before,
    ...jointSteps(sorted, sortProgram(rows, sorted, chip), () => stays),
    ...stays ? [] : stepsAfter(sort, sorted),
  ], chip);
}

/** What surrounds the program that sorts. */
interface Sort {
  readonly input: ProgramTensor;
  readonly results: readonly ProgramTensor[];
  /** Shape of the operand with the sorted dimension last. */
  readonly shape: readonly number[];
  /** The same with rows padded to a power of two of tiles. */
  readonly whole: readonly number[];
  /** Whether that pads rows by whole tiles. */
  readonly addsTiles: boolean;
  /** Exchanges the sorted dimension with the last one, there or back; `undefined` if it is the last one. */
  readonly permute: ((from: ProgramTensor, to: ProgramTensor) => DeviceProgram) | undefined;
  readonly chip: ChipDescription;
}

/** What precedes the sort, of whose operand it makes rows: interleaved, the sorted dimension last, padded. */
function stepsBefore({ input, shape, whole, addsTiles, permute, chip }: Sort): readonly ChainStep[] {
  const steps: ChainStep[] = [];
  const gathered = isInShards(input) ? tiledTensor(input.shape, input.dataType, "dram") : input;
  if (gathered !== input) steps.push(chainStep(gathered, shardTransfer(input, gathered)));
  const permuted = permute === undefined ? gathered : withShape(gathered, shape);
  if (permute !== undefined) steps.push(chainStep(permuted, permute(gathered, permuted)));
  const fill = fillPadding(permuted, chip);
  if (!addsTiles) return [...steps, { tensor: permuted, programs: fill, inPlace: true }];
  const rows = withShape(permuted, whole);
  return [
    ...steps,
    // Padding is filled again before tile rows are added.
    { tensor: permuted, programs: [...fill, ...fill], inPlace: true },
    chainStep(rows, padded(permuted, rows, chip), permute === undefined ? [] : [permuted]),
  ];
}

/** What follows the sort: a slice without the padding, the dimensions exchanged back, shards. */
function stepsAfter(
  { input, results, shape, addsTiles, permute, chip }: Sort,
  sorted: readonly ProgramTensor[],
): readonly ChainStep[] {
  const shards = results.some(isInShards);
  const isCut = permute === undefined && !shards;
  const rows = !addsTiles ? sorted : isCut ? results : sorted.map((tensor) => withShape(tensor, shape));
  const cut = addsTiles
    ? replacingSteps(sorted, rows, (from, to) => sliceOfTiles(from, to, chip), isCut)
    : [];
  if (permute === undefined) {
    return shards ? [...cut, ...replacingSteps(rows, results, shardTransfer, true)] : cut;
  }
  // Transposed rows go back to the operand's memory, and from its shards to other memory.
  const isBack = !shards || results.every((result) => sameShards(result, input));
  const back = isBack || !isInShards(input)
    ? results
    : results.map(({ dataType }) => withFormat(input, dataType));
  const moved = results.map((tensor, result) => ({
    ...chainStep(tensor, shardTransfer(back[result] ?? tensor, tensor)),
    result,
  }));
  return [...cut, ...replacingSteps(rows, back, permute, isBack), ...isBack ? [] : moved];
}

/** The result for rows of one value: the values, and zeros as indices. */
function copySteps(
  input: ProgramTensor,
  results: readonly ProgramTensor[],
  chip: ChipDescription,
): readonly ChainStep[] {
  return results.map((tensor, result) => ({
    tensor,
    result,
    programs: result === 0 ? [copyProgram(input, tensor, chip)] : [],
  }));
}

/** Width of a sorted tile row: a power of two of tiles, at least two. */
export function paddedRow(width: number): number {
  const tiles = 2 ** Math.max(1, Math.ceil(Math.log2(Math.ceil(width / 32))));
  return Math.ceil(width / 32) === tiles ? width : 32 * tiles;
}

function padded(input: ProgramTensor, output: ProgramTensor, chip: ChipDescription): DeviceProgram {
  return streamProgram({
    units: output.tiles,
    ...wholeTensors(input, output),
    circularBuffers: [pageBuffer("in0", 2, input), pageBuffer("padding_value", 1, input, "scratch")],
  }, chip);
}

/**
 * Buffers of a sort: a core holds a tile row of values and one of indices, or its part of a long row, which
 * it exchanges with others. Values of 16 bits are sorted as 32, and long rows of them through DRAM
 * (`ttnn:backend-0-81-1`).
 */
function sortBuffers(
  rows: ProgramTensor,
  indices: ProgramTensor | undefined,
  chip: ChipDescription,
): readonly CircularBuffer[] {
  const tiles = tileColumns(rows.shape);
  const isNarrow = rows.dataType === "u16";
  const values = isNarrow ? { dataType: "u32" as const } : rows;
  const index = indices ?? { dataType: isNarrow ? "u32" : "u16" };
  const narrow = isNarrow ? [tileBuffer("given", 1, "u16"), tileBuffer("returned", 1, "u16")] : [];
  const pair = (name: string, count: number): readonly CircularBuffer[] => [
    { name, bytes: count * bytesPerTile(values) },
    { name: `${name}_index`, bytes: count * bytesPerTile(index) },
  ];
  if (tiles <= MOST_TILES_IN_L1) {
    const synchronisation = { name: "synchronisation", bytes: 1024 };
    return [...pair("in0", 4), ...pair("row", tiles), ...pair("out", 2), synchronisation, ...narrow];
  }
  const workers = workerCores(chip);
  const mostExchanged = workers * Math.min(MOST_TILES_EXCHANGED, Math.max(2, Math.floor(tiles / workers)));
  if (isNarrow || tiles > mostExchanged) return [...mergedThroughDram(pair("in0", 2)), ...narrow];
  const cores = 2 ** Math.floor(Math.log2(workers));
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

/** Three pairs of buffers on cores that merge tiles through DRAM, one on the core that coordinates them. */
function mergedThroughDram(pair: readonly CircularBuffer[]): readonly CircularBuffer[] {
  const copies = ["", "_sorted", "_out"].flatMap((suffix) =>
    pair.map(({ name, bytes }) => ({ name: `${name}${suffix}`, bytes }))
  );
  return [...copies, ...pair.map(({ name, bytes }) => ({ name: `${name}_told`, bytes, bytesOnCore: 0 }))];
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
