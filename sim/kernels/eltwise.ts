// SPDX-License-Identifier: Apache-2.0
import type { Device } from "../devices/device.ts";
import { FREE, type KernelCost } from "./kernel.ts";
import { type PricedOp, type PricedTensor, sameShards } from "./priced_op.ts";
import { type PageStream, streamingCost } from "./streaming.ts";
import { vectorFunctionCycles } from "./vector_function.ts";

/**
 * Elementwise ops of any number of operands. Shards that line up are worked on in place, without the network; anything
 * else goes through the address-based reader and writer, page by page (tt-metal:unary, tt-metal:binary-ng).
 */
export function eltwise(op: PricedOp, device: Device): KernelCost {
  const output = op.outputs.find(isTensor);
  if (output === undefined) return FREE;
  const operands = op.inputs.filter(isTensor);
  const computePerUnit = device.tensix.eltwiseTile + vectorFunctionCycles(op.name, device);
  const flops = output.tiles * 1024;
  const aligned = output.placement === "l1_sharded" &&
    operands.every((operand) => sameShards(operand, output)) &&
    // Programs with several operands leave the shards' path when the last shard is not full (binary_ng `is_uneven`).
    (operands.length === 1 || hasFullShards(output));
  if (aligned) {
    const tiles = Math.max(1, Math.ceil(output.tiles / Math.max(1, output.shardCores)));
    const compute = tiles * computePerUnit;
    return {
      ...FREE,
      cycles: device.stream.startup + compute,
      compute,
      cores: output.shardCores,
      flops,
      programs: 1,
    };
  }
  return streamingCost({
    units: Math.max(1, output.tiles),
    reads: operands.map((operand) => broadcast(operand, output)),
    writes: [{ tensor: output, bytes: output.bytes }],
    computePerUnit,
    // Each operand has a circular buffer of its own, filled and waited for in turn.
    readBarriers: operands.length,
    readerWorkPerUnit: operands.filter((operand) => needsFilling(operand, output)).length *
      device.stream.broadcastFill,
    flops,
  }, device);
}

/** An operand is read once per output tile, also when it is smaller than the output. */
function broadcast(operand: PricedTensor, output: PricedTensor): PageStream {
  const again = operand.tiles > 0 && operand.tiled ? output.tiles / operand.tiles : 1;
  return { tensor: operand, bytes: operand.bytes * Math.max(1, again) };
}

/** Whether an operand's tiles hold one row, column or element that stands for a whole tile. */
function needsFilling(operand: PricedTensor, output: PricedTensor): boolean {
  return operand.tiled &&
    [-1, -2].some((axis) => (operand.shape.at(axis) ?? 1) !== (output.shape.at(axis) ?? 1));
}

function isTensor(tensor: PricedTensor | undefined): tensor is PricedTensor {
  return tensor !== undefined;
}

/** Whether a sharded tensor fills all of its shards. */
function hasFullShards({ extent, shardShape, tiled }: PricedTensor): boolean {
  const unit = tiled ? 32 : 1;
  const [rows = 1, columns = 1] = [shardShape.at(-2), shardShape.at(-1)];
  return extent[0] % (rows * unit) === 0 && extent[1] % (columns * unit) === 0;
}
