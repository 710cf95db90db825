// SPDX-License-Identifier: Apache-2.0
import { tileBytes } from "../../lib/layout/data_type.ts";
import type { ConvolutionProgram, HaloProgram, PoolProgram } from "../../lib/programs/program.ts";
import type { Device } from "../devices/device.ts";
import { FREE, type KernelCost, smoothMax, startCycles } from "./kernel.ts";
import { matmulTileCycles } from "./matmul.ts";

/**
 * The convolution program. Per activation block: the reader gathers windows; the compute threads tilize the
 * block, then multiply it; one core reads and multicasts the weights. Tilizing and multiplying add up,
 * because one thread does both. Double-buffered weights overlap with both, those in a single buffer only with
 * tilizing.
 */
export function convolutionCost(work: ConvolutionProgram, device: Device): KernelCost {
  const { rows, columns, depth, ownDepth } = work;
  const blocks = Math.ceil(rows / Math.max(1, work.blockRows));
  const operands = [tileBytes(work.activationType), tileBytes(work.weightType)] as const;
  const [subblockH, subblockW] = work.subblock;
  const tileCycles = matmulTileCycles(device, work.fidelity, operands, subblockH, subblockW);
  const tilize = rows * ownDepth * device.tensix.tilizeTile;
  const steps = Math.max(1, Math.ceil(depth / Math.max(1, work.blockDepth))) * blocks;
  const multiply = rows * columns * (depth * tileCycles + steps / blocks * device.matmul.packTile);
  // Weights pass through one core; the cost of their tiles is proportional to their bytes (published:ops-3,
  // bf16 and bfp8 on Wormhole).
  const weightTile = device.conv.weightTile * tileBytes(work.weightType) / tileBytes("bf16");
  const weights = (work.reloadsWeights ? blocks : 1) * depth * columns * weightTile;
  // If cores share a row of activations, both blocks of a step are multicast, each after a handshake.
  const shared = ownDepth < depth
    ? rows * depth * tileBytes(work.activationType) / device.noc.multicastBytesPerCycle +
      steps * 2 * device.noc.multicastLatency
    : 0;
  const windows = work.pixels * work.readsPerPixel / device.conv.windowReaders * device.conv.windowRead;
  const compute = tilize + multiply;
  // Activations and weights use different NoCs.
  const gather = shared > 0 ? Math.max(weights, shared) : Math.max(0, weights - tilize);
  const busy = work.doubleBuffered
    ? smoothMax(compute, Math.max(weights, shared, windows), device.matmul.overlap)
    : Math.max(compute + gather, windows);
  return {
    ...FREE,
    cycles: device.conv.startup + busy + Math.min(compute, windows) / steps,
    read: Math.max(windows, weights, shared),
    compute,
    cores: work.cores,
    nocBytes: work.cores * depth * columns * tileBytes(work.weightType),
    flops: work.flops,
  };
}

/**
 * The halo program. One data movement thread copies the shard's sticks to their place as the compute threads
 * untilize them, one tile row at a time, and sends sticks to other cores. The other thread fills padding, one
 * stick at a time. All sticks of one image row are one transaction, and transactions overlap
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
 * Cycles in which sticks travel to other cores. Each NoC is a one-way ring (tt-isa:noc): sticks for the
 * previous core go round the whole line of the grid, whose cores all send at once; sticks for cores further
 * on cross half of it on average.
 */
function lineCycles({ foreignSticks, stickBytes, lineCores }: HaloProgram, device: Device): number {
  const crossing = foreignSticks * stickBytes * lineCores / 2;
  return crossing / (device.noc.linkBytesPerCycle * device.conv.haloLineShare);
}

/**
 * The pooling program. Windows are read row by row, large ones pixel by pixel; the sticks of a window are
 * reduced once per channel tile.
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
