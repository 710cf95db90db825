// SPDX-License-Identifier: Apache-2.0
import { normalDim, swapExtents } from "../layout/extents.ts";
import type { ChipDescription } from "../device/chip_description.ts";
import { readInteger } from "../dialect/attribute_values.ts";
import { tileColumns, tileRows } from "../layout/tile_shape.ts";
import { exchangeDimensions } from "./permute.ts";
import type { OpLaunch } from "./op_launch.ts";
import { inOrder, type OpPrograms, type StreamProgram, unknownPrograms } from "./program.ts";
import {
  deviceMemory,
  isPresent,
  type ProgramTensor,
  rowMajorTensor,
  tiledTensor,
} from "./program_tensor.ts";
import { pageBuffer, streamProgram, wholeTensor } from "./stream.ts";
import { tilizeProgram } from "./tilize.ts";

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
  // Other dimensions than the last go through transposed copies.
  const turned = (tensor: ProgramTensor) =>
    tiledTensor(
      swapExtents(tensor.shape, dim, tensor.shape.length - 1),
      tensor.dataType,
      deviceMemory(tensor),
    );
  const turn = (from: ProgramTensor, to: ProgramTensor) =>
    exchangeDimensions(from, to, [dim, rank - 1], chip);
  const [turnedInput, turnedIndex, turnedOutput] = [turned(input), turned(index), turned(output)];
  return inOrder(
    turn(input, turnedInput),
    turn(index, turnedIndex),
    gatherProgram(turnedInput, turnedIndex, turnedOutput, chip),
    turn(turnedOutput, output),
  );
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
    compute: [{
      operation: "gather_element",
      count: held ? indices * columns * COMPARISONS_IN_HELD_ROW : (indices + PAIR_COMPARISONS) * rows * width,
    }],
    parts: held ? columns : rows * width,
    circularBuffers: [
      pageBuffer("in0", 2, input),
      pageBuffer("index", 2, index),
      pageBuffer("out", 2, output),
    ],
  }, chip);
}

/** `scatter`: tiled tensors are untilized, rows of the input are written anew, a tiled result is tilized. */
export function scatterPrograms(op: OpLaunch, chip: ChipDescription): OpPrograms {
  const operands = op.inputs.filter(isPresent);
  const [output] = op.outputs;
  if (operands.length < 2 || output === undefined) {
    return unknownPrograms(op.name, "needs an input, indices, updates and a result");
  }
  const inRows = (tensor: ProgramTensor) =>
    tensor.tiled ? rowMajorTensor(tensor.shape, tensor.dataType, deviceMemory(tensor)) : tensor;
  const rows = operands.map(inRows);
  const result = inRows(output);
  return inOrder(
    ...operands.flatMap((tensor, index) => {
      const copy = rows[index];
      return copy === undefined || copy === tensor ? [] : [tilizeProgram(tensor, copy, chip)];
    }),
    streamProgram({
      units: result.pages,
      reads: rows.map(wholeTensor),
      writes: [wholeTensor(result)],
      readBarriers: rows.length,
      circularBuffers: [
        ...rows.map((tensor, index) => pageBuffer(`in${index}`, 1, tensor)),
        pageBuffer("out", 1, result),
      ],
    }, chip),
    ...(result === output ? [] : [tilizeProgram(result, output, chip)]),
  );
}
