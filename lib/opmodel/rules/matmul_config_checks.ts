// SPDX-License-Identifier: Apache-2.0
import { matrixCount } from "../../layout/extents.ts";
import type { MatmulProgramConfig } from "../../op_config/op_config.ts";
import type { MatmulFault } from "../../programs/matmul/matmul_auto_config.ts";
import { subblockRegisterTiles } from "../../programs/matmul/matmul_blocking.ts";
import { backedBufferFault } from "../../programs/matmul/matmul_buffers.ts";
import { tileRowsOf } from "../../programs/matmul/matmul_plan.ts";
import type { MatmulProblem } from "../../programs/matmul/matmul_problem.ts";
import { isInterleaved } from "../../programs/program_tensor.ts";
import { fault, type MatmulCheck } from "./matmul_check.ts";
import { dramShardedFault, reuseFault, ringFault } from "./matmul_held_checks.ts";
import { bothAxesFault, fusedFault, oneAxisFault } from "./matmul_multicast_checks.ts";

/**
 * Why the backend rejects a matmul with its program config; `undefined` if it accepts it
 * (`ttnn:backend-0-81-1`).
 */
export function matmulConfigFault(check: MatmulCheck): MatmulFault | undefined {
  const { config } = check;
  return batchFault(check) ?? biasFault(check) ??
    (config === undefined ? simpleFault(check.problem) : commonFault({ ...check, config }) ??
      variantFault({ ...check, config }) ?? backedFault(check.problem, config));
}

/** Checks the batch extents of a B with one matrix per matrix of A. */
function batchFault({ problem, config, isGiven }: MatmulCheck): MatmulFault | undefined {
  const { in0, in1, batchA, batchB } = problem;
  const isSpread = batchB === 1 && (batchA > 1 || !isGiven || config?.kind !== "matmul_multi_core_reuse");
  if (isSpread) return undefined;
  if (in0.shape.length !== in1.shape.length) {
    return fault(
      "batch-rank",
      `operands of ${in0.shape.length} and ${in1.shape.length} dimensions do not pair up`,
    );
  }
  const reusesA = config?.kind === "matmul_multi_core_reuse_multi_cast_1d" && !config.mcastIn0 &&
    !config.gatherIn0 && !config.fuseBatch && config.fusedActivation === undefined && batchA === 1 &&
    isInterleaved(in0) && isInterleaved(in1);
  const leading = in0.shape.slice(0, -2);
  if (leading.every((extent, dim) => extent === in1.shape[dim] || (extent === 1 && reusesA))) {
    return undefined;
  }
  return fault(
    "batch",
    `batches ${leading.join("x")} and ${in1.shape.slice(0, -2).join("x")} do not pair up`,
  );
}

/**
 * A bias that the matmul's own program adds: one row of tiles, or a matrix if each core computes whole
 * matrices.
 */
function biasFault({ problem, config }: MatmulCheck): MatmulFault | undefined {
  const { bias, tilesM } = problem;
  if (bias === undefined) return undefined;
  if (matrixCount(bias.shape) !== 1) return fault("bias-batch", "a bias must not have batches");
  const rows = config?.kind === "matmul_multi_core_reuse" ? tilesM : 1;
  if (tileRowsOf(bias) !== rows) return fault("bias-rows", `the bias must be ${rows} tiles high`);
  if (config?.kind === "matmul_multi_core_reuse_multi_cast_1d" && config.gatherIn0) {
    return fault("gather-bias", "gather_in0 adds no bias");
  }
  return undefined;
}

/** The program without data reuse reads and writes interleaved pages. */
function simpleFault({ in0, in1, output }: MatmulProblem): MatmulFault | undefined {
  if ([in0, in1, output].every(isInterleaved)) return undefined;
  return fault("simple-interleaved", "the program without data reuse takes only interleaved tensors");
}

/** Checks that all blocked programs share. */
function commonFault(
  { problem, config, chip }: MatmulCheck<MatmulProgramConfig>,
): MatmulFault | undefined {
  const { tilesK, compute } = problem;
  const { in0BlockW, perCoreM, perCoreN } = config;
  if (in0BlockW <= 0 || perCoreM <= 0 || perCoreN <= 0) {
    return fault("positive", "in0_block_w, per_core_M and per_core_N must be positive");
  }
  if (tilesK % in0BlockW !== 0) {
    return fault("k-blocks", `in0_block_w ${in0BlockW} does not divide ${tilesK} K tiles`);
  }
  if (config.kind === "matmul_multi_core_reuse_multi_cast_dram_sharded") return undefined;
  const { outSubblockH, outSubblockW } = config;
  const [height, width] = "outBlockH" in config ? [config.outBlockH, config.outBlockW] : [perCoreM, perCoreN];
  if (!divides(outSubblockH, height) || !divides(outSubblockW, width)) {
    return fault(
      "subblock-divides",
      `subblock ${outSubblockH}x${outSubblockW} does not divide block ${height}x${width}`,
    );
  }
  if (!divides(height, perCoreM) || !divides(width, perCoreN)) {
    return fault(
      "block-divides",
      `block ${height}x${width} does not divide ${perCoreM}x${perCoreN} per core`,
    );
  }
  const most = subblockRegisterTiles(compute);
  if (outSubblockH * outSubblockW > most) {
    return fault(
      "subblock-register",
      `subblock ${outSubblockH}x${outSubblockW} exceeds the ${most} tiles of the destination register`,
    );
  }
  if ("gatherIn0" in config && config.gatherIn0) return undefined;
  const [gridX, gridY] = config.computeWithStorageGridSize;
  const { rows, columns } = chip.workerGrid;
  if (gridX <= 0 || gridY <= 0 || gridX > columns || gridY > rows) {
    return fault(
      "grid",
      `compute grid ${gridX}x${gridY} (x, y) is not within the ${columns}x${rows} workers`,
    );
  }
  return undefined;
}

function divides(part: number, whole: number): boolean {
  return part > 0 && whole % part === 0;
}

function variantFault(check: MatmulCheck<MatmulProgramConfig>): MatmulFault | undefined {
  const { config } = check;
  switch (config.kind) {
    case "matmul_multi_core_reuse":
      return reuseFault({ ...check, config });
    case "matmul_multi_core_reuse_multi_cast":
      return fusedFault({ ...check, config }) ?? bothAxesFault({ ...check, config });
    case "matmul_multi_core_reuse_multi_cast_1d":
      if (config.untilizeOut && !["bf16", "f32"].includes(check.problem.output.dataType)) {
        return fault("untilize-format", "untilize_out writes bf16 and f32 only");
      }
      if (config.gatherIn0) return ringFault({ ...check, config });
      return fusedFault({ ...check, config }) ?? oneAxisFault({ ...check, config });
    case "matmul_multi_core_reuse_multi_cast_dram_sharded":
      return dramShardedFault({ ...check, config });
  }
}

function backedFault(problem: MatmulProblem, config: MatmulProgramConfig): MatmulFault | undefined {
  const reason = backedBufferFault(problem, config);
  return reason === undefined ? undefined : fault("shard-as-buffer", reason);
}
