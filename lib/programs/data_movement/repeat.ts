// SPDX-License-Identifier: Apache-2.0
import { type ChipDescription, workerCores } from "../../device/chip_description.ts";
import { boxExtent, type CoreRange, sameCoreRanges } from "../../layout/core_range.ts";
import { elementBytes, isBlockFloat } from "../../layout/data_type.ts";
import { fillsTiles, rowCount, volume } from "../../layout/extents.ts";
import { roundUp } from "../../layout/make_layout.ts";
import type { TensorMemoryLayout } from "../../layout/ttnn_layout.ts";
import { REPEAT } from "../../ops/attributes/movement.ts";
import { type AttributedOp, readAttributes } from "../../ops/attributes/read_attributes.ts";
import type { CircularBuffer } from "../circular_buffer.ts";
import { movedSteps, rowBytes } from "./memory_move.ts";
import { tilizeSteps, untilizeSteps } from "./tilize.ts";
import { generatesRowsOf } from "./tilize_cut.ts";
import { type ChainStep, chainStep, endOf, freeing, launchChain } from "../launch_sequence.ts";
import type { LaunchContext, Room, UnaryLaunch } from "../op_launch.ts";
import type { DeviceProgram, OpPrograms, StreamReader, StreamWriter } from "../program.ts";
import {
  alignmentOf,
  bytesPerBank,
  bytesPerTile,
  circularBufferPage,
  deviceMemory,
  fillsShards,
  inDram,
  interleavedCopy,
  isInShards,
  memoryOf,
  type ProgramTensor,
  rowMajorTensor,
  tiledTensor,
} from "../program_tensor.ts";
import { pageCopy, splitWorkToCores, streamProgram, wholeTensor, wholeTensors } from "../stream.ts";

/** Repeat factor per dimension of an operand. */
export function repeatedDims(op: AttributedOp, rank: number): readonly number[] {
  const { repeat_dims: factors } = readAttributes(op, REPEAT);
  return [...Array.from({ length: Math.max(0, rank - factors.length) }, () => 1), ...factors];
}

/**
 * Whether a tiled operand is repeated row-major: with padding along one of the last two dimensions, or along any of more
 * than four; of one dimension always (`ttnn:backend-0-81-1`).
 */
export function repeatsRows({ shape, tiled }: ProgramTensor, factors: readonly number[]): boolean {
  const rank = factors.length;
  if (!tiled || (rank > 1 && fillsTiles(shape))) return false;
  return rank === 1 || rank > 4 || factors.slice(-2).some((factor) => factor > 1);
}

/**
 * Whether every core can repeat its own shard: one repeated dimension of two or more; full shards, which hold whole
 * repeated blocks; a result that is not sharded, or in shards of that kind on the same cores; columns of row-major data
 * only in height shards (`ttnn:backend-0-81-1`).
 */
export function repeatsInShards(
  input: ProgramTensor,
  factors: readonly number[],
  { memoryLayout, coreRanges }: {
    readonly memoryLayout: TensorMemoryLayout | undefined;
    /** `undefined` if the backend derives them. */
    readonly coreRanges: readonly CoreRange[] | undefined;
  },
): boolean {
  const repeated = factors.flatMap((factor, dim) => factor === 1 ? [] : [dim]);
  const [dim] = repeated;
  if (dim === undefined || repeated.length > 1 || input.placement !== "l1_sharded" || !fillsShards(input)) {
    return false;
  }
  const { shape, tiled } = input;
  if (shape.length < 2 || (tiled && !fillsTiles(shape))) return false;
  if (memoryLayout !== undefined && memoryLayout !== "interleaved") {
    if (memoryLayout !== input.memoryLayout) return false;
    if (coreRanges !== undefined && !sameCoreRanges(coreRanges, input.coreRanges)) return false;
  }
  if (dim === shape.length - 1) return tiled || input.memoryLayout === "height_sharded";
  const rows = (input.shardShape.at(-2) ?? 1) * (tiled ? 32 : 1);
  return rows % volume(shape.slice(dim, -1)) === 0;
}

/** How a tensor is repeated. */
interface RepeatPlan {
  readonly factors: readonly number[];
  /** Whether the older kernel runs, which repeats shards in place or gathers them in L1. */
  readonly isOlder: boolean;
  /** Whether every core repeats its shard. */
  readonly inShards: boolean;
  readonly room: Room;
  readonly chip: ChipDescription;
}

/** Cores in one row of the grid from which reading their shards from all over the grid is slow. */
const HOT_ROW_CORES = 8;

/**
 * The choice of kernel. The older one takes: row-major shards that it repeats in place and that are not whole; columns
 * of row-major height shards on cores in a box wider than high; height shards in one row of at least
 * {@linkcode HOT_ROW_CORES} cores; block floats that are repeated row-major; ranks of 1 and above 4
 * (`ttnn:backend-0-81-1`).
 */
function repeatPlan(
  input: ProgramTensor,
  output: ProgramTensor,
  factors: readonly number[],
): Pick<RepeatPlan, "isOlder" | "inShards"> {
  const inShards = isInShards(input) &&
    repeatsInShards(input, factors, {
      memoryLayout: output.memoryLayout,
      coreRanges: isInShards(output) ? output.coreRanges : undefined,
    });
  const rank = factors.length;
  const isUnknown = rank < 2 || rank > 4 ||
    (repeatsRows(input, factors) && isBlockFloat(input.dataType));
  if (isUnknown) return { isOlder: true, inShards };
  const [rows, columns] = boxExtent(input.placement === "l1_sharded" ? input.coreRanges : []);
  const inRows = input.memoryLayout === "height_sharded" && isWhole(input) && rows > 0;
  const isWideLastDim = !input.tiled && inRows && output.memoryLayout === "height_sharded" &&
    factors.slice(0, -1).every((factor) => factor === 1) && columns > rows;
  const isPartOfRows = !input.tiled && !isWhole(input) && inShards;
  const first = input.tiled
    ? factors.findIndex((factor) => factor > 1)
    : factors.findLastIndex((factor) => factor > 1);
  const isHotRow = inRows && rank >= 3 && !repeatsRows(input, factors) && first < rank - 2 &&
    (input.tiled || output.placement === "l1_interleaved") && rows === 1 && columns >= HOT_ROW_CORES;
  return { isOlder: isWideLastDim || isPartOfRows || isHotRow, inShards };
}

/**
 * Whether the older kernel makes the result in interleaved memory, from which it goes into shards of aligned rows only
 * (`ttnn:backend-0-81-1`).
 */
export function needsAlignedShards(
  input: ProgramTensor,
  output: ProgramTensor,
  factors: readonly number[],
): boolean {
  const { isOlder, inShards } = repeatPlan(input, output, factors);
  return isOlder && !inShards && isInShards(output) && !output.tiled;
}

/**
 * `repeat`: copies pages, one program per dimension. Shards that are not full, on either side, go through
 * interleaved memory; tiles that do not end at the repeated extent go through row-major data
 * (`ttnn:backend-0-81-1`).
 */
export function repeatPrograms(op: UnaryLaunch, { chip, room }: LaunchContext): OpPrograms {
  const { input, output } = op;
  const factors = repeatedDims(op, input.shape.length);
  if (factors.every((factor) => factor === 1)) return launchChain(movedSteps(input, output, chip), chip);
  const plan = { ...repeatPlan(input, output, factors), factors, room, chip };
  if (repeatsRows(input, factors)) return launchChain(throughRows(input, output, plan), chip);
  const { isOlder, inShards } = plan;
  const staysInShards = isOlder ? inShards || !isInShards(input) : isWhole(input);
  const gathered = staysInShards
    ? []
    : movedSteps(input, interleavedCopy(input, isOlder ? "l1" : "dram"), chip);
  const isDirect = isOlder ? inShards || !isInShards(output) : isWhole(output);
  const to = isDirect ? output : interleavedCopy(output, deviceMemory(output));
  const from = endOf(gathered, input);
  return launchChain([
    ...gathered,
    ...repeatSteps(from, to, plan, from !== input),
    ...movedSteps(to, output, chip),
  ], chip);
}

/**
 * Whether pages can be accessed in place: shards are full and hold whole rows, and block shards fill their
 * rectangle.
 */
function isWhole(tensor: ProgramTensor): boolean {
  if (!isInShards(tensor)) return true;
  const { extent, tiled, shardShape, gridShape, memoryLayout } = tensor;
  if (!fillsShards(tensor)) return false;
  const unit = tiled ? 32 : 1;
  const down = extent[0] / ((shardShape.at(-2) ?? 1) * unit);
  const across = extent[1] / ((shardShape.at(-1) ?? 1) * unit);
  if (!tiled && across > 1) return false;
  return memoryLayout !== "block_sharded" || (down === gridShape[0] && across === gridShape[1]);
}

/** Pages that both threads of a core wait for at once. */
const BATCH_PAGES = 4;
/** Pages in flight where both threads of a core work. */
export const DEEP_PAGES: number = 2 * BATCH_PAGES;

/** Barriers of a core per page: one per batch, even if its pages do not fill one. */
export function batchWaits(
  pages: number,
  chip: ChipDescription,
): { readonly reader: Pick<StreamReader, "barriers">; readonly writer: Pick<StreamWriter, "barriers"> } {
  const { unitsPerCoreGroup1: own } = splitWorkToCores(workerCores(chip), pages);
  const waits = Math.ceil(own / BATCH_PAGES) / own;
  return { reader: { barriers: waits }, writer: { barriers: waits } };
}

/** Bytes of the older kernel's staging buffer in addition to the page. */
const STAGED_BESIDES = 128;

/**
 * The groups of dimensions that single programs repeat: a factor per dimension, of which one (or several that
 * fold into it) exceeds 1.
 */
function repeatedGroups(
  { shape, tiled }: ProgramTensor,
  factors: readonly number[],
  isOlder: boolean,
): readonly (readonly number[])[] {
  const rank = factors.length;
  const folded = [...factors];
  // A dimension with one row of the following extent is folded into it.
  for (let dim = 0; !isOlder && dim + 1 <= rank - (tiled ? 3 : 2); dim++) {
    const [factor = 1, next = 1] = [folded[dim], folded[dim + 1]];
    if (shape[dim] !== 1 || factor === 1 || next === 1) continue;
    folded[dim] = 1;
    folded[dim + 1] = next * factor;
  }
  const groups = folded.flatMap((factor, dim) =>
    factor === 1 ? [] : [folded.map((other, at) => at === dim ? other : 1)]
  );
  return tiled && !isOlder ? groups : groups.toReversed();
}

/**
 * The repeat programs: for tiles leading dimensions first, for row-major data the last one first.
 * Intermediates are interleaved in the operand's memory (older kernel: in the result's), and freed by their
 * reader.
 *
 * @param freesInput whether the operand of the steps is such an intermediate too
 */
function repeatSteps(
  input: ProgramTensor,
  output: ProgramTensor,
  { factors, isOlder, room, chip }: RepeatPlan,
  freesInput: boolean,
): readonly ChainStep[] {
  const groups = repeatedGroups(input, factors, isOlder);
  const steps: ChainStep[] = [];
  for (const [index, group] of groups.entries()) {
    const from = endOf(steps, input);
    const shape = from.shape.map((extent, dim) => extent * (group[dim] ?? 1));
    const to = index === groups.length - 1
      ? output
      : interleavedCopy({ ...from, shape }, deviceMemory(isOlder ? output : input));
    const isOperand = from === input && !freesInput;
    const held = isOperand || memoryOf(from) !== "l1" ? 0 : bytesPerBank(from, chip);
    const free = () => room().beforeResults - held;
    const repeated = [chainStep(to, repeatProgram(from, to, group, isOlder ? "older" : { free }, chip))];
    steps.push(...isOperand ? repeated : freeing(repeated, from));
  }
  return steps;
}

function throughRows(input: ProgramTensor, output: ProgramTensor, plan: RepeatPlan): readonly ChainStep[] {
  const { isOlder, chip } = plan;
  const gathered = isInShards(input)
    ? movedSteps(input, interleavedCopy(input, isOlder ? "l1" : "dram"), chip)
    : [];
  const tiles = endOf(gathered, input);
  const rows = rowMajorTensor(input.shape, input.dataType, deviceMemory(tiles));
  const memory = deviceMemory(output);
  const repeated = rowMajorTensor(output.shape, rows.dataType, memory);
  const tilized = isInShards(output) ? tiledTensor(output.shape, output.dataType, memory) : output;
  const kernel = input.dataType === "bf16" && !isOlder && generatesRowsOf(input) ? "generated" : "unpadding";
  return [
    ...gathered,
    ...freeing(untilizeSteps(tiles, rows, chip, undefined, kernel), tiles),
    ...repeatSteps(rows, repeated, plan, true),
    ...freeing(tilizeSteps(repeated, tilized, chip), repeated),
    ...movedSteps(tilized, output, chip),
  ];
}

/** Alignment of a write in bytes. */
const WRITE_ALIGNMENT = 16;

/** Doublings of a row until the end of its copies is aligned for a write. */
function doublingsOf(bytes: number): number {
  let doublings = 0;
  while ((bytes << doublings) % WRITE_ALIGNMENT !== 0) doublings++;
  return doublings;
}

/**
 * The program that repeats one dimension, or several that fold into it.
 *
 * @param kernel the older one, or that whose buffers are limited by the L1 that is free before the result is allocated
 */
function repeatProgram(
  input: ProgramTensor,
  output: ProgramTensor,
  factors: readonly number[],
  kernel: "older" | { readonly free: () => number },
  chip: ChipDescription,
): DeviceProgram {
  const dim = factors.findLastIndex((factor) => factor !== 1);
  if (kernel === "older") return olderProgram(input, output, dim, chip);
  const writesCopies = input.tiled && dim < factors.length - 2 && !inDram(output) &&
    output.memoryLayout !== "block_sharded";
  if (writesCopies) {
    return streamProgram({
      units: input.pages,
      reads: [wholeTensor(input)],
      writes: [{ ...wholeTensor(output), scattered: true }],
      oneThread: true,
      circularBuffers: [pagesInFlight(input, output, 1, chip)],
    }, chip);
  }
  const circularBuffers = [batchesInFlight(input, output, kernel.free, chip)];
  const { reader, writer } = batchWaits(output.pages, chip);
  if (input.tiled || dim < factors.length - 1) {
    return pageCopy([input], [output], { reader, writer, circularBuffers }, chip);
  }
  return streamProgram({
    reader: { ...reader, ...copiesBehind(input, (factors[dim] ?? 1) - 1) },
    writer,
    units: output.pages,
    ...wholeTensors(input, output),
    circularBuffers,
  }, chip);
}

/** Row sizes in bytes that the copying thread holds in registers. */
const HELD_BYTES: ReadonlySet<number> = new Set([2, 4, 8, 12]);

/**
 * A row is read once and appended to itself: by NoC copies if these are aligned; otherwise byte by byte, or,
 * for short rows, word by word from registers.
 */
function copiesBehind(
  input: ProgramTensor,
  copies: number,
): Pick<StreamReader, "copies" | "copiedWords" | "paddingWords"> {
  const bytes = (input.shape.at(-1) ?? 1) * elementBytes(input.dataType);
  const isAligned = bytes % WRITE_ALIGNMENT === 0;
  return {
    copies: isAligned ? copies : 0,
    paddingWords: HELD_BYTES.has(bytes) ? copies * Math.ceil(bytes / 4) : 0,
    copiedWords: isAligned || HELD_BYTES.has(bytes) ? 0 : copies * bytes,
  };
}

/**
 * Older kernel: a core takes the extent before the last repeated dimension, or the extent after it if larger;
 * reads each of its pages once and writes the copies one by one, also contiguous ones in a longer row
 * (tt-metal:repeat, `repeat_higher_dim_rm`, `repeat_last_dim_rm`).
 */
function olderProgram(
  input: ProgramTensor,
  output: ProgramTensor,
  dim: number,
  chip: ChipDescription,
): DeviceProgram {
  const inRow = dim === input.shape.length - 1;
  const rows = input.tiled ? input.pages : rowCount(input.shape);
  const spread = Math.max(volume(input.shape.slice(0, dim)), volume(input.shape.slice(dim + 1, -1)));
  const doublings = inRow && !input.tiled ? doublingsOf(input.pageBytes) : 0;
  return streamProgram({
    reads: [wholeTensor(input)],
    writes: [{
      ...wholeTensor(output),
      stride: inRow ? 0 : volume(input.shape.slice(dim, -1)),
      transactionBytes: inRow ? Math.min(output.pageBytes, input.pageBytes << doublings) : output.pageBytes,
      scattered: true,
    }],
    units: rows,
    maxCores: Math.min(workerCores(chip), inRow || input.tiled ? rows : spread),
    reader: { copies: doublings },
    oneThread: true,
    circularBuffers: stagedPages(input, output, inRow),
  }, chip);
}

/** The buffer of pages between reader and writer. */
function pagesInFlight(
  input: ProgramTensor,
  output: ProgramTensor,
  pages: number,
  chip: ChipDescription,
): CircularBuffer {
  const aligned = (tensor: ProgramTensor) => roundUp(rowBytes(tensor), alignmentOf(tensor, chip));
  const page = input.tiled ? circularBufferPage(input) : Math.max(aligned(input), aligned(output));
  return { name: "in0", bytes: pages * page, kind: "circular" };
}

/** No L1 has so little room left. */
const ALWAYS_FREE_BYTES = 65_536;

/** Two batches of pages, of fewer and at least one page where L1 has less room (`ttnn:backend-0-81-1`). */
function batchesInFlight(
  input: ProgramTensor,
  output: ProgramTensor,
  free: () => number,
  chip: ChipDescription,
): CircularBuffer {
  const deep = pagesInFlight(input, output, DEEP_PAGES, chip);
  if (deep.bytes <= ALWAYS_FREE_BYTES) return deep;
  const page = deep.bytes / DEEP_PAGES;
  const batch = Math.max(1, Math.min(BATCH_PAGES, Math.floor(free() / (2 * page))));
  return { ...deep, bytes: 2 * batch * page };
}

/** The older kernel's staging: a page; interleaved rows twice; as many copies of a row as end on a write. */
function stagedPages(input: ProgramTensor, output: ProgramTensor, inRow: boolean): readonly CircularBuffer[] {
  const row = input.tiled ? 0 : (input.shape.at(-1) ?? 1) * elementBytes(input.dataType);
  const page = input.tiled ? bytesPerTile(input) : inRow ? row << doublingsOf(row) : row;
  const isTwice = !input.tiled && !isInShards(input) && !isInShards(output);
  return ["page", ...isTwice ? ["aligned_page"] : []]
    .map((name) => ({ name, bytes: page + STAGED_BESIDES, kind: "scratch" }));
}
