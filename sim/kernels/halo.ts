// SPDX-License-Identifier: Apache-2.0
import type { HaloProgram } from "../../lib/programs/program.ts";
import type { Device } from "../devices/device.ts";
import { FREE, type KernelCost } from "./kernel.ts";

/**
 * The halo program: untilizes the shard row of tiles by row of tiles, copies its sticks to their place, sends them to
 * the neighbours that need them and fills the padding. Sticks of one image row move as one transaction.
 */
export function haloCost(work: HaloProgram, device: Device): KernelCost {
  const { cores, inputSticks, outputSticks, filledShare, stickBytes, tiles } = work;
  const rowsOfTiles = tiles === 0 ? 0 : Math.ceil(inputSticks / 32);
  const compute = rowsOfTiles * device.conv.haloTileRow + tiles * device.conv.haloTile;
  const filled = outputSticks * filledShare;
  const padding = (outputSticks - filled) * stickBytes / device.tensix.localCopyBytesPerCycle;
  const read = filled * stickBytes / device.conv.haloBytesPerCycle + padding;
  return {
    ...FREE,
    cycles: device.conv.haloStartup + compute + read,
    read,
    compute,
    cores,
    nocBytes: Math.max(0, outputSticks - inputSticks) * stickBytes * cores,
    programs: 1,
  };
}
