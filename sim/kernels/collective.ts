// SPDX-License-Identifier: Apache-2.0
import type { CollectiveProgram } from "../../lib/programs/program.ts";
import { inDram } from "../../lib/programs/program_tensor.ts";
import type { Device } from "../devices/device.ts";
import { cyclesOf, FREE, type KernelCost } from "./kernel.ts";

/** Cycles of a collective: hops after each other, bytes over all links at once. */
export function collectiveCycles(
  work: Pick<CollectiveProgram, "bytes" | "hops" | "links">,
  device: Device,
): number {
  const bandwidth = device.ethernet.linkBandwidth * device.ethernet.efficiency *
    (work.links ?? device.ethernet.linksPerNeighbour);
  const microseconds = work.hops * device.ethernet.hopLatency + work.bytes / (bandwidth * 1000);
  return device.stream.startup + cyclesOf(device, microseconds);
}

/** A collective between chips. */
export function collectiveCost(program: CollectiveProgram, device: Device): KernelCost {
  const cycles = collectiveCycles(program, device);
  const tensors = [...program.reads, ...program.writes].map(({ tensor }) => tensor);
  return {
    ...FREE,
    cycles,
    write: cycles - device.stream.startup,
    cores: program.cores,
    dramBytes: tensors.filter(inDram).reduce((sum, tensor) => sum + tensor.bytes, 0),
    nocBytes: program.bytes,
    programs: 1,
  };
}
