// SPDX-License-Identifier: Apache-2.0
import type { CollectiveProgram, PageStream } from "../../lib/programs/program.ts";
import { inDram } from "../../lib/programs/program_tensor.ts";
import type { Device } from "../devices/device.ts";
import { dramCycles } from "./dram.ts";
import { cyclesOf, FREE, type KernelCost } from "./kernel.ts";

/**
 * A collective between chips: hops that wait for each other, and the bytes of the busiest link at the share of its
 * bandwidth that collectives reach, less where it is busy both ways; never faster than its bytes cross the DRAM
 * interface. One chip alone exchanges nothing (derived:collectives).
 */
export function collectiveCost(program: CollectiveProgram, device: Device): KernelCost {
  const { linkBandwidth, ringShare, lineShare, stepLatency } = device.ethernet;
  const bandwidth = linkBandwidth * (program.bothWays ? ringShare : lineShare);
  const microseconds = program.steps * stepLatency + program.linkBytes / (bandwidth * 1000);
  const dramBytes = bytesInDram(program.reads) + bytesInDram(program.writes);
  const cycles = device.stream.startup +
    Math.max(cyclesOf(device, microseconds), dramCycles(device, dramBytes, 1));
  return {
    ...FREE,
    cycles,
    write: cycles - device.stream.startup,
    cores: program.cores,
    dramBytes,
    nocBytes: program.linkBytes * program.links * (program.bothWays ? 2 : 1),
    programs: 1,
  };
}

function bytesInDram(streams: readonly PageStream[]): number {
  return streams.filter(({ tensor }) => inDram(tensor)).reduce((sum, { bytes }) => sum + bytes, 0);
}
