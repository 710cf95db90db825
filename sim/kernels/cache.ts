// SPDX-License-Identifier: Apache-2.0
import type { Device } from "../devices/device.ts";
import { FREE, type KernelCost } from "./kernel.ts";
import type { PricedOp } from "./priced_op.ts";
import { streamingCost, wholeTensor } from "./streaming.ts";

/**
 * Writes of new keys and values into a cache: only the new rows move. An update of single rows reads the tiles that it
 * hits, untilizes them, replaces the rows and tilizes them again; a fill copies whole tiles.
 */
export function cacheUpdate(op: PricedOp, device: Device): KernelCost {
  const [cache, update] = op.inputs;
  if (cache === undefined || update === undefined) return FREE;
  const fills = op.name.includes("fill");
  const target = { tensor: cache, bytes: update.bytes };
  return streamingCost({
    units: Math.max(1, update.tiles),
    reads: fills ? [wholeTensor(update)] : [wholeTensor(update), target],
    writes: [target],
    computePerUnit: fills ? 0 : device.tensix.untilizeTile + device.tensix.tilizeTile,
    flops: 0,
  }, device);
}
