// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../device/chip_description.ts";
import {
  inOrder,
  NO_PROGRAMS,
  type OpLaunch,
  type OpPrograms,
  type PageStream,
  type TileWork,
  unknownPrograms,
} from "./program.ts";
import { isPresent, type ProgramTensor, sameShards } from "./program_tensor.ts";
import { residentProgram, streamProgram, wholeTensor } from "./stream.ts";
import type { VectorFunction } from "../ops/definition.ts";
import { definitionOf } from "../ops/op_book.ts";

/**
 * Elementwise ops of any number of operands. Shards that line up are worked on in place, without the network; anything
 * else goes through the address-based reader and writer, page by page (tt-metal:unary, tt-metal:binary-ng).
 */
export function eltwisePrograms(op: OpLaunch, chip: ChipDescription): OpPrograms {
  const output = op.outputs.find(isPresent);
  if (output === undefined) return NO_PROGRAMS;
  const operands = op.inputs.filter(isPresent);
  const { vectorFunction } = definitionOf(op.name);
  if (vectorFunction === undefined) {
    return unknownPrograms(op.name, "what it computes per element is not known");
  }
  const perTile = tileWork(vectorFunction);
  const flops = output.tiles * 1024;
  const aligned = output.placement === "l1_sharded" &&
    operands.every((operand) => sameShards(operand, output)) &&
    // Programs with several operands leave the shards' path when the last shard is not full (binary_ng `is_uneven`).
    (operands.length === 1 || hasFullShards(output));
  if (aligned) {
    const tiles = Math.max(1, Math.ceil(output.tiles / Math.max(1, output.shardCores)));
    const compute = perTile.map(({ operation, count }) => ({ operation, count: count * tiles }));
    return inOrder(residentProgram(output.shardCores, compute, { flops }));
  }
  return inOrder(streamProgram({
    units: output.tiles,
    reads: operands.map((operand) => broadcast(operand, output)),
    writes: [wholeTensor(output)],
    compute: perTile,
    // Each operand has a circular buffer of its own, filled and waited for in turn.
    readBarriers: operands.length,
    broadcastFills: operands.filter((operand) => needsFilling(operand, output)).length,
    flops,
  }, chip));
}

function tileWork(vector: VectorFunction): readonly TileWork[] {
  const copy: TileWork = { operation: "eltwise", count: 1 };
  return vector === "none" ? [copy] : [copy, { operation: vector, count: 1 }];
}

/** An operand is read once per output tile, also when it is smaller than the output. */
function broadcast(operand: ProgramTensor, output: ProgramTensor): PageStream {
  const again = operand.tiles > 0 && operand.tiled ? output.tiles / operand.tiles : 1;
  return { tensor: operand, bytes: operand.bytes * Math.max(1, again) };
}

/** Whether an operand's tiles hold one row, column or element that stands for a whole tile. */
function needsFilling(operand: ProgramTensor, output: ProgramTensor): boolean {
  return operand.tiled &&
    [-1, -2].some((axis) => (operand.shape.at(axis) ?? 1) !== (output.shape.at(axis) ?? 1));
}

/** Whether a sharded tensor fills all of its shards. */
function hasFullShards({ extent, shardShape, tiled }: ProgramTensor): boolean {
  const unit = tiled ? 32 : 1;
  const [rows = 1, columns = 1] = [shardShape.at(-2), shardShape.at(-1)];
  return extent[0] % (rows * unit) === 0 && extent[1] % (columns * unit) === 0;
}
