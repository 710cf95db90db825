// SPDX-License-Identifier: Apache-2.0
import { tileBytes } from "../../lib/layout/data_type.ts";
import type { ConvolutionProgram } from "../../lib/programs/program.ts";
import type { Device } from "../devices/device.ts";
import { FREE, type KernelCost, smoothMax } from "./kernel.ts";
import { matmulTileCycles } from "./matmul.ts";

/**
 * The convolution program. Per activation block: the reader gathers windows; the compute threads tilize the
 * block, then multiply it; one core reads and multicasts the weights. Tilizing and multiplying add up,
 * because one thread does both. Weights overlap with tilizing only if their buffer is single.
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
  const weights = (work.reloadsWeights ? blocks : 1) * depth * columns * device.conv.weightTile;
  // If cores share a row of activations, both blocks of a step are multicast, each after a handshake.
  const shared = ownDepth < depth
    ? rows * depth * tileBytes(work.activationType) / device.noc.multicastBytesPerCycle +
      steps * 2 * device.noc.multicastLatency
    : 0;
  const windows = work.pixels * work.readsPerPixel / device.conv.windowReaders * device.conv.windowRead;
  const compute = tilize + multiply;
  // Activations and weights use one network each.
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
