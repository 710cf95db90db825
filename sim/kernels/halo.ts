// SPDX-License-Identifier: Apache-2.0
import type { HaloProgram } from "../../lib/programs/program.ts";
import type { Device } from "../devices/device.ts";
import { FREE, type KernelCost } from "./kernel.ts";

/**
 * The halo program. One data movement thread copies the sticks of the shard to their place as the compute
 * threads untilize them, one row of tiles at a time, and sends sticks to the cores that need them. The other
 * thread fills padding, one stick at a time. All sticks of one image row are one transaction, and
 * transactions overlap (published:ops-2, profiles: SegFormer's threads).
 */
export function haloCost(work: HaloProgram, device: Device): KernelCost {
  const { cores, inputSticks, outputSticks, filledSticks, paddingSticks, stickBytes, tiles } = work;
  const rowsOfTiles = tiles === 0 ? 0 : Math.ceil(inputSticks / 32);
  const compute = rowsOfTiles * device.conv.haloTileRow + tiles * device.conv.haloTile;
  const copies = filledSticks * stickBytes / device.conv.haloBytesPerCycle;
  const padding = paddingSticks *
    Math.max(device.conv.haloPadStick, stickBytes / device.conv.haloPadBytesPerCycle);
  const busy = Math.max(compute, copies, lineCycles(work, device), padding);
  return {
    ...FREE,
    cycles: device.conv.haloStartup + busy,
    read: Math.max(copies, padding),
    compute,
    cores,
    nocBytes: Math.max(0, outputSticks - inputSticks) * stickBytes * cores,
  };
}

/**
 * Cycles in which sticks cross the network to other cores. Each network is a one-way ring (tt-isa:noc):
 * sticks for the previous core go round the whole line of the grid, whose cores all send at once; sticks for
 * cores further on cross half of it on average.
 */
function lineCycles({ foreignSticks, stickBytes, lineCores }: HaloProgram, device: Device): number {
  const crossing = foreignSticks * stickBytes * lineCores / 2;
  return crossing / (device.noc.linkBytesPerCycle * device.conv.haloLineShare);
}
