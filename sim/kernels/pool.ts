// SPDX-License-Identifier: Apache-2.0
import type { Device } from "../devices/device.ts";
import { FREE, inSequence, type KernelCost, workers } from "./kernel.ts";
import type { PricedOp } from "./priced_op.ts";
import { toShards, windowGeometry, windowHalo } from "./conv2d.ts";
import { streamingCost, wholeTensor } from "./streaming.ts";

/** One core's part of a pooling program. */
export interface PoolWork {
  readonly cores: number;
  /** Output pixels per core. */
  readonly pixels: number;
  /** Pixels under one window. */
  readonly windowPixels: number;
  /** Tiles of channels per core. */
  readonly channelTiles: number;
  readonly flops: number;
}

/** The pooling program: every pixel under every window is one read; every window is one reduction over its sticks. */
export function poolCost(work: PoolWork, device: Device): KernelCost {
  const read = work.pixels * work.windowPixels * device.noc.interleavedIssue;
  const sticksOfTiles = Math.ceil(work.windowPixels / 16);
  const compute = work.pixels * work.channelTiles * sticksOfTiles * device.tensix.reduceTile *
    device.tensix.poolReduceShare;
  return {
    ...FREE,
    cycles: device.stream.startup + Math.max(read, compute) +
      Math.min(read, compute) / Math.max(1, work.pixels),
    read,
    compute,
    cores: work.cores,
    flops: work.flops,
    programs: 1,
  };
}

/** `max_pool2d`, `avg_pool2d` and the global ones: halo, then reduction of windows. */
export function pool(op: PricedOp, device: Device): KernelCost {
  const [input] = op.inputs;
  const output = op.outputs[0];
  if (input === undefined || output === undefined) return FREE;
  const window = windowGeometry(op, input);
  const pixels = Math.max(1, output.extent[0]);
  const hasKernel = op.attributes.has("kernel_size");
  const windowPixels = hasKernel ? window.kernel[0] * window.kernel[1] : Math.ceil(input.extent[0] / pixels);
  const channelTiles = Math.max(1, Math.ceil((output.shape.at(-1) ?? 1) / 32));
  const rowCores = Math.max(1, Math.min(output.shardCores || workers(device), Math.ceil(pixels / 32)));
  const channelCores = hasKernel ? 1 : Math.max(1, Math.min(workers(device) / rowCores, channelTiles));
  const cores = Math.max(1, Math.floor(rowCores * channelCores));
  const steps = [
    windowHalo(window, input, cores, channelCores, device),
    poolCost({
      cores,
      pixels: Math.ceil(pixels / rowCores),
      windowPixels,
      channelTiles: Math.ceil(channelTiles / channelCores),
      flops: pixels * windowPixels * channelTiles * 32,
    }, device),
  ];
  if (input.placement !== "l1_sharded") steps.unshift(toShards(input, cores, device, "read"));
  if (output.placement !== "l1_sharded") steps.push(toShards(output, cores, device, "write"));
  return inSequence(steps);
}

/** `upsample`: every input stick is written as often as it is repeated. */
export function upsample(op: PricedOp, device: Device): KernelCost {
  const [input] = op.inputs;
  const output = op.outputs[0];
  if (input === undefined || output === undefined) return FREE;
  return streamingCost({
    units: Math.max(1, input.pages),
    reads: [wholeTensor(input)],
    writes: [wholeTensor(output)],
    computePerUnit: 0,
    flops: 0,
  }, device);
}
