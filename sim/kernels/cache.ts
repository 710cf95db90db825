// SPDX-License-Identifier: Apache-2.0
import type { Device } from "../device.ts";
import { FREE, type KernelCost } from "../kernel.ts";
import type { PricedOp } from "../priced_op.ts";
import { streamingCost } from "./streaming.ts";

/** Writes of new keys and values into a cache: only the new rows move, the cache stays where it is. */
export function cacheUpdate(op: PricedOp, device: Device): KernelCost {
  const [cache, update] = op.inputs;
  if (cache === undefined || update === undefined) return FREE;
  return streamingCost({
    units: Math.max(1, update.tiles),
    reads: [update],
    writes: [{ ...update, placement: cache.placement }],
    computePerUnit: device.tensix.untilizeTile + device.tensix.tilizeTile,
    flops: 0,
  }, device);
}
