// SPDX-License-Identifier: Apache-2.0
import type { Device } from "../devices/device.ts";
import { FREE, type KernelCost } from "./kernel.ts";
import type { PricedOp, PricedTensor } from "./priced_op.ts";
import { streamingCost, wholeTensor } from "./streaming.ts";

/** Sums, means, maxima: one pass over the input. */
export function reduction(op: PricedOp, device: Device): KernelCost {
  const input = op.inputs[0];
  const output = op.outputs[0];
  if (input === undefined || output === undefined) return FREE;
  return streamingCost({
    units: Math.max(1, output.tiled ? output.tiles : Math.ceil(output.extent[0] / 32)),
    reads: [{ ...wholeTensor(input), local: input.placement === "l1_sharded" }],
    writes: [{ ...wholeTensor(output), local: output.placement === "l1_sharded" }],
    computePerUnit: device.tensix.reduceTile * input.tiles / Math.max(1, output.tiles),
    readBarriers: input.tiles / Math.max(1, output.tiles),
    flops: input.tiles * 1024,
  }, device);
}

/** Softmax: maximum, exponentials with their sum, scaling. */
export function softmax(op: PricedOp, device: Device): KernelCost {
  return rowPasses(op, device, 4);
}

/** Layer, RMS, group and batch norm: mean, variance, scaling, affine. */
export function norm(op: PricedOp, device: Device): KernelCost {
  return rowPasses(op, device, op.name.includes("rms") ? 3 : 4);
}

/**
 * Work per row of tiles: every pass unpacks, computes and packs each tile of the row, and hands scalars to the next
 * pass, which costs a fixed time per row (derived:cost-model).
 */
function rowPasses(op: PricedOp, device: Device, passes: number): KernelCost {
  const input = op.inputs[0];
  const output = op.outputs[0];
  if (input === undefined || output === undefined) return FREE;
  const rows = Math.max(1, Math.ceil(input.extent[0] / 32));
  const tilesPerRow = Math.max(1, input.tiles / rows);
  const flops = input.tiles * 1024 * passes;
  const computePerUnit = device.tensix.reduceRow + tilesPerRow * passes * device.tensix.reduceTile;
  if (input.placement === "l1_sharded" && input.shardCores > 0) {
    const shardRows = Math.max(1, Math.ceil(Number(input.shardShape[0] ?? 1)));
    const shardTiles = Math.ceil(input.tiles / input.shardCores);
    const compute = shardRows * device.tensix.reduceRow + shardTiles * passes * device.tensix.reduceTile;
    return {
      ...FREE,
      cycles: device.stream.startup + compute,
      compute,
      cores: input.shardCores,
      flops,
      programs: 1,
    };
  }
  const others = op.inputs.slice(1).filter((tensor): tensor is PricedTensor => tensor !== undefined);
  return streamingCost({
    units: rows,
    reads: [wholeTensor(input), ...others.map(wholeTensor)],
    writes: [wholeTensor(output)],
    computePerUnit,
    // Tiles are read in blocks of eight.
    readBarriers: Math.max(1, tilesPerRow / 8),
    writeBarriers: Math.max(1, tilesPerRow / 8),
    flops,
  }, device);
}
