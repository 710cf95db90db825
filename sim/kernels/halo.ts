// SPDX-License-Identifier: Apache-2.0
import type { Device } from "../devices/device.ts";
import { FREE, type KernelCost } from "./kernel.ts";

/** What one core does to put the haloed activation of a sliding window together. */
export interface HaloWork {
  readonly cores: number;
  /** Sticks (pixels with all their channels) that a core holds before. */
  readonly inputSticks: number;
  /** Sticks that a core needs, padding and neighbours' sticks included. */
  readonly outputSticks: number;
  /** Share of the output sticks that hold pixels; the others are padding, filled without reading. */
  readonly filledShare: number;
  /** Bytes of one stick in the (row-major) result. */
  readonly stickBytes: number;
  /** Tiles per core that are untilized first; 0 for row-major activations. */
  readonly tiles: number;
}

/**
 * The halo program: untilizes the shard row of tiles by row of tiles, copies its sticks to their place, sends them to
 * the neighbours that need them and fills the padding. Sticks of one image row move as one transaction.
 */
export function haloCost(work: HaloWork, device: Device): KernelCost {
  const { cores, inputSticks, outputSticks, filledShare, stickBytes, tiles } = work;
  const rowsOfTiles = tiles === 0 ? 0 : Math.ceil(inputSticks / 32);
  const compute = rowsOfTiles * device.conv.haloTileRow + tiles * device.tensix.untilizeTile;
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
