// SPDX-License-Identifier: Apache-2.0
import { normalDim, swapExtents } from "../layout/extents.ts";
import type { ChipDescription } from "../device/chip_description.ts";
import { readInteger } from "../dialect/attribute_values.ts";
import { tileColumns, tileRows } from "../layout/tile_shape.ts";
import { exchangeDimensions } from "./permute.ts";
import type { OpLaunch } from "./op_launch.ts";
import { inOrder, type OpPrograms, type StreamProgram, unknownPrograms } from "./program.ts";
import { type ChainStep, chainStep, launchChain } from "./program_chain.ts";
import { inPages, isInShards, isPresent, type ProgramTensor, withShape } from "./program_tensor.ts";
import { pageBuffer, streamProgram, wholeTensor } from "./stream.ts";
import { tilizeSteps, untilizeSteps } from "./tilize.ts";

/** Up to this many tiles, one core holds a whole row. */
const HELD_TILES = 60;

/** Comparisons per index if the core holds the whole row. */
const COMPARISONS_IN_HELD_ROW = 2;

/** Time until a tile of a long row arrives, in comparisons. */
const PAIR_COMPARISONS = 40;

/**
 * `gather`: index by index. A core holds a short row of the input and goes over its rows of indices; of a long row every
 * core takes columns of tiles of indices and compares each with every tile of the input; two tiles of each tensor are in
 * flight (published:ops-2: 43 us per tile of indices, or 14 to 21 us per pair of tiles, on n150).
 */
export function gatherPrograms(op: OpLaunch, chip: ChipDescription): OpPrograms {
  const [input, index] = op.inputs;
  const [output] = op.outputs;
  if (input === undefined || index === undefined || output === undefined) {
    return unknownPrograms(op.name, "needs an input, indices and a result");
  }
  const rank = input.shape.length;
  const dim = normalDim(readInteger(op.attributes, "dim") ?? -1, rank);
  if (dim === rank - 1) return inOrder(gatherProgram(input, index, output, chip));
  // Other dimensions than the last go through transposed copies, the indices first (`ttnn:backend-0-81-1`).
  const turned = (tensor: ProgramTensor) =>
    withShape(tensor, swapExtents(tensor.shape, dim, tensor.shape.length - 1));
  const turn = (from: ProgramTensor, to: ProgramTensor) =>
    chainStep(to, exchangeDimensions(from, to, [dim, rank - 1], chip));
  const [turnedInput, turnedIndex, turnedOutput] = [turned(input), turned(index), turned(output)];
  return launchChain([
    turn(index, turnedIndex),
    turn(input, turnedInput),
    chainStep(turnedOutput, gatherProgram(turnedInput, turnedIndex, turnedOutput, chip)),
    turn(turnedOutput, output),
  ], chip);
}

/** A gather along rows. */
function gatherProgram(
  input: ProgramTensor,
  index: ProgramTensor,
  output: ProgramTensor,
  chip: ChipDescription,
): StreamProgram {
  const [rows, columns, width] = [
    tileRows(output.shape),
    tileColumns(output.shape),
    tileColumns(input.shape),
  ];
  const indices = 32 * Math.min(32, output.shape.at(-2) ?? 1);
  const held = width <= HELD_TILES;
  return streamProgram({
    units: held ? rows : columns,
    reads: [{ tensor: input, bytes: input.bytes * (held ? 1 : columns) }, wholeTensor(index)],
    writes: [wholeTensor(output)],
    compute: {
      work: [{
        operation: "gather_element",
        count: held
          ? indices * columns * COMPARISONS_IN_HELD_ROW
          : (indices + PAIR_COMPARISONS) * rows * width,
      }],
    },
    parts: held ? columns : rows * width,
    // A row of tiles of the input, a tile of indices (`ttnn:backend-0-81-1`).
    circularBuffers: [
      { ...pageBuffer("in0", width, input), kind: "circular" },
      { ...pageBuffer("index", 1, index), kind: "circular" },
      { ...pageBuffer("out", [input, index, output].some(isInShards) ? 1 : 4, output), kind: "circular" },
    ],
  }, chip);
}

/**
 * `scatter`: tiled tensors are untilized where they lie, rows of the input are written anew, a tiled result is tilized;
 * other dimensions than the last go through transposed rows (`ttnn:backend-0-81-1`).
 */
export function scatterPrograms(op: OpLaunch, chip: ChipDescription): OpPrograms {
  const operands = op.inputs.filter(isPresent);
  const [output] = op.outputs;
  if (operands.length < 2 || output === undefined) {
    return unknownPrograms(op.name, "needs an input, indices, updates and a result");
  }
  const rank = output.shape.length;
  const dim = normalDim(readInteger(op.attributes, "dim") ?? -1, rank);
  const steps: ChainStep[] = [];
  const turn = (tensor: ProgramTensor, into?: ProgramTensor) => {
    const made = into ?? withShape(tensor, swapExtents(tensor.shape, dim, rank - 1));
    steps.push(chainStep(made, exchangeDimensions(tensor, made, [dim, rank - 1], chip)));
    return made;
  };
  const rows = operands.map((tensor) => {
    const flat = tensor.tiled ? inPages(tensor, "row_major") : tensor;
    if (flat !== tensor) steps.push(...untilizeSteps(tensor, flat, chip));
    return dim === rank - 1 ? flat : turn(flat);
  });
  const result = output.tiled ? inPages(output, "row_major") : output;
  const made = dim === rank - 1 ? result : withShape(result, swapExtents(result.shape, dim, rank - 1));
  steps.push(chainStep(
    made,
    streamProgram({
      units: made.pages,
      reads: rows.map(wholeTensor),
      writes: [wholeTensor(made)],
      reader: { barriers: rows.length },
      circularBuffers: [
        pageBuffer("out", 1, made),
        ...rows.map((tensor, index) => ({
          ...pageBuffer(`row${index}`, 1, tensor),
          kind: "scratch" as const,
        })),
      ],
    }, chip),
  ));
  if (made !== result) turn(made, result);
  if (result !== output) steps.push(...tilizeSteps(result, output, chip));
  return launchChain(steps, chip);
}
