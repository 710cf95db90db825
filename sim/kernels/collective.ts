// SPDX-License-Identifier: Apache-2.0
import type { Device } from "../devices/device.ts";
import { cyclesOf, FREE, type KernelCost } from "./kernel.ts";
import { inDram, type PricedOp, type PricedTensor } from "./priced_op.ts";

/** Bytes that one chip exchanges with its neighbours, and how. */
export interface CollectiveWork {
  /** Bytes that leave the busiest chip. */
  readonly bytes: number;
  /** Steps that wait for each other along the line or ring. */
  readonly hops: number;
  readonly links: number;
}

/** Cycles of a collective: hops after each other, bytes over all links at once. */
export function collectiveCycles(work: CollectiveWork, device: Device): number {
  const bandwidth = device.ethernet.linkBandwidth * device.ethernet.efficiency * Math.max(1, work.links);
  const microseconds = work.hops * device.ethernet.hopLatency + work.bytes / (bandwidth * 1000);
  return device.stream.startup + cyclesOf(device, microseconds);
}

/**
 * Collectives between chips. Where the graph does not say how many take part, the bytes of operand and result do: their
 * ratio, and two for a result as large as the operand.
 */
export function collective(op: PricedOp, device: Device): KernelCost {
  const tensors = [...op.inputs, ...op.outputs].filter((tensor): tensor is PricedTensor =>
    tensor !== undefined
  );
  const [input] = op.inputs;
  const output = op.outputs[0];
  if (input === undefined || output === undefined) return FREE;
  const ratio = Math.max(input.bytes, output.bytes) / Math.max(1, Math.min(input.bytes, output.bytes));
  const { chips: told = "unknown" } = op;
  const chips = told === "unknown" ? Math.max(2, Math.round(ratio)) : told;
  const bytes = Math.max(input.bytes, output.bytes) * (chips - 1) / chips;
  const cycles = collectiveCycles(
    { bytes, hops: chips - 1, links: device.ethernet.linksPerNeighbour },
    device,
  );
  return {
    ...FREE,
    cycles,
    write: cycles - device.stream.startup,
    cores: 1,
    dramBytes: tensors.filter(inDram).reduce((sum, tensor) => sum + tensor.bytes, 0),
    nocBytes: bytes,
    programs: 1,
  };
}
