// SPDX-License-Identifier: Apache-2.0
import { tileBytes } from "../../lib/layout/data_type.ts";
import type { AttentionProgram } from "../../lib/programs/program.ts";
import { inDram } from "../../lib/programs/program_tensor.ts";
import type { Device } from "../devices/device.ts";
import { dramFloorCycles, dramReadCycles, dramWriteCycles } from "./dram.ts";
import { FREE, type KernelCost, smoothMax } from "./kernel.ts";
import { matmulTileCycles } from "./matmul.ts";

/** Flash attention: the compute of the score tiles beside one pass over keys and values. */
export function attentionCost(program: AttentionProgram, device: Device): KernelCost {
  const bytes = tileBytes(program.keyType);
  const tile = matmulTileCycles(device, program.fidelity, [bytes, bytes], 2, 4);
  // Scores are exponentiated approximately; maximum, sum and rescaling are one reduction pass each.
  const perScore = 2 * program.headTiles * tile + device.sfpu.lookup + device.tensix.eltwiseTile +
    2 * device.tensix.reduceTile;
  const compute = program.scores * perScore;
  const operands = program.reads.map(({ tensor }) => tensor);
  const results = program.writes.map(({ tensor }) => tensor);
  const inputBytes = operands.filter(inDram).reduce((sum, tensor) => sum + tensor.bytes, 0);
  const read = dramReadCycles(device, inputBytes, "interleaved");
  const write = dramWriteCycles(
    device,
    results.filter(inDram).reduce((sum, tensor) => sum + tensor.bytes, 0),
  );
  const busy = smoothMax(compute, read, device.matmul.overlap);
  const memory = [...operands, ...results].filter(inDram);
  return {
    ...FREE,
    cycles: Math.max(
      device.matmul.startup + device.tensix.reduceRow + busy + write,
      dramFloorCycles(device, memory),
    ),
    read,
    compute,
    write,
    drain: write,
    cores: program.cores,
    dramBytes: memory.reduce((sum, tensor) => sum + tensor.bytes, 0),
    nocBytes: operands.reduce((sum, tensor) => sum + tensor.bytes, 0),
    flops: program.flops,
    programs: 1,
  };
}
