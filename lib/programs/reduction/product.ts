// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../../device/chip_description.ts";
import { inversePermutation, normalDim, sameExtents, withLeadingOnes } from "../../layout/extents.ts";
import type { TtnnLayout } from "../../layout/ttnn_layout.ts";
import { readAttributes } from "../../ops/attributes/read_attributes.ts";
import { PRODUCT } from "../../ops/attributes/reduction.ts";
import { permutationKeepsPages } from "../../ops/view_shapes.ts";
import { reshapeSharesBuffer } from "../data_movement/memory_move.ts";
import { fillSteps } from "../data_movement/pad.ts";
import { exchangedOrder } from "../data_movement/permute.ts";
import { addPermute } from "../data_movement/permute_chain.ts";
import { reshapeSteps } from "../data_movement/reshape.ts";
import { type ChainStep, chainStep, endOf, launchChain } from "../launch_sequence.ts";
import type { LaunchContext, UnaryLaunch } from "../op_launch.ts";
import type { OpPrograms, StreamProgram } from "../program.ts";
import { layoutOf, type ProgramTensor, programTensor, withShape } from "../program_tensor.ts";
import { pageBuffer, streamProgram, wholeTensors } from "../stream.ts";

/** The order of four that moves the first dimension after the next two, back to the row position. */
const FROM_FRONT = [1, 2, 0, 3];

/**
 * The order in which dimensions are before the product along one of them; `undefined` if they stay. Rows and columns go
 * to the front; of more than four dimensions, earlier ones change places with the last of them, and so do rows where
 * columns go.
 */
export function orderOfProduct(dim: number, rank: number): readonly number[] | undefined {
  if (dim >= rank - 2) {
    const others = Array.from({ length: rank }, (_, own) => own).filter((own) => own !== dim);
    return [dim, ...rank > 4 && dim === rank - 1 ? [...others.slice(0, -2), rank - 2, rank - 3] : others];
  }
  return rank > 4 && dim !== rank - 3 ? exchangedOrder(rank, [dim, rank - 3]) : undefined;
}

/** Columns of what the program over all elements writes: its number is the first. */
const COLUMNS_OF_ALL = 1024;

/** Whether a product is over all elements: no dimension is named, or there is no other (`ttnn:backend-0-81-1`). */
export function isOverAll(dim: number | undefined, rank: number): boolean {
  return dim === undefined || rank === 1;
}

/**
 * `prod`: over all elements in one program; along a tile dimension on a copy with that dimension in front,
 * whose result is permuted back; dimensions that are not kept are dropped (`ttnn:backend-0-81-1`).
 * Temporaries before the product live until the reshape.
 */
export function productPrograms(op: UnaryLaunch, { chip }: LaunchContext): OpPrograms {
  const { input, output } = op;
  const { dim_arg: named } = readAttributes(op, PRODUCT);
  const fills = fillSteps(input, chip);
  const filled = endOf(fills, input);
  if (named === undefined || isOverAll(named, input.shape.length)) {
    const made = withShape(output, [COLUMNS_OF_ALL]);
    return launchChain([
      ...fills,
      chainStep(made, product(filled, output, chip)),
      { tensor: output, programs: [] },
    ], chip);
  }
  const added = Math.max(0, 4 - input.shape.length);
  const lifted = withLeadingOnes(input.shape, 4);
  const dim = normalDim(named, input.shape.length) + added;
  const asked = layoutOf(output);
  const steps: ChainStep[] = [...fills];
  const operand = viewed(filled, lifted);
  const rank = lifted.length;
  const order = orderOfProduct(dim, rank);
  const front = order === undefined ? operand : permuted(steps, operand, order, asked, chip);
  const at = order?.indexOf(dim) ?? dim;
  const reduced = programTensor({ shape: front.shape.with(at, 1), dataType: output.dataType }, asked);
  steps.push(chainStep(reduced, product(front, reduced, chip)));
  const back = order === undefined
    ? []
    : rank > 4
    ? [inversePermutation(order)]
    : [FROM_FRONT, ...dim === rank - 1 ? [[0, 1, 3, 2]] : []];
  const result = back.reduce((tensor, own) => permuted(steps, tensor, own, asked, chip), reduced);
  const kept = viewed(result, input.shape.with(dim - added, 1));
  return launchChain(dropped(steps, front, kept, result, output, chip), chip);
}

/** A tensor with another shape of the same tiles. */
function viewed(tensor: ProgramTensor, shape: readonly number[]): ProgramTensor {
  return { ...tensor, shape };
}

/** Permutes dimensions, which is a view if no page moves; temporaries of casts are freed afterwards. */
function permuted(
  steps: ChainStep[],
  tensor: ProgramTensor,
  order: readonly number[],
  asked: TtnnLayout,
  chip: ChipDescription,
): ProgramTensor {
  if (permutationKeepsPages(tensor.shape, order, tensor.tiled)) {
    return viewed(tensor, order.map((dim) => tensor.shape[dim] ?? 1));
  }
  const isTranspose = order[3] === 2 && order[2] === 3;
  return addPermute(steps, tensor, { order, isTranspose }, asked, chip);
}

/**
 * The steps with the reshape that drops the dimension, if any; temporaries after the product are freed before
 * it.
 */
function dropped(
  steps: readonly ChainStep[],
  front: ProgramTensor,
  kept: ProgramTensor,
  made: ProgramTensor,
  output: ProgramTensor,
  chip: ChipDescription,
): readonly ChainStep[] {
  if (sameExtents(kept.shape, output.shape) || reshapeSharesBuffer(kept, output)) return steps;
  const last = steps.at(-1);
  if (last === undefined) return steps;
  const before = steps.map(({ tensor }) => tensor).filter((tensor) => tensor !== made && tensor !== front);
  return [
    ...steps.slice(0, -1),
    { ...last, frees: [...new Set([...last.frees ?? [], ...before])] },
    ...reshapeSteps(kept, output, chip),
  ];
}

/** The product of input tiles into the tiles of the result. */
function product(input: ProgramTensor, output: ProgramTensor, chip: ChipDescription): StreamProgram {
  const tilesPerResult = Math.max(1, input.tiles / Math.max(1, output.tiles));
  return streamProgram({
    units: output.tiles,
    ...wholeTensors(input, output),
    compute: { work: [{ operation: "reduce", count: tilesPerResult }] },
    reader: { barriers: tilesPerResult },
    flops: input.tiles * 1024,
    circularBuffers: [pageBuffer("in0", 2, input), pageBuffer("out", 2, output)],
  }, chip);
}
