// SPDX-License-Identifier: Apache-2.0
import type { MathFidelity, OpSpecificAttributes } from "../../lib/opmodel/op_config.ts";
import { tileBytes } from "../../lib/layout/data_type.ts";
import type { Device } from "../device.ts";
import { dramReadCycles, dramWriteCycles } from "../dram.ts";
import { cyclesOf, FREE, type KernelCost, workers } from "../kernel.ts";
import { inDram, type PricedOp, type PricedTensor } from "../priced_op.ts";

/** Cycles of one 32x32x32 tile matmul with operands in L1 (specs 04 §A.4). */
export function matmulTileCycles(device: Device, fidelity: MathFidelity, in1TileBytes: number): number {
  const ideal = {
    lofi: device.tensix.matmulTileLofi,
    hifi2: device.tensix.matmulTileHifi2,
    hifi3: device.tensix.matmulTileHifi3,
    hifi4: device.tensix.matmulTileHifi4,
  }[fidelity];
  return Math.max(
    ideal * device.tensix.matmulScale + device.tensix.matmulOffset,
    device.tensix.matmulUnpackPerKib * in1TileBytes / 1024,
  );
}

/** Fidelity that a compute config asks for; TTNN's default otherwise. */
export function fidelityOf(config: OpSpecificAttributes | undefined): MathFidelity {
  return config?.computeConfig?.mathFidelity ?? "hifi2";
}

/** `matmul` and `linear`. */
export function matmul(op: PricedOp, device: Device): KernelCost {
  const [in0, in1] = op.inputs;
  const output = op.outputs[0];
  if (in0 === undefined || in1 === undefined || output === undefined) return FREE;
  const transposedA = isTrue(op, "transpose_a");
  const contracted = in0.shape.at(transposedA ? -2 : -1) ?? 1;
  const kTiles = Math.ceil(contracted / 32);
  const tileMatmuls = output.tiles * kTiles;
  const cores = matmulCores(op, output, device);
  const perCore = Math.ceil(output.tiles / cores) * kTiles;
  const compute = perCore * matmulTileCycles(device, fidelityOf(op.config), tileBytes(in1.dataType));
  const operands = op.inputs.filter((tensor) => tensor !== undefined);
  const read = operands.filter(inDram).reduce(
    (sum, tensor) =>
      sum +
      dramReadCycles(device, tensor.bytes, tensor.placement === "dram_sharded" ? "sharded" : "interleaved"),
    0,
  );
  const write = inDram(output) ? dramWriteCycles(device, output.bytes) : 0;
  const dramBytes = [...operands, output].filter(inDram).reduce((sum, tensor) => sum + tensor.bytes, 0);
  return {
    ...FREE,
    cycles: cyclesOf(device, device.dispatch.kernelFloor) + Math.max(compute, read + write) +
      Math.min(compute, read + write) / Math.max(1, kTiles),
    read,
    compute,
    write,
    cores,
    dramBytes,
    nocBytes: operands.filter((tensor) => tensor.placement !== "l1_sharded").reduce(
      (sum, t) => sum + t.bytes,
      0,
    ),
    flops: tileMatmuls * 2 * 32 * 32 * 32,
    programs: 1,
  };
}

function matmulCores(op: PricedOp, output: PricedTensor, device: Device): number {
  const program = op.config?.kind === "matmul" ? op.config.programConfig : undefined;
  const grid = workers(device);
  if (program !== undefined && program.kind !== "matmul_multi_core_reuse_multi_cast_dram_sharded") {
    const [columns, rows] = program.computeWithStorageGridSize;
    const blocks = Math.ceil(output.tiles / Math.max(1, program.perCoreM * program.perCoreN));
    return Math.max(1, Math.min(columns * rows, blocks));
  }
  if (output.shardCores > 0 && output.placement === "l1_sharded") return output.shardCores;
  return Math.max(1, Math.min(grid, output.tiles));
}

function isTrue(op: PricedOp, name: string): boolean {
  const attribute = op.attributes.get(name);
  return attribute?.kind === "bool" && attribute.value;
}
