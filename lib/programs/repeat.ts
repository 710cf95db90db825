// SPDX-License-Identifier: Apache-2.0
import { type ChipDescription, workerCores } from "../device/chip_description.ts";
import { readInteger, readIntegers } from "../dialect/attribute_values.ts";
import { normalDim, rowCount, volume } from "../layout/extents.ts";
import type { AttributeMap } from "../ir/attribute.ts";
import { isBlockFloat } from "../layout/data_type.ts";
import { roundUp } from "../layout/make_layout.ts";
import { moveSteps, rowBytes } from "./memory_move.ts";
import { pageCopy } from "./page_copy.ts";
import type { OpLaunch } from "./op_launch.ts";
import { transposeTiles } from "./permute.ts";
import { type ChainStep, chainStep, endOf, launchChain } from "./program_chain.ts";
import { type DeviceProgram, type OpPrograms, unknownPrograms } from "./program.ts";
import {
  alignmentOf,
  circularBufferPage,
  deviceMemory,
  fillsShards,
  inDram,
  interleavedCopy,
  isInShards,
  type ProgramTensor,
  rowMajorTensor,
  tiledTensor,
} from "./program_tensor.ts";
import { pageBuffer, streamProgram, wholeTensor } from "./stream.ts";
import { tilizeSteps, untilizeSteps } from "./tilize.ts";
import { typecastProgram } from "./typecast.ts";
import { keepsPlace } from "./view.ts";

/** How often each dimension of an operand is repeated. */
export function repeatedDims(
  { attributes }: { readonly attributes: AttributeMap },
  rank: number,
): readonly number[] {
  const factors = readIntegers(attributes, "repeat_dims") ?? [];
  return [...Array.from({ length: Math.max(0, rank - factors.length) }, () => 1), ...factors];
}

/** Whether tiles are repeated in rows: along one of the last two dimensions, where they have padding. */
export function repeatsRows({ shape, tiled }: ProgramTensor, factors: readonly number[]): boolean {
  return tiled && factors.slice(-2).some((factor) => factor > 1) &&
    shape.slice(-2).some((extent) => extent % 32 !== 0);
}

/**
 * `repeat`: pages are copied, by one program for the leading dimensions and one for each of the last two. Shards that are
 * not full, on either side, pass interleaved memory; tiles that do not end where they are repeated go through rows
 * (`ttnn-0.81.1`).
 */
export function repeatPrograms(op: OpLaunch, chip: ChipDescription): OpPrograms {
  const [input] = op.inputs;
  const [output] = op.outputs;
  if (input === undefined || output === undefined) {
    return unknownPrograms(op.name, "needs an input and a result");
  }
  const factors = repeatedDims(op, input.shape.length);
  if (factors.every((factor) => factor === 1)) return launchChain(moved(input, output, chip), chip);
  if (repeatsRows(input, factors)) return launchChain(throughRows(input, output, factors, chip), chip);
  const gathered = isWhole(input) ? [] : moved(input, interleavedCopy(input, "dram"), chip);
  const isDirect = isWhole(output);
  const to = isDirect ? output : interleavedCopy(output, deviceMemory(output));
  return launchChain([
    ...gathered,
    ...repeatSteps(endOf(gathered, input), to, factors, chip),
    ...moved(to, output, chip),
  ], chip);
}

/** Whether pages are read or written where they lie: not in shards that are not full or cut rows. */
function isWhole(tensor: ProgramTensor): boolean {
  return !isInShards(tensor) ||
    (fillsShards(tensor) && (tensor.tiled || tensor.memoryLayout === "height_sharded"));
}

/** Pages in flight where writes go to DRAM or over the network more than once, and rows always. */
const DEEP_PAGES = 8;

function moved(from: ProgramTensor, to: ProgramTensor, chip: ChipDescription): readonly ChainStep[] {
  return keepsPlace(from, to) ? [] : moveSteps(from, to, chip);
}

/**
 * The programs that repeat: tiles along the leading dimensions first, rows along the last one first. What they make in
 * between lies interleaved where the operand does, until the next one has read it.
 */
function repeatSteps(
  input: ProgramTensor,
  output: ProgramTensor,
  factors: readonly number[],
  chip: ChipDescription,
): readonly ChainStep[] {
  const rank = factors.length;
  const only = (from: number, to: number) =>
    factors.map((factor, dim) => dim >= from && dim < to ? factor : 1);
  const groups = [only(0, rank - 2), only(rank - 2, rank - 1), only(rank - 1, rank)]
    .filter((group) => group.some((factor) => factor > 1));
  if (!input.tiled) groups.reverse();
  const steps: ChainStep[] = [];
  for (const [index, group] of groups.entries()) {
    const from = endOf(steps, input);
    const shape = from.shape.map((extent, dim) => extent * (group[dim] ?? 1));
    const to = index === groups.length - 1
      ? output
      : interleavedCopy({ ...from, shape }, deviceMemory(input));
    const repeated = [chainStep(to, repeatProgram(from, to, group, chip))];
    steps.push(...from === input ? repeated : freeing(repeated, from));
  }
  return steps;
}

function throughRows(
  input: ProgramTensor,
  output: ProgramTensor,
  factors: readonly number[],
  chip: ChipDescription,
): readonly ChainStep[] {
  const gathered = isInShards(input) ? moved(input, interleavedCopy(input, "dram"), chip) : [];
  const tiles = endOf(gathered, input);
  const rows = rowMajorTensor(input.shape, input.dataType, deviceMemory(tiles));
  const memory = deviceMemory(output);
  const repeated = rowMajorTensor(output.shape, rows.dataType, memory);
  const tilized = isInShards(output) ? tiledTensor(output.shape, output.dataType, memory) : output;
  return [
    ...gathered,
    ...freeing(
      untilizeSteps(tiles, rows, chip, input.dataType === "bf16" ? "generated" : "unpadding"),
      tiles,
    ),
    ...freeing(repeatSteps(rows, repeated, factors, chip), rows),
    ...freeing(tilizeSteps(repeated, tilized, chip), repeated),
    ...moved(tilized, output, chip),
  ];
}

/** Steps behind which a tensor goes that only they have read. */
function freeing(steps: readonly ChainStep[], tensor: ProgramTensor): readonly ChainStep[] {
  return steps.map((step, index) =>
    index === steps.length - 1 ? { ...step, frees: [...step.frees ?? [], tensor] } : step
  );
}

/** Bytes that a write begins and ends on. */
const WRITE_ALIGNMENT = 16;

/** How often a row is copied behind itself until its copies end where a write may begin. */
function doublingsOf(bytes: number): number {
  let doublings = 0;
  while ((bytes << doublings) % WRITE_ALIGNMENT !== 0) doublings++;
  return doublings;
}

/**
 * A core takes what lies in front of the last repeated dimension, or what lies behind it where that is more, reads each
 * of its pages once and writes its copies one by one, also those that follow each other in a longer row (tt-metal:repeat,
 * `repeat_higher_dim_rm`, `repeat_last_dim_rm`).
 */
function repeatProgram(
  input: ProgramTensor,
  output: ProgramTensor,
  factors: readonly number[],
  chip: ChipDescription,
): DeviceProgram {
  const dim = factors.findLastIndex((factor) => factor !== 1);
  const isDeep = !input.tiled || dim >= factors.length - 2 || inDram(output) ||
    output.memoryLayout === "block_sharded";
  const page = input.tiled ? circularBufferPage(input) : roundUp(rowBytes(output), alignmentOf(output, chip));
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
    shortCopies: doublings,
    oneThread: true,
    circularBuffers: [{ name: "in0", bytes: (isDeep ? DEEP_PAGES : 1) * page, kind: "circular" }],
  }, chip);
}

/** Whether `repeat_interleave` copies pages: along dimensions before the last two, between interleaved memories. */
function interleavesPages(input: ProgramTensor, output: ProgramTensor, dim: number): boolean {
  return !isInShards(input) && !isInShards(output) && dim < input.shape.length - 2 &&
    !isBlockFloat(input.dataType);
}

/**
 * `repeat_interleave`: pages are copied along leading dimensions; everything else goes through rows in DRAM, columns as
 * rows of the transposed tensor, block floats as bf16 (`ttnn-0.81.1`).
 */
export function repeatInterleavePrograms(op: OpLaunch, chip: ChipDescription): OpPrograms {
  const [input] = op.inputs;
  const [output] = op.outputs;
  if (input === undefined || output === undefined) {
    return unknownPrograms(op.name, "needs an input and a result");
  }
  const dim = normalDim(readInteger(op.attributes, "dim") ?? 0, input.shape.length);
  if ((readInteger(op.attributes, "repeats") ?? 1) === 1) {
    return launchChain(moved(input, output, chip), chip);
  }
  if (interleavesPages(input, output, dim)) {
    const circularBuffers = [{
      name: "in0",
      bytes: DEEP_PAGES * circularBufferPage(input),
      kind: "circular" as const,
    }];
    return launchChain([chainStep(output, pageCopy([input], [output], { circularBuffers }, chip))], chip);
  }
  // Where the operand lies in shards, everything happens in DRAM.
  const memory = isInShards(input) ? "dram" : deviceMemory(output);
  const gathered = isInShards(input) ? moved(input, interleavedCopy(input, "dram"), chip) : [];
  const from = endOf(gathered, input);
  const steps = dim === input.shape.length - 1
    ? interleavedColumns(from, output, memory, chip)
    : interleavedRows(from, output, memory, chip);
  return launchChain([...gathered, ...steps, ...moved(endOf(steps, from), output, chip)], chip);
}

/** Rows are repeated; block floats are bf16 in between, cast where they go to. */
function interleavedRows(
  input: ProgramTensor,
  output: ProgramTensor,
  memory: "dram" | "l1",
  chip: ChipDescription,
): readonly ChainStep[] {
  const isBlock = isBlockFloat(input.dataType);
  const wide = isBlock ? tiledTensor(input.shape, "bf16", memory) : input;
  const rows = rowMajorTensor(input.shape, wide.dataType, deviceMemory(wide));
  const joined = rowMajorTensor(output.shape, rows.dataType, "dram");
  const tilized = tiledTensor(output.shape, rows.dataType, "dram");
  const cast = isInShards(output) ? interleavedCopy(output, memory) : output;
  const made = [
    ...untilizeSteps(wide, rows, chip),
    chainStep(joined, pageCopy([rows], [joined], { circularBuffers: [pageBuffer("in0", 2, joined)] }, chip)),
    ...tilizeSteps(joined, tilized, chip),
  ];
  return isBlock
    ? [
      chainStep(wide, typecastProgram(input, wide, chip)),
      ...freeing(made, rows),
      chainStep(cast, typecastProgram(tilized, cast, chip)),
      ...moved(cast, output, chip),
    ]
    : [...made, ...moved(tilized, output, chip)];
}

/** Columns are repeated as rows of the transposed tensor. */
function interleavedColumns(
  input: ProgramTensor,
  { shape }: ProgramTensor,
  memory: "dram" | "l1",
  chip: ChipDescription,
): readonly ChainStep[] {
  const columns = turned(input, memory, chip);
  const target = tiledTensor(turnedShape(shape), input.dataType, memory);
  const repeated = interleavedRows(columns.tensor, target, memory, chip);
  const kept = endOf(repeated, columns.tensor);
  // What the inner op has made goes with it.
  const inner = repeated.map(({ tensor }) => tensor).filter((tensor) => tensor !== kept);
  return [
    columns,
    ...repeated.map((step) => step.tensor === kept ? { ...step, frees: inner } : step),
    turned(kept, memory, chip),
  ];
}

function turnedShape(shape: readonly number[]): readonly number[] {
  return [...shape.slice(0, -2), shape.at(-1) ?? 1, shape.at(-2) ?? 1];
}

/** Tiles with their last two dimensions exchanged, in interleaved memory. */
function turned(input: ProgramTensor, memory: "dram" | "l1", chip: ChipDescription): ChainStep {
  const output = tiledTensor(turnedShape(input.shape), input.dataType, memory);
  const circularBuffers = [pageBuffer("in0", 2, input), pageBuffer("out", 2, input)];
  return chainStep(output, transposeTiles(input, output, circularBuffers, chip));
}
