// SPDX-License-Identifier: Apache-2.0
import { TILE } from "../../layout/tile_shape.ts";
import { matrixCount, matrixExtents, volume } from "../../layout/extents.ts";
import { SPARSE_MATMUL } from "../../ops/attributes/matmul.ts";
import { readAttributes } from "../../ops/attributes/read_attributes.ts";
import { DRAM_INTERLEAVED, placeOutput } from "../place_output.ts";
import { type ConstraintQuery, defineRule, type RulesOf } from "../rule.ts";
import { refuseConfig, refuseLayout, refuseOperand } from "../verdict.ts";
import type { Multicast1d } from "./matmul_check.ts";
import { demand, operandAt } from "./program.ts";

const SOURCE = "tt-metal:sparse-matmul";

/** A and B must be tiled and interleaved, the sparsity row-major with a mark per pair of matrices. */
function checkOperands(query: ConstraintQuery): void {
  const [a, b, marks] = [operandAt(query, 0), operandAt(query, 1), operandAt(query, 2)];
  demand(query, 0, "tiled and interleaved", "sparse-matmul/interleaved", SOURCE);
  demand(query, 1, "tiled and interleaved", "sparse-matmul/interleaved", SOURCE);
  demand(query, 2, "row-major", "sparse-matmul/sparsity", SOURCE);
  const attributes = readAttributes(query.op, SPARSE_MATMUL);
  const { is_input_a_sparse: isSparseA, is_input_b_sparse: isSparseB, nnz } = attributes;
  if (!isSparseA && !isSparseB) {
    refuseLayout(query, "sparse-matmul/dense", "A, B or both must be sparse", SOURCE);
  }
  const pairs = matrixCount(a.shape) * (isSparseA ? 1 : matrixCount(b.shape));
  if (volume(marks.shape) !== pairs) {
    refuseOperand(query, 2, "sparse-matmul/pairs", `must mark each of ${pairs} pairs`, SOURCE);
  }
  if (nnz !== undefined && (nnz < 1 || nnz > pairs)) {
    refuseLayout(query, "sparse-matmul/nnz", `${nnz} of ${pairs} pairs cannot be marked`, SOURCE);
  }
}

/** Faults of a config: blocks must be whole, and cores must fill whole rows of the grid. */
function blocksFault(query: ConstraintQuery, config: Multicast1d): string | undefined {
  const tilesOf = (index: number) => {
    const { rows, columns } = matrixExtents(operandAt(query, index).shape, false);
    return [rows, columns].map((extent) => Math.ceil(extent / TILE));
  };
  const [[m = 1, k = 1], [, n = 1]] = [tilesOf(0), tilesOf(1)];
  const { in0BlockW, outBlockH, outBlockW, outSubblockH, outSubblockW, perCoreM, perCoreN } = config;
  if (k % in0BlockW !== 0) return `${k} tiles of K are not whole blocks of ${in0BlockW}`;
  if (
    perCoreM % outBlockH !== 0 || perCoreN % outBlockW !== 0 || outBlockH % outSubblockH !== 0 ||
    outBlockW % outSubblockW !== 0
  ) return "subblocks must divide blocks, and these what a core computes";
  const [columns, rows] = config.computeWithStorageGridSize;
  const cores = Math.ceil(m / perCoreM) * Math.ceil(n / perCoreN);
  return cores > columns * rows || (cores > columns && cores % columns !== 0)
    ? `${cores} cores do not fill rows of a grid of ${columns}x${rows}`
    : undefined;
}

/** Rule of `sparse_matmul`: a 1D program that multicasts operand 0 (`ttnn:backend-0-81-1`). */
export const SPARSE_MATMUL_RULES: RulesOf<"sparse_matmul"> = {
  sparse_matmul: defineRule({
    strategy: { hints: "null", inputs: ["not_sharded"], exploresReshards: false },
    evaluate: (query) => {
      checkOperands(query);
      const config = query.config?.kind === "matmul" ? query.config.programConfig : undefined;
      if (config !== undefined) {
        if (config.kind !== "matmul_multi_core_reuse_multi_cast_1d" || !config.mcastIn0) {
          refuseConfig(
            query,
            "sparse-matmul/config",
            "the program spreads the columns of an expert over cores in one dimension and multicasts operand 0",
            SOURCE,
          );
        }
        const blocks = blocksFault(query, config);
        if (blocks !== undefined) refuseConfig(query, "sparse-matmul/blocks", blocks, SOURCE);
      }
      return { outputs: [placeOutput(query, { whenNull: DRAM_INTERLEAVED })] };
    },
  }),
};
