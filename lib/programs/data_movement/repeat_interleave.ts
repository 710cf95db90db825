// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../../device/chip_description.ts";
import { isBlockFloat } from "../../layout/data_type.ts";
import { normalDim, swapExtents } from "../../layout/extents.ts";
import { roundUp } from "../../layout/make_layout.ts";
import { REPEAT_INTERLEAVE } from "../../ops/attributes/movement.ts";
import { readAttributes } from "../../ops/attributes/read_attributes.ts";
import { movedSteps, reshapeSharesBuffer } from "./memory_move.ts";
import { transposeTiles } from "./permute.ts";
import { batchWaits, DEEP_PAGES } from "./repeat.ts";
import { reshapeSteps } from "./reshape.ts";
import { tilizeSteps, untilizeSteps } from "./tilize.ts";
import { typecastProgram } from "../eltwise/eltwise_program.ts";
import { type ChainStep, chainStep, endOf, freeing, launchChain } from "../launch_sequence.ts";
import type { LaunchContext, UnaryLaunch } from "../op_launch.ts";
import { inOrder, type OpPrograms } from "../program.ts";
import {
  alignmentOf,
  circularBufferPage,
  deviceMemory,
  interleavedCopy,
  isInShards,
  type ProgramTensor,
  rowMajorTensor,
  tiledTensor,
} from "../program_tensor.ts";
import { pageBuffer, pageCopy } from "../stream.ts";

/** Most dimensions of which one before the page is repeated page by page (`ttnn:backend-0-81-1`). */
const MOST_DIMENSIONS = 4;

/** Whether `repeat_interleave` copies pages: for dimensions before the page, between interleaved memories. */
function interleavesPages(input: ProgramTensor, output: ProgramTensor, dim: number): boolean {
  const rank = input.shape.length;
  return !isInShards(input) && !isInShards(output) && rank <= MOST_DIMENSIONS &&
    dim < rank - (input.tiled ? 2 : 1) && !isBlockFloat(input.dataType);
}

/**
 * `repeat_interleave`: copies pages for leading dimensions; all other cases go through row-major DRAM data,
 * columns as rows of the transposed tensor, block floats as bf16 (`ttnn:backend-0-81-1`).
 */
export function repeatInterleavePrograms(op: UnaryLaunch, { chip }: LaunchContext): OpPrograms {
  const { input, output } = op;
  const { dim: asked, repeats } = readAttributes(op, REPEAT_INTERLEAVE);
  const dim = normalDim(asked, input.shape.length);
  if (repeats === 1) return launchChain(movedSteps(input, output, chip), chip);
  if (interleavesPages(input, output, dim)) {
    const circularBuffers = [pageBuffer("in0", DEEP_PAGES, input, "circular")];
    return inOrder(pageCopy([input], [output], { ...batchWaits(output.pages, chip), circularBuffers }, chip));
  }
  // With a sharded operand, all steps are in DRAM.
  const memory = isInShards(input) ? "dram" : deviceMemory(output);
  const gathered = isInShards(input) ? movedSteps(input, interleavedCopy(input, "dram"), chip) : [];
  const from = endOf(gathered, input);
  const steps = dim === input.shape.length - 1
    ? interleavedColumns(from, output, memory, chip)
    : interleavedRows(from, output, memory, chip);
  return launchChain([...gathered, ...steps, ...movedSteps(endOf(steps, from), output, chip)], chip);
}

/** Repeats rows; block floats are bf16 in between and cast into the result's memory. */
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
  const held = { name: "in0", bytes: 2 * roundUp(circularBufferPage(joined), alignmentOf(joined, chip)) };
  const made = [
    ...untilizeSteps(wide, rows, chip),
    chainStep(joined, pageCopy([rows], [joined], { circularBuffers: [held] }, chip)),
    ...tilizeSteps(joined, tilized, chip),
  ];
  if (!isBlock) return [...made, ...movedSteps(tilized, output, chip)];
  const cast = isInShards(output) ? interleavedCopy(output, memory) : output;
  return [
    chainStep(wide, typecastProgram(input, wide, chip)),
    ...freeing(made, rows),
    chainStep(cast, typecastProgram(tilized, cast, chip)),
    ...movedSteps(cast, output, chip),
  ];
}

/** Repeats columns as rows of the transposed tensor; of one dimension as a column, with a reshape before and behind. */
function interleavedColumns(
  input: ProgramTensor,
  output: ProgramTensor,
  memory: "dram" | "l1",
  chip: ChipDescription,
): readonly ChainStep[] {
  const { shape, dataType } = output;
  const isLine = shape.length === 1;
  const reshaped = (from: ProgramTensor, to: ProgramTensor) =>
    reshapeSharesBuffer(from, to) ? [] : reshapeSteps(from, to, chip);
  const columnOf = (extents: readonly number[]) => isLine ? [...extents, 1] : permutedShape(extents);
  const column = tiledTensor(columnOf(input.shape), input.dataType, isLine ? deviceMemory(input) : memory);
  const before = isLine ? reshaped(input, column) : [permuted(input, memory, chip)];
  const columns = endOf(before, column);
  const target = tiledTensor(columnOf(shape), input.dataType, memory);
  const repeated = interleavedRows(columns, target, memory, chip);
  const kept = endOf(repeated, columns);
  // Temporaries of the inner op are freed with it.
  const inner = repeated.map(({ tensor }) => tensor).filter((tensor) => tensor !== kept);
  return [
    ...before,
    ...repeated.map((step) => step.tensor === kept ? { ...step, frees: inner } : step),
    ...isLine ? reshaped(kept, tiledTensor(shape, dataType, memory)) : [permuted(kept, memory, chip)],
  ];
}

/** The shape with its last two dimensions swapped. */
function permutedShape(shape: readonly number[]): readonly number[] {
  return swapExtents(shape, shape.length - 2, shape.length - 1);
}

/** Transposes the last two dimensions of a tiled tensor, interleaved. */
function permuted(input: ProgramTensor, memory: "dram" | "l1", chip: ChipDescription): ChainStep {
  const output = tiledTensor(permutedShape(input.shape), input.dataType, memory);
  return chainStep(output, transposeTiles(input, output, chip));
}
