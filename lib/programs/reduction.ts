// SPDX-License-Identifier: Apache-2.0
import { matrixCount, normalDim, rowCount } from "../layout/extents.ts";
import type { ChipDescription } from "../device/chip_description.ts";
import { readIntegers } from "../dialect/attribute_values.ts";
import { tileColumns, tileCount, tileRows } from "../layout/tile_shape.ts";
import { definitionOf } from "../ops/op_book.ts";
import { eltwiseProgram, tileWork } from "./eltwise_program.ts";
import { fillPadding } from "./fill_pad.ts";
import type { OpLaunch } from "./op_launch.ts";
import { type DeviceProgram, inOrder, type OpPrograms, unknownPrograms } from "./program.ts";
import type { ProgramRules } from "./program_rules.ts";
import { bytesPerTile, deviceMemory, type ProgramTensor, tiledTensor } from "./program_tensor.ts";
import { pageBuffer, streamProgram, tileBuffer, wherePlaced } from "./stream.ts";

/**
 * Sums, means, maxima and minima: padding is filled, then rows of tiles go first, then columns, then what lies in front of
 * both, each a program of its own (tt-metal:reduction). A minimum is the negated maximum of the negated input.
 */
export function reductionPrograms(
  op: OpLaunch,
  chip: ChipDescription,
  { fillsPadding }: Pick<ProgramRules, "fillsPadding">,
): OpPrograms {
  const [input] = op.inputs;
  const [output] = op.outputs;
  if (input === undefined || output === undefined) {
    return unknownPrograms(op.name, "needs an input and a result");
  }
  const dims = reducedDims(op, input, output);
  const filled = fillsPadding ? fillPadding(input, chip) : [];
  if (definitionOf(op.name).family !== "min") {
    return inOrder(...filled, ...reductions(input, output, dims, chip));
  }
  const negated = tiledTensor(input.shape, input.dataType, deviceMemory(output));
  return inOrder(
    ...filled,
    negation(input, negated, chip),
    ...reductions(negated, output, dims, chip),
    negation(output, output, chip),
  );
}

/** Dimensions that are reduced: those named, those that the result lost, or all. */
function reducedDims(op: OpLaunch, input: ProgramTensor, output: ProgramTensor): readonly number[] {
  const named = readIntegers(op.attributes, "dim_arg");
  if (named !== undefined) return named.map((dim) => normalDim(dim, input.shape.length));
  const all = input.shape.map((_, dim) => dim);
  if (output.shape.length !== input.shape.length) return all;
  const lost = all.filter((dim) => input.shape[dim] !== output.shape[dim]);
  return lost.length === 0 ? all : lost;
}

function reductions(
  input: ProgramTensor,
  output: ProgramTensor,
  dims: readonly number[],
  chip: ChipDescription,
): readonly DeviceProgram[] {
  const rank = input.shape.length;
  const [width, height] = [rank - 1, rank - 2];
  const leading = dims.filter((dim) => dim < height && input.shape[dim] !== 1);
  const oneTile = tileColumns(input.shape) === 1 && tileRows(input.shape) === matrixCount(input.shape);
  const inside = dims.filter((dim) => dim >= height);
  // Both dimensions of a single tile are reduced at once.
  const groups =
    (oneTile ? [inside] : [inside.filter((dim) => dim === width), inside.filter((dim) => dim !== width)])
      .concat([leading]).filter((group) => group.length > 0);
  // Dimensions of one element each: every tile is a result.
  if (groups.length === 0) groups.push([...dims]);
  let current = input;
  return groups.map((group, index) => {
    const next = current.shape.map((extent, dim) => group.includes(dim) ? 1 : extent);
    const result = index === groups.length - 1
      ? output
      : tiledTensor(next, input.dataType, deviceMemory(output));
    const program = !current.tiled && group.includes(height) && !group.includes(width)
      ? reduceRows(current, result, chip)
      : reduceProgram(current, result, Math.max(1, tileCount(next)), chip);
    current = result;
    return program;
  });
}

/**
 * Rows of elements added up: the cores share the rows, two of which they wait for at once, and one core adds up their
 * parts (published:ops-2, 51,264 rows on 64 cores).
 */
function reduceRows(input: ProgramTensor, output: ProgramTensor, chip: ChipDescription): DeviceProgram {
  const rows = rowCount(input.shape);
  return streamProgram({
    units: rows,
    reads: [wherePlaced(input)],
    writes: [wherePlaced(output)],
    compute: [{ operation: "reduce", count: tileColumns(input.shape) / 32 }],
    readBarriers: 0.5,
    writeBarriers: 1 / rows,
    flops: input.tiles * 1024,
    circularBuffers: [
      pageBuffer("in0", 64, input),
      tileBuffer("scaler", 2, input.dataType === "f32" ? "f32" : "bf16"),
      pageBuffer("out", 2, output),
    ],
  }, chip);
}

/** One pass over a tensor of tiles, so many results at a time as there are units. */
function reduceProgram(
  input: ProgramTensor,
  output: ProgramTensor,
  units: number,
  chip: ChipDescription,
): DeviceProgram {
  const tilesPerResult = Math.max(1, input.tiles / units);
  return streamProgram({
    units,
    reads: [wherePlaced(input)],
    writes: [wherePlaced(output)],
    compute: [{ operation: "reduce", count: tilesPerResult }],
    parts: tilesPerResult,
    readBarriers: tilesPerResult,
    flops: input.tiles * 1024,
    circularBuffers: [
      { name: "in0", bytes: 2 * bytesPerTile(input) },
      tileBuffer("scaler", 2, input.dataType === "f32" ? "f32" : "bf16"),
      pageBuffer("out", 2, output),
    ],
  }, chip);
}

function negation(input: ProgramTensor, output: ProgramTensor, chip: ChipDescription): DeviceProgram {
  return eltwiseProgram(
    [input],
    output,
    tileWork("simple", []),
    [pageBuffer("in0", 2, input), pageBuffer("out", 2, output)],
    chip,
  );
}
