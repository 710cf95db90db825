// SPDX-License-Identifier: Apache-2.0
import { matrixCount } from "../../layout/extents.ts";
import type { MatmulProgramConfig } from "../../op_config/op_config.ts";
import { subblockRegisterTiles } from "../../programs/matmul/matmul_blocking.ts";
import { backedBufferFault } from "../../programs/matmul/matmul_buffers.ts";
import { tileRowsOf } from "../../programs/matmul/matmul_plan.ts";
import { isInterleaved } from "../../programs/program_tensor.ts";
import { fail, type MatmulCheck } from "./matmul_check.ts";
import { checkDramSharded, checkReuse, checkRing } from "./matmul_held_checks.ts";
import { checkBothAxes, checkFused, checkOneAxis } from "./matmul_multicast_checks.ts";

/** Refuses a matmul whose program config the backend rejects (`ttnn:backend-0-81-1`). */
export function checkMatmulConfig(check: MatmulCheck): void {
  const { config, problem } = check;
  checkBatch(check);
  checkBias(check);
  if (config === undefined) {
    if (![problem.in0, problem.in1, problem.output].every(isInterleaved)) {
      fail(check, "simple-interleaved", "the program without data reuse takes only interleaved tensors");
    }
    return;
  }
  checkCommon({ ...check, config });
  checkVariant({ ...check, config });
  const backed = backedBufferFault(problem, config);
  if (backed !== undefined) fail(check, "shard-as-buffer", backed);
}

/** Checks the batch extents of a B with one matrix per matrix of A. */
function checkBatch(check: MatmulCheck): void {
  const { problem: { in0, in1, batchA, batchB }, config, isGiven } = check;
  const isSpread = batchB === 1 && (batchA > 1 || !isGiven || config?.kind !== "matmul_multi_core_reuse");
  if (isSpread) return;
  if (in0.shape.length !== in1.shape.length) {
    const ranks = `${in0.shape.length} and ${in1.shape.length}`;
    fail(check, "batch-rank", `operands of ${ranks} dimensions do not pair up`);
  }
  const reusesA = config?.kind === "matmul_multi_core_reuse_multi_cast_1d" && !config.mcastIn0 &&
    !config.gatherIn0 && !config.fuseBatch && config.fusedActivation === undefined && batchA === 1 &&
    isInterleaved(in0) && isInterleaved(in1);
  const [a, b] = [in0.shape.slice(0, -2), in1.shape.slice(0, -2)];
  if (!a.every((extent, dim) => extent === b[dim] || (extent === 1 && reusesA))) {
    fail(check, "batch", `batches ${a.join("x")} and ${b.join("x")} do not pair up`);
  }
}

/**
 * A bias that the matmul's own program adds: one row of tiles, or a matrix if each core computes whole
 * matrices.
 */
function checkBias(check: MatmulCheck): void {
  const { problem: { bias, tilesM }, config } = check;
  if (bias === undefined) return;
  if (matrixCount(bias.shape) !== 1) fail(check, "bias-batch", "a bias must not have batches");
  const rows = config?.kind === "matmul_multi_core_reuse" ? tilesM : 1;
  if (tileRowsOf(bias) !== rows) fail(check, "bias-rows", `the bias must be ${rows} tiles high`);
  if (config?.kind === "matmul_multi_core_reuse_multi_cast_1d" && config.gatherIn0) {
    fail(check, "gather-bias", "gather_in0 adds no bias");
  }
}

/** Checks that all blocked programs share. */
function checkCommon(check: MatmulCheck<MatmulProgramConfig>): void {
  const { problem: { tilesK, compute }, config, query: { chip } } = check;
  const { in0BlockW, perCoreM, perCoreN } = config;
  if (in0BlockW <= 0 || perCoreM <= 0 || perCoreN <= 0) {
    fail(check, "positive", "in0_block_w, per_core_M and per_core_N must be positive");
  }
  if (tilesK % in0BlockW !== 0) {
    fail(check, "k-blocks", `in0_block_w ${in0BlockW} does not divide ${tilesK} K tiles`);
  }
  if (config.kind === "matmul_multi_core_reuse_multi_cast_dram_sharded") return;
  const { outSubblockH, outSubblockW } = config;
  const [height, width] = "outBlockH" in config ? [config.outBlockH, config.outBlockW] : [perCoreM, perCoreN];
  const [subblock, block] = [`subblock ${outSubblockH}x${outSubblockW}`, `block ${height}x${width}`];
  if (!divides(outSubblockH, height) || !divides(outSubblockW, width)) {
    fail(check, "subblock-divides", `${subblock} does not divide ${block}`);
  }
  if (!divides(height, perCoreM) || !divides(width, perCoreN)) {
    fail(check, "block-divides", `${block} does not divide ${perCoreM}x${perCoreN} per core`);
  }
  const most = subblockRegisterTiles(compute);
  if (outSubblockH * outSubblockW > most) {
    fail(check, "subblock-register", `${subblock} exceeds the ${most} tiles of the destination register`);
  }
  if ("gatherIn0" in config && config.gatherIn0) return;
  const [gridX, gridY] = config.computeWithStorageGridSize;
  const { rows, columns } = chip.workerGrid;
  if (gridX <= 0 || gridY <= 0 || gridX > columns || gridY > rows) {
    fail(check, "grid", `compute grid ${gridX}x${gridY} (x, y) is not within the ${columns}x${rows} workers`);
  }
}

function divides(part: number, whole: number): boolean {
  return part > 0 && whole % part === 0;
}

function checkVariant(check: MatmulCheck<MatmulProgramConfig>): void {
  const { config, problem } = check;
  switch (config.kind) {
    case "matmul_multi_core_reuse":
      return checkReuse({ ...check, config });
    case "matmul_multi_core_reuse_multi_cast":
      checkFused({ ...check, config });
      return checkBothAxes({ ...check, config });
    case "matmul_multi_core_reuse_multi_cast_1d":
      if (config.untilizeOut && !["bf16", "f32"].includes(problem.output.dataType)) {
        fail(check, "untilize-format", "untilize_out writes bf16 and f32 only");
      }
      if (config.gatherIn0) return checkRing({ ...check, config });
      checkFused({ ...check, config });
      return checkOneAxis({ ...check, config });
    case "matmul_multi_core_reuse_multi_cast_dram_sharded":
      return checkDramSharded({ ...check, config });
  }
}
