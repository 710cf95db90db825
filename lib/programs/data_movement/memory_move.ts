// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../../device/chip_description.ts";
import { elementBytes } from "../../layout/data_type.ts";
import { roundUp } from "../../layout/make_layout.ts";
import { permutationKeepsPages, reshapeKeepsPages } from "../../ops/view_shapes.ts";
import { type CircularBuffer, MOST_PAGES } from "../circular_buffer.ts";
import { type ChainStep, chainStep } from "../launch_sequence.ts";
import { emptyRoom, type Room } from "../op_launch.ts";
import type { DeviceProgram, StreamProgram, TransferProgram } from "../program.ts";
import {
  alignmentOf,
  bytesPerBank,
  circularBufferPage,
  inDram,
  interleavedCopy,
  isInShards,
  memoryOf,
  type ProgramTensor,
  sameShards,
} from "../program_tensor.ts";
import { streamProgram, tileBuffer, wholeTensor, wholeTensors } from "../stream.ts";

/** Row-major rows in flight on their way into shards. */
const STAGED_ROWS = 4;

/**
 * The programs that move a tensor to another memory, keeping pages and format: `Copy` between interleaved
 * memories, `InterleavedToSharded`, `ShardedToInterleaved` and `Reshard`. `Copy` replaces these if rows of shards
 * are not aligned, except between height shards, and `InterleavedToSharded` if a shard exceeds L1. Row-major shards go through DRAM where memory
 * layout and row length both change, or rows of the result are not aligned (`ttnn:backend-0-81-1`).
 */
export function moveSteps(
  input: ProgramTensor,
  output: ProgramTensor,
  chip: ChipDescription,
  room: Room = () => emptyRoom(chip),
): readonly ChainStep[] {
  const copy = () => [chainStep(output, copyProgram(input, output, chip))];
  const move = () => [chainStep(output, transfer(input, output, chip))];
  if (!isInShards(input)) return !isInShards(output) || isCopied(output, chip, room) ? copy() : move();
  if (!isInShards(output)) return input.tiled || hasAlignedRows(input, chip) ? move() : copy();
  const areHigh = [input, output].every(({ placement, memoryLayout }) =>
    placement === "l1_sharded" && memoryLayout === "height_sharded"
  );
  if (!input.tiled && areHigh) return [chainStep(output, heightReshard(input, output, chip))];
  if (!input.tiled && !hasAlignedRows(input, chip)) return copy();
  const keepsRows = input.memoryLayout === output.memoryLayout || input.pageBytes === output.pageBytes;
  if (input.tiled || (keepsRows && hasAlignedRows(output, chip))) return move();
  const gathered = interleavedCopy(input, "dram");
  // The scratch row of this `Copy` has the length of the shards' rows, not of those in DRAM (recorded answers of pools).
  return [
    ...moveSteps(input, gathered, chip),
    ...isCopied(output, chip, room) ? copy() : moveSteps(gathered, output, chip, room),
  ];
}

/** {@linkcode moveSteps}; no steps if the tensor is already there. */
export function movedSteps(
  from: ProgramTensor,
  to: ProgramTensor,
  chip: ChipDescription,
): readonly ChainStep[] {
  return keepsPlace(from, to) ? [] : moveSteps(from, to, chip);
}

/** Reads in flight of a program that fills shards from interleaved pages. */
const READS_INTO_SHARDS = 4;

/**
 * Whether `Copy` moves interleaved pages into these shards: rows are not aligned, or a shard and the pages in flight, each
 * aligned for DRAM, exceed the L1 below the lowest tensor, even if the shard will lie in a hole above
 * (`ttnn:backend-0-81-1`).
 */
function isCopied(output: ProgramTensor, chip: ChipDescription, room: Room): boolean {
  if (!output.tiled && !hasAlignedRows(output, chip)) return true;
  const inFlight = READS_INTO_SHARDS * (output.pageBytes + chip.dramAlignment);
  return bytesPerBank(output, chip) + inFlight >= room().beforeResults;
}

function hasAlignedRows({ pageBytes }: ProgramTensor, { l1Alignment }: ChipDescription): boolean {
  return pageBytes % l1Alignment === 0;
}

/** Most bytes of a row that `Copy` holds at once; longer rows pass in parts. */
const LONGEST_COPIED = 262_144;

/**
 * `Copy`: reads and writes pages of any memory; they are dealt out over the whole grid. Rows that change memory pass a
 * scratch row (`ttnn:backend-0-81-1`).
 */
export function copyProgram(
  input: ProgramTensor,
  output: ProgramTensor,
  chip: ChipDescription,
): StreamProgram {
  return streamProgram({
    units: output.pages,
    ...wholeTensors(input, output),
    circularBuffers: output.tiled ? tilesInFlight(input, output) : rowsInFlight(input, output, chip),
  }, chip);
}

/** Two rows, and a scratch row unless both tensors lie in one memory, shards in equal ones. */
function rowsInFlight(
  input: ProgramTensor,
  output: ProgramTensor,
  chip: ChipDescription,
): readonly CircularBuffer[] {
  const aligned = Math.min(LONGEST_COPIED, roundUp(output.pageBytes, alignmentOf(output, chip)));
  const rows = { name: "in0", bytes: 2 * aligned };
  const stays = isInShards(input) ? sameShards(input, output) : input.placement === output.placement;
  return stays
    ? [rows]
    : [rows, { name: "row", bytes: Math.min(LONGEST_COPIED, rowBytes(input)), kind: "scratch" }];
}

/** Two tiles, and two more where the format changes on the way. */
function tilesInFlight(input: ProgramTensor, output: ProgramTensor): readonly CircularBuffer[] {
  const read = tileBuffer("in0", 2, input.dataType);
  return input.dataType === output.dataType ? [read] : [read, tileBuffer("out", 2, output.dataType)];
}

/** Elements of a row-major page; a shard may be wider than the tensor, as those of pools are. */
export function rowElements(tensor: ProgramTensor): number {
  return (isInShards(tensor) ? tensor.shardShape : tensor.shape).at(-1) ?? 1;
}

/** Bytes of a row-major page without alignment padding. */
export function rowBytes(tensor: ProgramTensor): number {
  return rowElements(tensor) * elementBytes(tensor.dataType);
}

/** From or to L1 shards; DRAM shards are in banks, which have no cores of their own. */
function transfer(
  input: ProgramTensor,
  output: ProgramTensor,
  chip: ChipDescription,
): TransferProgram | StreamProgram {
  const circularBuffers = isInShards(output) && !isInShards(input) ? rowStaging(output, chip) : [];
  if (input.placement === "l1_sharded" || output.placement === "l1_sharded") {
    return { ...shardTransfer(input, output), circularBuffers };
  }
  const bytes = !isInShards(output)
    ? 2 * circularBufferPage(input)
    : isInShards(input)
    ? circularBufferPage(input)
    : bytesPerBank(output, chip);
  return {
    ...copyProgram(input, output, chip),
    circularBuffers: [...circularBuffers, { name: "in0", bytes }],
  };
}

/**
 * `Reshard` of row-major height shards. If rows of the result are not aligned, those of a whole shard of the operand pass
 * through a buffer, each in twice its aligned length (`ttnn:backend-0-81-1`).
 */
function heightReshard(input: ProgramTensor, output: ProgramTensor, chip: ChipDescription): TransferProgram {
  const [rows = 1] = input.shardShape;
  const bytes = 2 * rows * roundUp(output.pageBytes, chip.l1Alignment);
  return {
    ...shardTransfer(input, output),
    circularBuffers: hasAlignedRows(output, chip) ? [] : [{ name: "rows", bytes }],
  };
}

/**
 * Row-major rows on their way into shards are staged, because they may begin at any byte of a DRAM word
 * (tt-metal:reshard).
 */
function rowStaging(output: ProgramTensor, { dramAlignment }: ChipDescription): readonly CircularBuffer[] {
  if (output.tiled) return [];
  const bytes = STAGED_ROWS * (roundUp(output.pageBytes, dramAlignment) + dramAlignment);
  return [{ name: "staging", bytes, kind: "scratch" }];
}

/**
 * Pages from or to shards: the cores of the shards read or write their own data, page by page without
 * barriers in between, and share DRAM bandwidth (derived:cost-model). NoC congestion is added where flows are
 * known. The shards serve as buffers.
 *
 * @param stages whether row-major rows from DRAM pass through a staging buffer one by one, as in
 * `interleaved_to_sharded`; if not, each page is a short copy of its own
 */
export function shardTransfer(input: ProgramTensor, output: ProgramTensor, stages = true): TransferProgram {
  const pulls = output.placement === "l1_sharded";
  const [shards, pages] = pulls ? [output, input] : [input, output];
  const cores = Math.max(1, shards.shardCores);
  const transactionBytes = Math.max(1, Math.min(pages.pageBytes, shards.pageBytes));
  const perCore = shards.shardBytes === 0 ? shards.bytes / cores : shards.shardBytes;
  const transactions = Math.ceil(perCore / transactionBytes);
  const converts = input.dataType !== output.dataType && output.tiled;
  return {
    kind: "transfer",
    cores,
    circularBuffers: [],
    reads: [wholeTensor(input)],
    writes: [wholeTensor(output)],
    flops: 0,
    input,
    output,
    pulls,
    transactions,
    transactionBytes,
    staged: stages && pulls && !pages.tiled && inDram(pages),
    shortCopies: stages ? 0 : transactions,
    compute: converts ? [{ operation: "eltwise", count: Math.ceil(output.tiles / cores) }] : [],
    moves: true,
  };
}

/**
 * Why shards cannot serve as the buffer of pages that enter or leave them; `undefined` if they can, or for other programs
 * (`ttnn:backend-0-81-1`).
 */
export function pagesFault(program: DeviceProgram): string | undefined {
  if (program.kind !== "transfer" || isInShards(program.input) === isInShards(program.output)) {
    return undefined;
  }
  const { tiled, shardShape: [rows = 1] } = isInShards(program.input) ? program.input : program.output;
  return tiled || rows <= MOST_PAGES
    ? undefined
    : `a shard of ${rows} rows exceeds the ${MOST_PAGES} pages of a circular buffer`;
}

/**
 * Whether a reshape between these tensors is a view: the last dimension stays; in tiles the second-last stays
 * too or both are whole tiles; and the memory is the same. On the host only the shape changes
 * (`ttnn:backend-0-81-1`).
 */
export function reshapeSharesBuffer(input: ProgramTensor, output: ProgramTensor): boolean {
  if (input.tiled !== output.tiled || input.dataType !== output.dataType) return false;
  if (memoryOf(input) === "host" && memoryOf(output) === "host") return true;
  return reshapeKeepsPages(input.shape, output.shape, input.tiled) && keepsPlace(input, output);
}

/**
 * Whether a permutation between these tensors is a view: only unit dimensions move, and the memory is the
 * same.
 */
export function permuteSharesBuffer(
  input: ProgramTensor,
  output: ProgramTensor,
  permutation: readonly number[],
): boolean {
  return permutationKeepsPages(input.shape, permutation, input.tiled) && keepsPlace(input, output);
}

/** Whether a tensor in one layout is already in the other: same pages and format, same banks or shards. */
export function keepsPlace(input: ProgramTensor, output: ProgramTensor): boolean {
  return input.tiled === output.tiled && input.dataType === output.dataType &&
    input.placement === output.placement && (!isInShards(input) || sameShards(input, output));
}
