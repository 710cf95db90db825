// SPDX-License-Identifier: Apache-2.0
import type { Device } from "../device.ts";
import { cyclesOf, FREE, type KernelCost } from "../kernel.ts";
import { inDram, type PricedOp, type PricedTensor } from "../priced_op.ts";

/** Collectives between chips: the bytes that leave a chip over its Ethernet links, one hop after the other. */
export function collective(op: PricedOp, device: Device): KernelCost {
  const tensors = [...op.inputs, ...op.outputs].filter((tensor): tensor is PricedTensor =>
    tensor !== undefined
  );
  const bytes = tensors.reduce((largest, tensor) => Math.max(largest, tensor.bytes), 0);
  const microseconds = device.ethernet.hopLatency + bytes / (device.ethernet.linkBandwidth * 1000);
  const cycles = cyclesOf(device, microseconds);
  return {
    ...FREE,
    cycles: cyclesOf(device, device.dispatch.kernelFloor) + cycles,
    write: cycles,
    cores: 1,
    dramBytes: tensors.filter(inDram).reduce((sum, tensor) => sum + tensor.bytes, 0),
    nocBytes: bytes,
    programs: 1,
  };
}
