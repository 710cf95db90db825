// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../device/chip_description.ts";
import { inOrder, type OpLaunch, type OpPrograms, unknownPrograms } from "./program.ts";
import { isPresent } from "./program_tensor.ts";
import { streamProgram, wherePlaced } from "./stream.ts";

/** Rotary embedding: per tile a rotation (one tile matmul) and two products with their sum. */
export function rotaryPrograms(op: OpLaunch, chip: ChipDescription): OpPrograms {
  const outputs = op.outputs.filter(isPresent);
  const inputs = op.inputs.filter(isPresent);
  const [output] = outputs;
  if (output === undefined) return unknownPrograms(op.name, "needs a result");
  const tiles = outputs.reduce((sum, tensor) => sum + tensor.tiles, 0);
  // A row of tiles goes through four dependent steps: rotation, two products, sum.
  const rows = Math.max(1, Math.ceil(output.extent[0] / 32));
  return inOrder(streamProgram({
    units: rows,
    ...(output.placement === "l1_sharded" ? { maxCores: output.shardCores } : {}),
    reads: inputs.map(wherePlaced),
    writes: outputs.map(wherePlaced),
    compute: [
      { operation: "reduce_row", count: 1 },
      { operation: "rotate", count: tiles / rows },
      { operation: "eltwise", count: 4 * tiles / rows },
    ],
    readBarriers: inputs.length,
    flops: tiles * 1024 * 4,
  }, chip));
}
