// SPDX-License-Identifier: Apache-2.0
import { boundingBox, coreCount } from "../../layout/core_range.ts";
import { isOverBanks, isSharded, type TtnnLayout } from "../../layout/ttnn_layout.ts";
import type { MatmulProgramConfig } from "../../op_config/op_config.ts";
import { resultUnlikeAFault } from "../../programs/matmul/matmul_auto_config.ts";
import { rowsOfTiles } from "../../programs/matmul/matmul_blocks.ts";
import { inDram, isInShards, type ProgramTensor } from "../../programs/program_tensor.ts";
import {
  checkShardedRows,
  fail,
  failFor,
  type MatmulCheck,
  type Multicast1d,
  type Multicast2d,
  shardOf,
} from "./matmul_check.ts";

/**
 * Whether a multicast program may read operand 0 in a sharded layout: the shape-independent part of
 * {@linkcode checkOneAxis} and {@linkcode checkBothAxes}.
 *
 * @param result the requested layout
 */
export function mayReadShards(
  config: MatmulProgramConfig,
  { memoryLayout, bufferType, shardShape: [height, width = 1] }: TtnnLayout,
  result: TtnnLayout | undefined,
): boolean {
  if (memoryLayout === undefined || memoryLayout === "interleaved" || memoryLayout === "nd_sharded") {
    return true;
  }
  const isOneAxis = config.kind === "matmul_multi_core_reuse_multi_cast_1d" && !config.gatherIn0;
  if (!isOneAxis && config.kind !== "matmul_multi_core_reuse_multi_cast") return true;
  const isUnlike = result !== undefined && isSharded(result) &&
    (result.memoryLayout !== memoryLayout || result.bufferType !== bufferType);
  if (config.perCoreM !== height) return false;
  if (isOneAxis) {
    if (isUnlike || memoryLayout !== (config.mcastIn0 ? "width_sharded" : "height_sharded")) return false;
    return !config.mcastIn0 || width % config.in0BlockW === 0;
  }
  return memoryLayout === "block_sharded"
    ? !isUnlike && width % config.in0BlockW === 0
    : memoryLayout === "height_sharded" && width === config.in0BlockW;
}

/**
 * Whether a program can read B in a layout: the DRAM-sharded program requires shards over the DRAM banks, which of
 * the others only the 2D program reads.
 */
export function mayReadWeight({ kind }: MatmulProgramConfig, b: TtnnLayout | undefined): boolean {
  const isSpread = b !== undefined && isOverBanks(b);
  if (kind === "matmul_multi_core_reuse_multi_cast_dram_sharded") return isSpread;
  return !isSpread || kind === "matmul_multi_core_reuse_multi_cast";
}

/** Checks of batches that count as rows (`fuseBatch`). */
export function checkFused(check: MatmulCheck<Multicast1d | Multicast2d>): void {
  const { in0, in0Transposed, batchA, batchB, tilesM } = check.problem;
  if (!check.config.fuseBatch) {
    if (isInShards(in0)) fail(check, "fuse-batch", "fuse_batch is needed for a sharded operand 0");
    return;
  }
  if (batchB > 1) fail(check, "fuse-batch-b", "fuse_batch needs an operand 1 without batches");
  if (in0Transposed && batchA > 1 && tilesM > 1) {
    const fault = "transpose_a with fuse_batch needs one matrix or one row of tiles";
    fail(check, "fuse-batch-transposed", fault);
  }
}

/** The cores of requested result shards must be inside the config's grid. */
function checkInsideGrid(check: MatmulCheck<Multicast1d | Multicast2d>): void {
  const { problem: { output }, config: { computeWithStorageGridSize: [gridX, gridY] } } = check;
  if (!isInShards(output) || inDram(output)) return;
  const box = boundingBox(output.coreRanges);
  if (box !== undefined && (box.end.x >= gridX || box.end.y >= gridY)) {
    fail(check, "result-in-grid", `the result's shards do not lie in the ${gridX}x${gridY} compute grid`);
  }
}

/** Checks of a 2D program. */
export function checkBothAxes(check: MatmulCheck<Multicast2d>): void {
  const { problem, config } = check;
  const { in0, in1, output, batchA, tilesN } = problem;
  const { perCoreM, perCoreN, transposeMcast, fuseBatch } = config;
  const [gridX, gridY] = config.computeWithStorageGridSize;
  const rows = rowsOfTiles(problem, fuseBatch);
  if (perCoreM > rows) fail(check, "per-core-m", `per_core_M ${perCoreM} exceeds ${rows} rows of tiles`);
  const blocks = [Math.ceil(tilesN / perCoreN), Math.ceil(rows / perCoreM)] as const;
  const [across, down] = transposeMcast ? [blocks[1], blocks[0]] : blocks;
  if (across > gridX || down > gridY) {
    fail(check, "blocks-in-grid", `${across}x${down} blocks exceed the ${gridX}x${gridY} compute grid`);
  }
  checkInsideGrid(check);
  if (isInShards(in0)) checkBlocksOfA(check);
  if (isInShards(in1)) checkShardsOfB(check);
  checkShardedRows(check);
  if (!isInShards(output)) return;
  if (output.memoryLayout !== "block_sharded") {
    const fault = `a 2D program writes interleaved or block sharded, not ${output.memoryLayout}`;
    fail(check, "result-blocks", fault);
  }
  if (!fuseBatch && batchA !== 1) {
    fail(check, "result-batch", "a block sharded result of several matrices needs fuse_batch");
  }
}

/** Checks a sharded A of a 2D program. */
function checkBlocksOfA(check: MatmulCheck<Multicast2d>): void {
  const { problem, config: { perCoreM, in0BlockW, transposeMcast } } = check;
  const { in0, tilesK } = problem;
  const [height, width] = shardOf(in0);
  if (in0.memoryLayout === "width_sharded") {
    fail(check, "a-sharding", "a 2D program takes no width sharded operand 0");
  }
  if (transposeMcast) fail(check, "a-orientation", "transpose_mcast needs column-major shards of operand 0");
  if (in0.memoryLayout === "block_sharded") {
    failFor(check, resultUnlikeAFault(problem));
  } else {
    if (tilesK !== in0BlockW || in0BlockW !== width) {
      const fault = `in0_block_w must be all ${tilesK} K tiles of height sharded operand 0`;
      fail(check, "a-whole-k", fault);
    }
    const box = boundingBox(in0.coreRanges);
    if (box === undefined || box.start.x !== box.end.x) {
      fail(check, "a-column", "height shards of operand 0 must lie in one column of cores");
    }
  }
  if (perCoreM !== height) refuseHeight(check, height);
  checkShardWidth(check, width);
}

function refuseHeight(check: MatmulCheck<Multicast1d | Multicast2d>, height: number): never {
  const fault = `per_core_M ${check.config.perCoreM} differs from operand 0's shard height ${height}`;
  fail(check, "a-shard-height", fault);
}

function checkShardWidth(check: MatmulCheck<Multicast1d | Multicast2d>, width: number): void {
  const { in0BlockW } = check.config;
  if (width % in0BlockW !== 0) {
    const fault = `in0_block_w ${in0BlockW} does not divide operand 0's shard width ${width}`;
    fail(check, "a-shard-width", fault);
  }
}

/** Checks a sharded B of a 2D program. */
function checkShardsOfB(check: MatmulCheck<Multicast2d>): void {
  const { problem: { in0, in1, batchB, tilesK, tilesN }, config } = check;
  const [height, width] = shardOf(in1);
  if (config.transposeMcast) fail(check, "b-orientation", "transpose_mcast takes no sharded operand 1");
  if (in1.memoryLayout === "height_sharded") {
    const matrices = Math.floor(height / tilesK) * coreCount(in1.coreRanges);
    const holdsWhole = width === tilesN && height >= tilesK && height % tilesK === 0 && matrices >= batchB;
    if (inDram(in1) && !config.fuseBatch && holdsWhole) return;
    const fault = "height shards of operand 1 must be whole matrices in DRAM, without fuse_batch";
    fail(check, "b-matrices", fault);
  }
  if (in1.memoryLayout !== "width_sharded") {
    fail(check, "b-sharding", `a 2D program takes no ${in1.memoryLayout} operand 1`);
  }
  if (!inDram(in1)) {
    if (isInShards(in0) && in0.memoryLayout !== "height_sharded") {
      const fault = "operand 1 in L1 shards needs an operand 0 that is interleaved or height sharded";
      fail(check, "b-in-l1", fault);
    }
    checkColumnsPerCore(check, width);
  }
  const box = boundingBox(in1.coreRanges);
  if (box === undefined || box.start.y !== box.end.y) {
    fail(check, "b-row", "width shards of operand 1 must lie in one row");
  }
}

function checkColumnsPerCore(check: MatmulCheck<Multicast1d | Multicast2d>, width: number): void {
  const { perCoreN } = check.config;
  if (perCoreN !== width) {
    const fault = `per_core_N ${perCoreN} differs from operand 1's shard width ${width}`;
    fail(check, "b-shard-width", fault);
  }
}

/** Checks of a 1D program. */
export function checkOneAxis(check: MatmulCheck<Multicast1d>): void {
  const { problem, config } = check;
  const { perCoreM, perCoreN, fuseBatch, mcastIn0 } = config;
  const [gridX, gridY] = config.computeWithStorageGridSize;
  const rows = rowsOfTiles(problem, fuseBatch);
  const down = Math.ceil(rows / perCoreM);
  const across = Math.ceil(problem.tilesN / perCoreN);
  if (across * down > gridX * gridY) {
    const fault = `${across * down} blocks exceed the ${gridX * gridY} cores of the compute grid`;
    fail(check, "blocks-in-grid", fault);
  }
  if (mcastIn0) checkIn0Multicast(check, rows, down);
  else checkIn1Multicast(check, rows, { down, across });
}

function checkIn0Multicast(check: MatmulCheck<Multicast1d>, rows: number, down: number): void {
  const { problem, config } = check;
  const { in0, output } = problem;
  const { perCoreM, computeWithStorageGridSize: [gridX, gridY] } = config;
  if (down !== 1) fail(check, "per-core-m", `per_core_M ${perCoreM} must hold all ${rows} rows of tiles`);
  checkInsideGrid(check);
  if (isInShards(in0)) {
    const [height, width] = shardOf(in0);
    if (in0.memoryLayout !== "width_sharded") {
      fail(check, "a-sharding", `mcast_in0 takes no ${in0.memoryLayout} operand 0`);
    }
    failFor(check, resultUnlikeAFault(problem));
    if (rows !== perCoreM || perCoreM !== height) {
      const fault = `per_core_M ${perCoreM} must be operand 0's ${rows} rows, shards of ${height}`;
      fail(check, "a-shard-height", fault);
    }
    checkShardWidth(check, width);
    const cores = coreCount(in0.coreRanges);
    if (cores > gridX * gridY) {
      const fault = `operand 0 lies on ${cores} cores, the ${gridX}x${gridY} compute grid has fewer`;
      fail(check, "a-cores", fault);
    }
  }
  if (isInShards(output)) {
    if (output.memoryLayout !== "width_sharded" && !isBlockOn("row", output)) {
      const fault = `mcast_in0 writes width shards or blocks on one row, not ${output.memoryLayout}`;
      fail(check, "result-sharding", fault);
    }
    if (rows !== perCoreM) {
      fail(check, "result-rows", `per_core_M ${perCoreM} must be all ${rows} rows of tiles`);
    }
  }
  checkShardedRows(check);
  checkColumnsOfB(check);
}

/** Checks a sharded B of a 1D program that multicasts A: each core holds its own columns. */
function checkColumnsOfB(check: MatmulCheck<Multicast1d>): void {
  const { in1, bias } = check.problem;
  if (!isInShards(in1)) return;
  if (inDram(in1)) fail(check, "b-in-dram", "a 1D program takes no operand 1 in DRAM shards");
  if (in1.memoryLayout !== "width_sharded") {
    fail(check, "b-sharding", `a 1D program takes no ${in1.memoryLayout} operand 1`);
  }
  const [, width] = shardOf(in1);
  checkColumnsPerCore(check, width);
  if (bias !== undefined && (!isInShards(bias) || shardOf(bias)[1] !== width)) {
    fail(check, "bias-like-b", "the bias must be sharded like operand 1");
  }
}

function checkIn1Multicast(
  check: MatmulCheck<Multicast1d>,
  rows: number,
  { down, across }: { readonly down: number; readonly across: number },
): void {
  const { problem, config } = check;
  const { in0, in1, output, tilesK, tilesN } = problem;
  const { perCoreM, perCoreN, outBlockH, outBlockW } = config;
  if (across !== 1) {
    fail(check, "per-core-n", `per_core_N ${perCoreN} must hold all ${tilesN} columns of tiles`);
  }
  if (perCoreM > rows) fail(check, "per-core-m", `per_core_M ${perCoreM} exceeds ${rows} rows of tiles`);
  if (
    Math.ceil(tilesN / outBlockW) !== perCoreN / outBlockW ||
    (down === 1 && Math.ceil(rows / outBlockH) !== perCoreM / outBlockH)
  ) {
    const fault = "the last tiles of the result must lie in the last block of a core's share";
    fail(check, "last-block", fault);
  }
  checkInsideGrid(check);
  if (isInShards(in0)) {
    const [height, width] = shardOf(in0);
    if (in0.memoryLayout !== "height_sharded") {
      fail(check, "a-sharding", `without mcast_in0 operand 0 must not be ${in0.memoryLayout}`);
    }
    failFor(check, resultUnlikeAFault(problem));
    if (perCoreM !== height || down > coreCount(in0.coreRanges)) refuseHeight(check, height);
    if (tilesK !== width) fail(check, "a-whole-k", `shards of operand 0 must hold all ${tilesK} K tiles`);
  }
  if (isInShards(output)) {
    if (output.memoryLayout !== "height_sharded" && !isBlockOn("column", output)) {
      fail(
        check,
        "result-sharding",
        `without mcast_in0 the result is height sharded or blocks on one column, not ${output.memoryLayout}`,
      );
    }
    if (tilesN !== perCoreN) {
      fail(check, "result-columns", `per_core_N ${perCoreN} must be all ${tilesN} columns`);
    }
  }
  checkShardedRows(check);
  if (isInShards(in1)) fail(check, "b-sharding", "without mcast_in0 operand 1 must be interleaved");
}

/**
 * Whether a requested block-sharded result has all cores in one row or column; a single core counts as both.
 */
function isBlockOn(line: "row" | "column", { memoryLayout, coreRanges }: ProgramTensor): boolean {
  const box = memoryLayout === "block_sharded" ? boundingBox(coreRanges) : undefined;
  if (box === undefined) return false;
  return line === "row" ? box.start.y === box.end.y : box.start.x === box.end.x;
}
