// SPDX-License-Identifier: Apache-2.0
import type { Device } from "../device.ts";
import { cyclesOf, FREE, type KernelCost, workers } from "../kernel.ts";
import type { PricedOp, PricedTensor } from "../priced_op.ts";
import { streamingCost } from "./streaming.ts";

/** Sums, means, maxima: one pass over the input. */
export function reduction(op: PricedOp, device: Device): KernelCost {
  return rowPasses(op, device, 1);
}

/** Softmax: maximum, exponentials with their sum, scaling. */
export function softmax(op: PricedOp, device: Device): KernelCost {
  return rowPasses(op, device, 4);
}

/** Layer, RMS, group and batch norm: mean, variance, scaling, affine. */
export function norm(op: PricedOp, device: Device): KernelCost {
  return rowPasses(op, device, 4);
}

/** Work per row of tiles: every pass unpacks, computes and packs each tile of the row (specs 04 §D.5). */
function rowPasses(op: PricedOp, device: Device, passes: number): KernelCost {
  const input = op.inputs[0];
  const output = op.outputs[0];
  if (input === undefined || output === undefined) return FREE;
  const flops = input.tiles * 1024 * passes;
  const computePerTile = passes * device.tensix.reduceTile;
  if (input.placement === "l1_sharded" && input.shardCores > 0) {
    const compute = Math.ceil(input.tiles / input.shardCores) * computePerTile;
    return {
      ...FREE,
      cycles: cyclesOf(device, device.dispatch.kernelFloor) + compute,
      compute,
      cores: input.shardCores,
      flops,
      programs: 1,
    };
  }
  const rows = Math.max(1, Math.ceil(input.extent[0] / 32));
  const tilesPerRow = Math.max(1, input.tiles / rows);
  const others = op.inputs.slice(1).filter((tensor): tensor is PricedTensor => tensor !== undefined);
  return streamingCost({
    units: rows,
    maxCores: workers(device),
    reads: [input, ...others],
    writes: [output],
    computePerUnit: tilesPerRow * computePerTile,
    flops,
  }, device);
}
