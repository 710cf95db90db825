// SPDX-License-Identifier: Apache-2.0
import { tileBytes } from "../../lib/layout/data_type.ts";
import type { Device } from "../device.ts";
import { dramReadCycles, dramWriteCycles } from "../dram.ts";
import { cyclesOf, FREE, type KernelCost, workers } from "../kernel.ts";
import { issueCycles } from "../noc.ts";
import { inDram, type PricedOp } from "../priced_op.ts";
import { fidelityOf, matmulTileCycles } from "./matmul.ts";

/** `conv2d`, `conv_transpose2d` and `conv3d` as a matmul over gathered sticks. */
export function convolution(op: PricedOp, device: Device): KernelCost {
  const [activation, weight] = op.inputs;
  const output = op.outputs[0];
  if (activation === undefined || weight === undefined || output === undefined) return FREE;
  const outputChannels = output.shape.at(-1) ?? 1;
  const weightElements = weight.shape.reduce((volume, extent) => volume * extent, 1);
  const contracted = Math.max(1, weightElements / Math.max(1, outputChannels));
  const kTiles = Math.ceil(contracted / 32);
  const cores = Math.max(1, Math.min(workers(device), output.shardCores || Math.ceil(output.extent[0] / 32)));
  const perCore = Math.ceil(output.tiles / cores) * kTiles;
  const compute = perCore * matmulTileCycles(device, fidelityOf(op.config), tileBytes(weight.dataType), 2, 4);
  const stickBytes = Math.max(1, activation.pageBytes / (activation.tiled ? 32 : 1));
  const windows = Math.ceil(output.extent[0] / cores);
  const sticks = windows * Math.max(1, contracted * 2 / stickBytes);
  const gather = issueCycles(device, { kind: "read", transactionBytes: stickBytes, transactions: sticks });
  const memory = [activation, weight].filter(inDram).reduce(
    (sum, t) => sum + dramReadCycles(device, t.bytes, "interleaved"),
    0,
  );
  const write = inDram(output) ? dramWriteCycles(device, output.bytes) : 0;
  const read = gather + memory;
  return {
    ...FREE,
    cycles: cyclesOf(device, device.dispatch.kernelFloor) * 3 + Math.max(compute, read) + write,
    read,
    compute,
    write,
    cores,
    dramBytes: [activation, weight, output].filter(inDram).reduce((sum, t) => sum + t.bytes, 0),
    nocBytes: activation.bytes + weight.bytes,
    flops: output.extent[0] * outputChannels * contracted * 2,
    programs: 3,
  };
}
