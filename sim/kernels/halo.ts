// SPDX-License-Identifier: Apache-2.0
import type { HaloProgram } from "../../lib/programs/program.ts";
import type { Device } from "../devices/device.ts";
import { FREE, type KernelCost } from "./kernel.ts";

/**
 * The halo program: one data movement thread copies the sticks of the shard to their place, as the compute threads
 * untilize it row of tiles by row of tiles, and sends them to the neighbours that need them; the other fills padding,
 * stick by stick. Sticks of one image row move as one transaction (published:ops-2, profiles: SegFormer's threads).
 */
export function haloCost(work: HaloProgram, device: Device): KernelCost {
  const { cores, inputSticks, outputSticks, filledSticks, paddingSticks, stickBytes, tiles } = work;
  const rowsOfTiles = tiles === 0 ? 0 : Math.ceil(inputSticks / 32);
  const compute = rowsOfTiles * device.conv.haloTileRow + tiles * device.conv.haloTile;
  const copies = filledSticks * stickBytes / device.conv.haloBytesPerCycle;
  const padding = paddingSticks *
    Math.max(device.conv.haloPadStick, stickBytes / device.conv.haloPadBytesPerCycle);
  return {
    ...FREE,
    cycles: device.conv.haloStartup + Math.max(compute + copies, padding),
    read: Math.max(copies, padding),
    compute,
    cores,
    nocBytes: Math.max(0, outputSticks - inputSticks) * stickBytes * cores,
  };
}
