// SPDX-License-Identifier: Apache-2.0
import type { Device } from "../devices/device.ts";
import { FREE, type KernelCost } from "./kernel.ts";
import type { PricedOp } from "./priced_op.ts";
import { streamingCost, wholeTensor } from "./streaming.ts";

/** Tensors made on the device: fill, range, random. */
export function creation(op: PricedOp, device: Device): KernelCost {
  const output = op.outputs[0];
  if (output === undefined || op.name === "ttnn.empty") return FREE;
  return streamingCost({
    units: Math.max(1, output.pages),
    reads: [],
    writes: [wholeTensor(output)],
    computePerUnit: 0,
    flops: 0,
  }, device);
}
