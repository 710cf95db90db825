// SPDX-License-Identifier: Apache-2.0
import { coreCount } from "../../layout/core_range.ts";
import { isOverBanks, isSharded, type TtnnLayout } from "../../layout/ttnn_layout.ts";
import type { MatmulProgramConfig } from "../../op_config/op_config.ts";
import { boundingBox } from "../../layout/core_range.ts";
import { type MatmulFault, resultUnlikeAFault } from "../../programs/matmul/matmul_auto_config.ts";
import { type MatmulProblem, rowsOfTiles } from "../../programs/matmul/matmul_problem.ts";
import { inDram, isInShards, type ProgramTensor } from "../../programs/program_tensor.ts";
import {
  fault,
  type MatmulCheck,
  type Multicast1d,
  type Multicast2d,
  shardedRowsFault,
  shardOf,
} from "./matmul_check.ts";

/**
 * Whether a multicast program may read operand 0 in a sharded layout: the shape-independent part of
 * {@linkcode oneAxisFault} and {@linkcode bothAxesFault}.
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
export function fusedFault(
  { problem, config }: MatmulCheck<Multicast1d | Multicast2d>,
): MatmulFault | undefined {
  const { in0, in0Transposed, batchA, batchB, tilesM } = problem;
  if (!config.fuseBatch) {
    return isInShards(in0) ? fault("fuse-batch", "fuse_batch is needed for a sharded operand 0") : undefined;
  }
  if (batchB > 1) return fault("fuse-batch-b", "fuse_batch needs an operand 1 without batches");
  if (in0Transposed && batchA > 1 && tilesM > 1) {
    return fault("fuse-batch-transposed", "transpose_a with fuse_batch needs one matrix or one row of tiles");
  }
  return undefined;
}

/** The cores of requested result shards must be inside the config's grid. */
function outsideGridFault(
  { output }: MatmulProblem,
  { computeWithStorageGridSize: [gridX, gridY] }: Multicast1d | Multicast2d,
): MatmulFault | undefined {
  if (!isInShards(output) || inDram(output)) return undefined;
  const box = boundingBox(output.coreRanges);
  if (box === undefined || (box.end.x < gridX && box.end.y < gridY)) return undefined;
  return fault("result-in-grid", `the result's shards do not lie in the ${gridX}x${gridY} compute grid`);
}

/** Why a 2D program does not run; `undefined` if it does. */
export function bothAxesFault({ problem, config }: MatmulCheck<Multicast2d>): MatmulFault | undefined {
  const { in0, in1, output, batchA, tilesN } = problem;
  const { perCoreM, perCoreN, transposeMcast, fuseBatch } = config;
  const [gridX, gridY] = config.computeWithStorageGridSize;
  const rows = rowsOfTiles(problem, fuseBatch);
  if (perCoreM > rows) return fault("per-core-m", `per_core_M ${perCoreM} exceeds ${rows} rows of tiles`);
  const blocks = [Math.ceil(tilesN / perCoreN), Math.ceil(rows / perCoreM)] as const;
  const [across, down] = transposeMcast ? [blocks[1], blocks[0]] : blocks;
  if (across > gridX || down > gridY) {
    return fault("blocks-in-grid", `${across}x${down} blocks exceed the ${gridX}x${gridY} compute grid`);
  }
  const found = outsideGridFault(problem, config) ??
    (isInShards(in0) ? blocksOfAFault(problem, config) : undefined) ??
    (isInShards(in1) ? shardsOfBFault(problem, config) : undefined) ?? shardedRowsFault(problem, config);
  if (found !== undefined || !isInShards(output)) return found;
  if (output.memoryLayout !== "block_sharded") {
    return fault(
      "result-blocks",
      `a 2D program writes interleaved or block sharded, not ${output.memoryLayout}`,
    );
  }
  return fuseBatch || batchA === 1
    ? undefined
    : fault("result-batch", "a block sharded result of several matrices needs fuse_batch");
}

/** Checks a sharded A of a 2D program. */
function blocksOfAFault(problem: MatmulProblem, config: Multicast2d): MatmulFault | undefined {
  const { in0, tilesK } = problem;
  const { perCoreM, in0BlockW, transposeMcast } = config;
  const [height, width] = shardOf(in0);
  if (in0.memoryLayout === "width_sharded") {
    return fault("a-sharding", "a 2D program takes no width sharded operand 0");
  }
  if (transposeMcast) return fault("a-orientation", "transpose_mcast needs column-major shards of operand 0");
  if (in0.memoryLayout === "block_sharded") {
    const unlike = resultUnlikeAFault(problem);
    if (unlike !== undefined) return unlike;
  } else {
    if (tilesK !== in0BlockW || in0BlockW !== width) {
      return fault("a-whole-k", `in0_block_w must be all ${tilesK} K tiles of height sharded operand 0`);
    }
    const box = boundingBox(in0.coreRanges);
    if (box === undefined || box.start.x !== box.end.x) {
      return fault("a-column", "height shards of operand 0 must lie in one column of cores");
    }
  }
  if (perCoreM !== height) {
    return fault("a-shard-height", `per_core_M ${perCoreM} differs from operand 0's shard height ${height}`);
  }
  return width % in0BlockW === 0
    ? undefined
    : fault("a-shard-width", `in0_block_w ${in0BlockW} does not divide operand 0's shard width ${width}`);
}

/** Checks a sharded B of a 2D program. */
function shardsOfBFault(problem: MatmulProblem, config: Multicast2d): MatmulFault | undefined {
  const { in0, in1, batchB, tilesK, tilesN } = problem;
  const [height, width] = shardOf(in1);
  if (config.transposeMcast) return fault("b-orientation", "transpose_mcast takes no sharded operand 1");
  if (in1.memoryLayout === "height_sharded") {
    const matrices = Math.floor(height / tilesK) * coreCount(in1.coreRanges);
    const holdsWhole = width === tilesN && height >= tilesK && height % tilesK === 0 && matrices >= batchB;
    return inDram(in1) && !config.fuseBatch && holdsWhole
      ? undefined
      : fault("b-matrices", "height shards of operand 1 must be whole matrices in DRAM, without fuse_batch");
  }
  if (in1.memoryLayout !== "width_sharded") {
    return fault("b-sharding", `a 2D program takes no ${in1.memoryLayout} operand 1`);
  }
  if (!inDram(in1)) {
    if (isInShards(in0) && in0.memoryLayout !== "height_sharded") {
      return fault(
        "b-in-l1",
        "operand 1 in L1 shards needs an operand 0 that is interleaved or height sharded",
      );
    }
    if (config.perCoreN !== width) {
      return fault(
        "b-shard-width",
        `per_core_N ${config.perCoreN} differs from operand 1's shard width ${width}`,
      );
    }
  }
  const box = boundingBox(in1.coreRanges);
  return box !== undefined && box.start.y === box.end.y
    ? undefined
    : fault("b-row", "width shards of operand 1 must lie in one row");
}

/** Why a 1D program does not run; `undefined` if it does. */
export function oneAxisFault(check: MatmulCheck<Multicast1d>): MatmulFault | undefined {
  const { problem, config } = check;
  const { perCoreM, perCoreN, fuseBatch, mcastIn0 } = config;
  const [gridX, gridY] = config.computeWithStorageGridSize;
  const rows = rowsOfTiles(problem, fuseBatch);
  const down = Math.ceil(rows / perCoreM);
  const across = Math.ceil(problem.tilesN / perCoreN);
  if (across * down > gridX * gridY) {
    return fault(
      "blocks-in-grid",
      `${across * down} blocks exceed the ${gridX * gridY} cores of the compute grid`,
    );
  }
  return mcastIn0
    ? in0MulticastFault(problem, config, rows, down)
    : in1MulticastFault(problem, config, rows, { down, across });
}

function in0MulticastFault(
  problem: MatmulProblem,
  config: Multicast1d,
  rows: number,
  down: number,
): MatmulFault | undefined {
  const { in0, output } = problem;
  const { perCoreM, in0BlockW, computeWithStorageGridSize: [gridX, gridY] } = config;
  if (down !== 1) return fault("per-core-m", `per_core_M ${perCoreM} must hold all ${rows} rows of tiles`);
  const outside = outsideGridFault(problem, config);
  if (outside !== undefined) return outside;
  if (isInShards(in0)) {
    const [height, width] = shardOf(in0);
    if (in0.memoryLayout !== "width_sharded") {
      return fault("a-sharding", `mcast_in0 takes no ${in0.memoryLayout} operand 0`);
    }
    const unlike = resultUnlikeAFault(problem);
    if (unlike !== undefined) return unlike;
    if (rows !== perCoreM || perCoreM !== height) {
      return fault(
        "a-shard-height",
        `per_core_M ${perCoreM} must be operand 0's ${rows} rows, shards of ${height}`,
      );
    }
    if (width % in0BlockW !== 0) {
      return fault(
        "a-shard-width",
        `in0_block_w ${in0BlockW} does not divide operand 0's shard width ${width}`,
      );
    }
    const cores = coreCount(in0.coreRanges);
    if (cores > gridX * gridY) {
      return fault(
        "a-cores",
        `operand 0 lies on ${cores} cores, the ${gridX}x${gridY} compute grid has fewer`,
      );
    }
  }
  if (isInShards(output)) {
    if (output.memoryLayout !== "width_sharded" && !isBlockOn("row", output)) {
      return fault(
        "result-sharding",
        `mcast_in0 writes width shards or blocks on one row, not ${output.memoryLayout}`,
      );
    }
    if (rows !== perCoreM) {
      return fault("result-rows", `per_core_M ${perCoreM} must be all ${rows} rows of tiles`);
    }
  }
  return shardedRowsFault(problem, config) ?? columnsOfBFault(problem, config);
}

/** Checks a sharded B of a 1D program that multicasts A: each core holds its own columns. */
function columnsOfBFault({ in1, bias }: MatmulProblem, { perCoreN }: Multicast1d): MatmulFault | undefined {
  if (!isInShards(in1)) return undefined;
  if (inDram(in1)) return fault("b-in-dram", "a 1D program takes no operand 1 in DRAM shards");
  if (in1.memoryLayout !== "width_sharded") {
    return fault("b-sharding", `a 1D program takes no ${in1.memoryLayout} operand 1`);
  }
  const [, width] = shardOf(in1);
  if (perCoreN !== width) {
    return fault("b-shard-width", `per_core_N ${perCoreN} differs from operand 1's shard width ${width}`);
  }
  if (bias === undefined || (isInShards(bias) && shardOf(bias)[1] === width)) return undefined;
  return fault("bias-like-b", "the bias must be sharded like operand 1");
}

function in1MulticastFault(
  problem: MatmulProblem,
  config: Multicast1d,
  rows: number,
  { down, across }: { readonly down: number; readonly across: number },
): MatmulFault | undefined {
  const { in0, in1, output, tilesK, tilesN } = problem;
  const { perCoreM, perCoreN, outBlockH, outBlockW } = config;
  if (across !== 1) {
    return fault("per-core-n", `per_core_N ${perCoreN} must hold all ${tilesN} columns of tiles`);
  }
  if (perCoreM > rows) return fault("per-core-m", `per_core_M ${perCoreM} exceeds ${rows} rows of tiles`);
  if (
    Math.ceil(tilesN / outBlockW) !== perCoreN / outBlockW ||
    (down === 1 && Math.ceil(rows / outBlockH) !== perCoreM / outBlockH)
  ) {
    return fault("last-block", "the last tiles of the result must lie in the last block of a core's share");
  }
  const outside = outsideGridFault(problem, config);
  if (outside !== undefined) return outside;
  if (isInShards(in0)) {
    const [height, width] = shardOf(in0);
    if (in0.memoryLayout !== "height_sharded") {
      return fault("a-sharding", `without mcast_in0 operand 0 must not be ${in0.memoryLayout}`);
    }
    const unlike = resultUnlikeAFault(problem);
    if (unlike !== undefined) return unlike;
    if (perCoreM !== height || down > coreCount(in0.coreRanges)) {
      return fault(
        "a-shard-height",
        `per_core_M ${perCoreM} differs from operand 0's shard height ${height}`,
      );
    }
    if (tilesK !== width) return fault("a-whole-k", `shards of operand 0 must hold all ${tilesK} K tiles`);
  }
  if (isInShards(output)) {
    if (output.memoryLayout !== "height_sharded" && !isBlockOn("column", output)) {
      return fault(
        "result-sharding",
        `without mcast_in0 the result is height sharded or blocks on one column, not ${output.memoryLayout}`,
      );
    }
    if (tilesN !== perCoreN) {
      return fault("result-columns", `per_core_N ${perCoreN} must be all ${tilesN} columns`);
    }
  }
  return shardedRowsFault(problem, config) ??
    (isInShards(in1) ? fault("b-sharding", "without mcast_in0 operand 1 must be interleaved") : undefined);
}

/**
 * Whether a requested block-sharded result has all cores in one row or column; a single core counts as both.
 */
function isBlockOn(line: "row" | "column", { memoryLayout, coreRanges }: ProgramTensor): boolean {
  const box = memoryLayout === "block_sharded" ? boundingBox(coreRanges) : undefined;
  if (box === undefined) return false;
  return line === "row" ? box.start.y === box.end.y : box.start.x === box.end.x;
}
