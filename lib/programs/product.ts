// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../device/chip_description.ts";
import { readInteger } from "../dialect/attribute_values.ts";
import { tileShuffle } from "./permute.ts";
import { inOrder, type OpLaunch, type OpPrograms, unknownPrograms } from "./program.ts";
import { deviceMemory, tiledTensor } from "./program_tensor.ts";
import { streamProgram, tileBuffer, wholeTensor } from "./stream.ts";

/**
 * Shape of the rank-4 copy that brings a dimension of the tile to the front, where it leaves a 1 behind; `undefined`
 * when the dimension is outside of the tile and needs no copy (tt-metal:reduction).
 */
export function withDimensionInFront(shape: readonly number[], dim: number): readonly number[] | undefined {
  const padded = [...new Array<number>(Math.max(0, 4 - shape.length)).fill(1), ...shape];
  const position = dim < 0 ? padded.length + dim : padded.length - shape.length + dim;
  if (position < padded.length - 2) return undefined;
  const copy = padded.map((extent, index) => index === position ? 1 : extent);
  copy[0] = (copy[0] ?? 1) * (padded[position] ?? 1);
  return copy;
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
  return copy === input ? inOrder(product) : inOrder(tileShuffle(input, copy, chip), product);
}
