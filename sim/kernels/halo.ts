// SPDX-License-Identifier: Apache-2.0
import type { HaloProgram } from "../../lib/programs/program.ts";
import type { Device } from "../devices/device.ts";
import { FREE, type KernelCost } from "./kernel.ts";

/**
 * The halo program: one data movement thread copies the sticks of the shard to their place, as the compute threads
 * untilize it row of tiles by row of tiles, and sends them to the neighbours that need them; the other fills padding,
 * stick by stick. Sticks of one image row move as one transaction, and each of these goes on beside the others
 * (published:ops-2, profiles: SegFormer's threads).
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
 * Cycles in which the sticks of other cores cross the network. A network goes one way round (tt-isa:noc): what is for
 * the core before crosses the whole line of the grid, as all of its cores do it at once; of what goes further, each
 * crosses half of it.
 */
function lineCycles({ foreignSticks, stickBytes, lineCores }: HaloProgram, device: Device): number {
  const crossing = foreignSticks * stickBytes * lineCores / 2;
  return crossing / (device.noc.linkBytesPerCycle * device.conv.haloLineShare);
}
