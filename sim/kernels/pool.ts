// SPDX-License-Identifier: Apache-2.0
import type { PoolProgram } from "../../lib/programs/program.ts";
import type { Device } from "../devices/device.ts";
import { FREE, type KernelCost, startCycles } from "./kernel.ts";

/**
 * The pooling program. Windows are read row by row, large ones pixel by pixel; the sticks of a window are
 * reduced once per tile of channels.
 */
export function poolCost(work: PoolProgram, device: Device): KernelCost {
  const read = work.pixels * work.windowReads * device.noc.interleavedIssue;
  const sticksOfTiles = Math.ceil(work.windowPixels / 16);
  const compute = work.pixels *
    (device.tensix.poolWindow + work.channelTiles * sticksOfTiles * device.tensix.poolTile);
  return {
    ...FREE,
    cycles: startCycles(work.cores, device) + Math.max(read, compute) +
      Math.min(read, compute) / Math.max(1, work.pixels),
    read,
    compute,
    cores: work.cores,
    flops: work.flops,
  };
}
