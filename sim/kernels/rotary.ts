// SPDX-License-Identifier: Apache-2.0
import type { Device } from "../devices/device.ts";
import { FREE, type KernelCost } from "./kernel.ts";
import type { PricedOp, PricedTensor } from "./priced_op.ts";
import { type PageStream, streamingCost } from "./streaming.ts";

/** Rotary embedding: per tile a rotation (one tile matmul) and two products with their sum. */
export function rotary(op: PricedOp, device: Device): KernelCost {
  const outputs = op.outputs.filter((tensor): tensor is PricedTensor => tensor !== undefined);
  const inputs = op.inputs.filter((tensor): tensor is PricedTensor => tensor !== undefined);
  const [output] = outputs;
  if (output === undefined) return FREE;
  const tiles = outputs.reduce((sum, tensor) => sum + tensor.tiles, 0);
  // A row of tiles goes through four dependent steps: rotation, two products, sum.
  const rows = Math.max(1, Math.ceil(output.extent[0] / 32));
  const local = (tensor: PricedTensor): PageStream => ({
    tensor,
    bytes: tensor.bytes,
    local: tensor.placement === "l1_sharded",
  });
  const rotation = device.tensix.matmulTileHifi4 * device.matmul.tileScale + device.matmul.tileOffset;
  return streamingCost({
    units: Math.max(1, rows),
    ...(output.placement === "l1_sharded" ? { maxCores: output.shardCores } : {}),
    reads: inputs.map(local),
    writes: outputs.map(local),
    computePerUnit: device.tensix.reduceRow + tiles / rows * (rotation + 4 * device.tensix.eltwiseTile),
    readBarriers: inputs.length,
    flops: tiles * 1024 * 4,
  }, device);
}
