// SPDX-License-Identifier: Apache-2.0
import type { Device } from "../device.ts";
import { cyclesOf, FREE, type KernelCost } from "../kernel.ts";
import { type PricedOp, type PricedTensor, sameShards } from "../priced_op.ts";
import { streamingCost } from "./streaming.ts";
import { vectorFunctionCycles } from "./vector_function.ts";

/**
 * Elementwise ops of any number of operands. Shards that line up are worked on in place, without the network; anything
 * else goes through the address-based reader and writer, page by page (specs 04 §A.5, specs 03 §B1).
 */
export function eltwise(op: PricedOp, device: Device): KernelCost {
  const output = op.outputs.find(isTensor);
  if (output === undefined) return FREE;
  const operands = op.inputs.filter(isTensor);
  const function_ = vectorFunctionCycles(op.name, device);
  const computePerUnit = device.tensix.eltwiseTileOverhead + function_;
  const aligned = output.placement === "l1_sharded" &&
    operands.every((operand) => sameShards(operand, output));
  const flops = output.tiles * 1024;
  if (aligned) {
    const tiles = Math.max(1, Math.ceil(output.tiles / Math.max(1, output.shardCores)));
    const compute = tiles * computePerUnit;
    return {
      ...FREE,
      cycles: cyclesOf(device, device.dispatch.kernelFloor) + compute,
      compute,
      cores: output.shardCores,
      flops,
      programs: 1,
    };
  }
  return streamingCost({
    units: output.tiles,
    reads: operands,
    writes: [output],
    computePerUnit,
    flops,
  }, device);
}

function isTensor(tensor: PricedTensor | undefined): tensor is PricedTensor {
  return tensor !== undefined;
}
