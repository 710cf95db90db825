// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../device/chip_description.ts";
import { inOrder, type OpLaunch, type OpPrograms, unknownPrograms } from "./program.ts";
import { definitionOf } from "../ops/op_book.ts";
import { isPresent } from "./program_tensor.ts";
import { residentProgram, streamProgram, wherePlaced, wholeTensor } from "./stream.ts";

/** Sums, means, maxima: one pass over the input. */
export function reductionPrograms(op: OpLaunch, chip: ChipDescription): OpPrograms {
  const input = op.inputs[0];
  const output = op.outputs[0];
  if (input === undefined || output === undefined) {
    return unknownPrograms(op.name, "needs an input and a result");
  }
  const tilesPerResult = input.tiles / Math.max(1, output.tiles);
  return inOrder(streamProgram({
    units: output.tiled ? output.tiles : Math.ceil(output.extent[0] / 32),
    reads: [wherePlaced(input)],
    writes: [wherePlaced(output)],
    compute: [{ operation: "reduce", count: tilesPerResult }],
    readBarriers: tilesPerResult,
    flops: input.tiles * 1024,
  }, chip));
}

/** Softmax: maximum, exponentials with their sum, scaling. */
export function softmaxPrograms(op: OpLaunch, chip: ChipDescription): OpPrograms {
  return rowPasses(op, chip, 4);
}

/** Layer, RMS, group and batch norm: mean, variance, scaling, affine; RMS has no mean to take off. */
export function normPrograms(op: OpLaunch, chip: ChipDescription): OpPrograms {
  const { family } = definitionOf(op.name);
  return rowPasses(op, chip, family === "rms_norm" || family === "unrecorded_rms_norm" ? 3 : 4);
}

/**
 * Work per row of tiles: every pass unpacks, computes and packs each tile of the row, and hands scalars to the next
 * pass, which costs a fixed time per row (derived:cost-model).
 */
function rowPasses(op: OpLaunch, chip: ChipDescription, passes: number): OpPrograms {
  const input = op.inputs[0];
  const output = op.outputs[0];
  if (input === undefined || output === undefined) {
    return unknownPrograms(op.name, "needs an input and a result");
  }
  const flops = input.tiles * 1024 * passes;
  if (input.placement === "l1_sharded" && input.shardCores > 0) {
    const shardRows = Math.max(1, Math.ceil(input.shardShape[0] ?? 1));
    const shardTiles = Math.ceil(input.tiles / input.shardCores);
    return inOrder(residentProgram(input.shardCores, [
      { operation: "reduce_row", count: shardRows },
      { operation: "reduce", count: shardTiles * passes },
    ], { flops }));
  }
  const rows = Math.max(1, Math.ceil(input.extent[0] / 32));
  const tilesPerRow = Math.max(1, input.tiles / rows);
  // Tiles are read in blocks of eight.
  const barriers = Math.max(1, tilesPerRow / 8);
  return inOrder(streamProgram({
    units: rows,
    reads: [wholeTensor(input), ...op.inputs.slice(1).filter(isPresent).map(wholeTensor)],
    writes: [wholeTensor(output)],
    compute: [{ operation: "reduce_row", count: 1 }, { operation: "reduce", count: tilesPerRow * passes }],
    readBarriers: barriers,
    writeBarriers: barriers,
    flops,
  }, chip));
}
