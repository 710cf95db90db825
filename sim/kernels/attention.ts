// SPDX-License-Identifier: Apache-2.0
import { tileBytes } from "../../lib/layout/data_type.ts";
import type { Device } from "../device.ts";
import { dramReadCycles, dramWriteCycles } from "../dram.ts";
import { cyclesOf, FREE, type KernelCost, workers } from "../kernel.ts";
import { inDram, type PricedOp, type PricedTensor } from "../priced_op.ts";
import { fidelityOf, matmulTileCycles } from "./matmul.ts";

/**
 * `scaled_dot_product_attention`, prefill and decode: two matmuls and a running softmax per chunk of keys, with keys
 * and values streamed from memory (specs 04 §D.8).
 */
export function scaledDotProductAttention(op: PricedOp, device: Device): KernelCost {
  const [query, key, value] = op.inputs;
  const output = op.outputs[0];
  if (query === undefined || key === undefined || output === undefined) return FREE;
  const queryRows = Math.ceil(query.extent[0] / 32);
  const keyColumns = Math.ceil((key.shape.at(-2) ?? 1) / 32);
  const headTiles = Math.ceil((query.shape.at(-1) ?? 1) / 32);
  const scores = queryRows * keyColumns;
  const cores = Math.max(1, Math.min(workers(device), queryRows * Math.max(1, keyColumns / 4)));
  const tileMatmuls = 2 * scores * headTiles;
  const matmulCycles = matmulTileCycles(device, fidelityOf(op.config), tileBytes(key.dataType), 2, 4);
  const compute =
    (tileMatmuls * matmulCycles + scores * (device.sfpu.lookup + 2 * device.tensix.reduceTile)) / cores;
  const operands = [query, key, value].filter((tensor): tensor is PricedTensor => tensor !== undefined);
  const read = operands.filter(inDram).reduce(
    (sum, t) => sum + dramReadCycles(device, t.bytes, "interleaved"),
    0,
  );
  const write = inDram(output) ? dramWriteCycles(device, output.bytes) : 0;
  return {
    ...FREE,
    cycles: cyclesOf(device, device.dispatch.kernelFloor) * 4 + Math.max(compute, read + write),
    read,
    compute,
    write,
    cores,
    dramBytes: [...operands, output].filter(inDram).reduce((sum, tensor) => sum + tensor.bytes, 0),
    nocBytes: operands.reduce((sum, tensor) => sum + tensor.bytes, 0),
    flops: tileMatmuls * 2 * 32 * 32 * 32,
    programs: 1,
  };
}
