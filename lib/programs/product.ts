// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../device/chip_description.ts";
import { readInteger } from "../dialect/attribute_values.ts";
import { exchangeDimensions } from "./permute.ts";
import type { OpLaunch } from "./op_launch.ts";
import { type DeviceProgram, inOrder, type OpPrograms, unknownPrograms } from "./program.ts";
import { deviceMemory, type ProgramTensor, tiledTensor } from "./program_tensor.ts";
import { streamProgram, tileBuffer, wholeTensor } from "./stream.ts";

/**
 * Shape of the rank-4 copy that brings a dimension of the tile to the front, where it leaves a 1 behind; `undefined`
 * when the dimension is outside of the tile and needs no copy (tt-metal:reduction).
 */
export function withDimensionInFront(shape: readonly number[], dim: number): readonly number[] | undefined {
  const padded = inFourDimensions(shape);
  const position = dim < 0 ? padded.length + dim : padded.length - shape.length + dim;
  if (position < padded.length - 2) return undefined;
  const copy = padded.map((extent, index) => index === position ? 1 : extent);
  copy[0] = (copy[0] ?? 1) * (padded[position] ?? 1);
  return copy;
}

function inFourDimensions(shape: readonly number[]): readonly number[] {
  return [...new Array<number>(Math.max(0, 4 - shape.length)).fill(1), ...shape];
}

/**
 * The program that makes the copy of {@linkcode withDimensionInFront}, or reverts it.
 *
 * @param dim of either tensor, counted from the back
 */
export function exchangeWithFront(
  from: ProgramTensor,
  to: ProgramTensor,
  dim: number,
  chip: ChipDescription,
): DeviceProgram {
  const shape = inFourDimensions(from.shape);
  return exchangeDimensions({ ...from, shape }, to, [0, shape.length + dim], chip);
}

/** `prod` along one dimension, from a copy with that dimension in front; over all of them it needs none. */
export function productPrograms(op: OpLaunch, chip: ChipDescription): OpPrograms {
  const [input] = op.inputs;
  const [output] = op.outputs;
  if (input === undefined || output === undefined) {
    return unknownPrograms(op.name, "needs an input and a result");
  }
  const dim = readInteger(op.attributes, "dim_arg");
  const shape = dim === undefined ? undefined : withDimensionInFront(input.shape, dim);
  const copy = shape === undefined ? input : tiledTensor(shape, input.dataType, deviceMemory(output));
  const tilesPerResult = Math.max(1, copy.tiles / Math.max(1, output.tiles));
  const product = streamProgram({
    units: output.tiles,
    reads: [wholeTensor(copy)],
    writes: [wholeTensor(output)],
    compute: [{ operation: "reduce", count: tilesPerResult }],
    readBarriers: tilesPerResult,
    flops: copy.tiles * 1024,
    circularBuffers: ["in0", "partials", "out"].map((name) => tileBuffer(name, 2, input.dataType)),
  }, chip);
  if (dim === undefined || copy === input) return inOrder(product);
  return inOrder(exchangeWithFront(input, copy, dim < 0 ? dim : dim - input.shape.length, chip), product);
}
