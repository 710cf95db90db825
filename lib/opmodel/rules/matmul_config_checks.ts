// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../../device/chip_description.ts";
import { coreCount } from "../../layout/core_range.ts";
import type { MatmulProgramConfig } from "../../op_config/op_config.ts";
import { areShardedAlike, type MatmulFault, unlikeA } from "../../programs/matmul_auto_config.ts";
import { subblockRegisterTiles } from "../../programs/matmul_blocking.ts";
import { backedBufferFault } from "../../programs/matmul_buffers.ts";
import { type MatmulProblem, rowsOfTiles } from "../../programs/matmul_problem.ts";
import { tileRowsOf } from "../../programs/matmul_plan.ts";
import { inDram, isInShards, isInterleaved, type ProgramTensor } from "../../programs/program_tensor.ts";
import { boundingBox, sameCores } from "../../programs/core_sets.ts";
import { matrixCount } from "../../layout/extents.ts";

type ConfigOf<Kind extends MatmulProgramConfig["kind"]> = Extract<MatmulProgramConfig, { kind: Kind }>;
type Reuse = ConfigOf<"matmul_multi_core_reuse">;
type Multicast2d = ConfigOf<"matmul_multi_core_reuse_multi_cast">;
type Multicast1d = ConfigOf<"matmul_multi_core_reuse_multi_cast_1d">;
type DramSharded = ConfigOf<"matmul_multi_core_reuse_multi_cast_dram_sharded">;

/** A product with its program config, as the backend checks it. Its output is the memory that is asked for. */
export interface MatmulCheck<Config = MatmulProgramConfig | undefined> {
  readonly problem: MatmulProblem;
  readonly config: Config;
  /** Whether the config was given; else the backend has chosen it. */
  readonly isGiven: boolean;
  readonly chip: Pick<ChipDescription, "workerGrid">;
}

/** Why the backend rejects a product with its program config; `undefined` when it accepts it (`ttnn-0.81.1`). */
export function matmulConfigFault(check: MatmulCheck): MatmulFault | undefined {
  const { config } = check;
  return batchFault(check) ?? biasFault(check) ??
    (config === undefined ? simpleFault(check.problem) : commonFault({ ...check, config }) ??
      variantFault({ ...check, config }) ?? backedFault(check.problem, config));
}

function fault(what: string, reason: string): MatmulFault {
  return { what, reason };
}

/** Rows and columns of a shard in tiles. */
function shardOf({ shardShape: [rows = 1, columns = 1] }: ProgramTensor): readonly [number, number] {
  return [rows, columns];
}

/** Leading extents of a B with a matrix for each of A's. */
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

/** A bias that the product's program adds: one row of tiles, or a matrix where each core makes whole matrices. */
function biasFault({ problem, config }: MatmulCheck): MatmulFault | undefined {
  const { bias, in1, in1Transposed, tilesM, tilesN } = problem;
  if (bias === undefined) return undefined;
  if (matrixCount(bias.shape) !== 1) return fault("bias-batch", "a bias must not have batches");
  const rows = config?.kind === "matmul_multi_core_reuse" ? tilesM : 1;
  if (tileRowsOf(bias) !== rows) return fault("bias-rows", `the bias must be ${rows} tiles high`);
  const columns = in1.shape.at(in1Transposed ? -2 : -1) ?? 1;
  const width = bias.shape.at(-1) ?? 1;
  if (Math.ceil(width / 32) !== tilesN || width < columns) {
    return fault("bias-columns", `a bias of ${width} columns does not fit ${columns} columns of the product`);
  }
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

/** What all blocked programs ask of their config. */
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

/** Batches that count as rows. */
function fusedFault(
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

/** Cores of the result's shards, where they were asked for, must lie in the config's grid. */
function outsideGrid(
  { output }: MatmulProblem,
  { computeWithStorageGridSize: [gridX, gridY] }: Multicast1d | Multicast2d,
): MatmulFault | undefined {
  if (!isInShards(output) || inDram(output)) return undefined;
  const box = boundingBox(output.coreRanges);
  if (box === undefined || (box.right < gridX && box.bottom < gridY)) return undefined;
  return fault("result-in-grid", `the result's shards do not lie in the ${gridX}x${gridY} compute grid`);
}

/** A sharded result is written in whole rows of a core's share. */
function shardedRows(
  { output }: MatmulProblem,
  { outSubblockH, outSubblockW, perCoreN, ...config }: Reuse | Multicast1d | Multicast2d,
): MatmulFault | undefined {
  if (!isInShards(output)) return undefined;
  if (outSubblockW !== perCoreN && outSubblockH !== 1) {
    return fault(
      "sharded-subblock",
      `a sharded result needs subblocks of one row or of all ${perCoreN} columns, not ${outSubblockH}x${outSubblockW}`,
    );
  }
  if ("outBlockH" in config && config.outBlockW !== perCoreN && config.outBlockH !== 1) {
    return fault(
      "sharded-block",
      `a sharded result needs blocks of one row or of all ${perCoreN} columns, not ` +
        `${config.outBlockH}x${config.outBlockW}`,
    );
  }
  return undefined;
}

function bothAxesFault({ problem, config }: MatmulCheck<Multicast2d>): MatmulFault | undefined {
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
  const found = outsideGrid(problem, config) ?? (isInShards(in0) ? blocksOfA(problem, config) : undefined) ??
    (isInShards(in1) ? shardsOfB(problem, config) : undefined) ?? shardedRows(problem, config);
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

/** A sharded A of a 2D program. */
function blocksOfA(problem: MatmulProblem, config: Multicast2d): MatmulFault | undefined {
  const { in0, tilesK } = problem;
  const { perCoreM, in0BlockW, transposeMcast } = config;
  const [height, width] = shardOf(in0);
  if (in0.memoryLayout === "width_sharded") {
    return fault("a-sharding", "a 2D program takes no width sharded operand 0");
  }
  if (transposeMcast) return fault("a-orientation", "transpose_mcast needs column-major shards of operand 0");
  if (in0.memoryLayout === "block_sharded") {
    const unlike = unlikeA(problem);
    if (unlike !== undefined) return unlike;
  } else {
    if (tilesK !== in0BlockW || in0BlockW !== width) {
      return fault("a-whole-k", `in0_block_w must be all ${tilesK} K tiles of height sharded operand 0`);
    }
    const box = boundingBox(in0.coreRanges);
    if (box === undefined || box.left !== box.right) {
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

/** A sharded B of a 2D program. */
function shardsOfB(problem: MatmulProblem, config: Multicast2d): MatmulFault | undefined {
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
  return box !== undefined && box.top === box.bottom
    ? undefined
    : fault("b-row", "width shards of operand 1 must lie in one row");
}

function oneAxisFault(check: MatmulCheck<Multicast1d>): MatmulFault | undefined {
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
  const { perCoreM, in0BlockW } = config;
  if (down !== 1) return fault("per-core-m", `per_core_M ${perCoreM} must hold all ${rows} rows of tiles`);
  const outside = outsideGrid(problem, config);
  if (outside !== undefined) return outside;
  if (isInShards(in0)) {
    const [height, width] = shardOf(in0);
    if (in0.memoryLayout !== "width_sharded") {
      return fault("a-sharding", `mcast_in0 takes no ${in0.memoryLayout} operand 0`);
    }
    const unlike = unlikeA(problem);
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
  return shardedRows(problem, config) ?? columnsOfB(problem, config);
}

/** A sharded B of a 1D program that multicasts A: each core holds its columns. */
function columnsOfB({ in1, bias }: MatmulProblem, { perCoreN }: Multicast1d): MatmulFault | undefined {
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
  const outside = outsideGrid(problem, config);
  if (outside !== undefined) return outside;
  if (isInShards(in0)) {
    const [height, width] = shardOf(in0);
    if (in0.memoryLayout !== "height_sharded") {
      return fault("a-sharding", `without mcast_in0 operand 0 must not be ${in0.memoryLayout}`);
    }
    const unlike = unlikeA(problem);
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
  return shardedRows(problem, config) ??
    (isInShards(in1) ? fault("b-sharding", "without mcast_in0 operand 1 must be interleaved") : undefined);
}

/** Whether a result is asked for in blocks whose cores lie in one row, or column; a single core lies in both. */
function isBlockOn(line: "row" | "column", { memoryLayout, coreRanges }: ProgramTensor): boolean {
  const box = memoryLayout === "block_sharded" ? boundingBox(coreRanges) : undefined;
  if (box === undefined) return false;
  return line === "row" ? box.top === box.bottom : box.left === box.right;
}

/** `gather_in0`: A goes around a ring of the cores that hold it. */
function ringFault({ problem, config }: MatmulCheck<Multicast1d>): MatmulFault | undefined {
  const { in0, in1, output, in0Transposed, in1Transposed } = problem;
  const { perCoreM, mcastIn0, fuseBatch, numGlobalCbReceivers } = config;
  const rows = rowsOfTiles(problem, fuseBatch);
  const readsB = in1.memoryLayout === "width_sharded" || (isInterleaved(in1) && inDram(in1));
  const onItsCores = !isInShards(in1) || inDram(in1) || sameCores(in0.coreRanges, in1.coreRanges);
  const writesItsCores = isInShards(in1) || sameCores(in0.coreRanges, output.coreRanges);
  const [height] = shardOf(in0);
  if (in0Transposed || in1Transposed) {
    return fault("gather-transposed", "gather_in0 takes no transposed operand");
  }
  if (mcastIn0) return fault("gather-or-multicast", "gather_in0 and mcast_in0 exclude each other");
  if (!isInShards(in0) || in0.memoryLayout !== "width_sharded") {
    return fault("gather-a", "gather_in0 needs a width sharded operand 0");
  }
  if (!readsB || !onItsCores) {
    return fault(
      "gather-b",
      "gather_in0 needs operand 1 width sharded, in L1 on operand 0's cores, or in DRAM",
    );
  }
  if (!isInShards(output) || output.shardShape.length === 0 || !writesItsCores) {
    return fault(
      "gather-result",
      "gather_in0 needs a result with shards, on operand 0's cores if B is interleaved",
    );
  }
  if (numGlobalCbReceivers !== 1) {
    return fault("gather-receivers", "num_global_cb_receivers must be 1 without a global circular buffer");
  }
  if (rows !== perCoreM || perCoreM !== height) {
    return fault(
      "a-shard-height",
      `per_core_M ${perCoreM} must be operand 0's ${rows} rows, shards of ${height}`,
    );
  }
  return unlikeA(problem) ?? shardedRows(problem, config);
}

/** Every core multiplies matrices, or rows of one, of its own. */
function reuseFault({ problem, config, chip }: MatmulCheck<Reuse>): MatmulFault | undefined {
  const { in0, in1, output, batchA, batchB, tilesM, tilesN } = problem;
  const { perCoreM, perCoreN, outSubblockH } = config;
  const rows = batchA * tilesM;
  if (perCoreN !== tilesN) {
    return fault("per-core-n", `per_core_N ${perCoreN} must be all ${tilesN} columns of tiles`);
  }
  const fits = perCoreM > tilesM ? perCoreM % tilesM === 0 && rows % perCoreM === 0 : tilesM % perCoreM === 0;
  if (!fits) {
    return fault(
      "per-core-m",
      `per_core_M ${perCoreM} must divide ${tilesM} rows of tiles of a matrix, or be matrices that divide ${batchA}`,
    );
  }
  if (batchA > 1 && batchB === 1) {
    return fault("reuse-spread", "operand 1 must have a matrix for each of operand 0's");
  }
  if (batchA > 1 && batchB > 1 && tilesM % outSubblockH !== 0) {
    return fault("reuse-subblock", `out_subblock_h ${outSubblockH} does not divide ${tilesM} rows of tiles`);
  }
  const blocks = rows / perCoreM;
  const holder = [in0, in1].find((tensor) => isInShards(tensor) && !inDram(tensor));
  if (holder !== undefined) {
    const box = boundingBox(holder.coreRanges);
    const { workerGrid } = chip;
    if (box !== undefined && (box.right >= workerGrid.columns || box.bottom >= workerGrid.rows)) {
      return fault("grid", "shards lie outside of the worker grid");
    }
    if (blocks % coreCount(holder.coreRanges) !== 0) {
      return fault(
        "blocks-per-core",
        `${blocks} blocks are not spread evenly over the ${coreCount(holder.coreRanges)} cores of an operand`,
      );
    }
  }
  const owner = [in0, in1].find(isInShards) ??
    (isInShards(output) && !inDram(output) && output.shardShape.length > 0 ? output : undefined);
  if (owner !== undefined && blocks < coreCount(owner.coreRanges)) {
    return fault(
      "blocks-per-core",
      `${blocks} blocks are fewer than the ${coreCount(owner.coreRanges)} cores`,
    );
  }
  const found = (isInShards(in0) ? matricesOfA(problem, config) : undefined) ??
    (isInShards(in1) ? matricesOfB(problem, config) : undefined);
  if (found !== undefined || !isInShards(output)) return found;
  if (output.memoryLayout === "width_sharded") {
    return fault("result-sharding", "a program with a matrix per core writes no width shards");
  }
  return shardedRows(problem, config);
}

function matricesOfA(problem: MatmulProblem, { perCoreM, in0BlockW }: Reuse): MatmulFault | undefined {
  const { in0, in1, tilesK } = problem;
  const [height, width] = shardOf(in0);
  if (in0.memoryLayout === "width_sharded") {
    return fault("a-sharding", "a program with a matrix per core takes no width sharded operand 0");
  }
  if (tilesK !== width || in0BlockW !== width) {
    return fault("a-whole-k", `in0_block_w and operand 0's shards must be all ${tilesK} K tiles wide`);
  }
  if (perCoreM !== height) {
    return fault("a-shard-height", `per_core_M ${perCoreM} differs from operand 0's shard height ${height}`);
  }
  if (isInShards(in1) && !areShardedAlike(in0, in1)) {
    return fault("operands-alike", "sharded operands 0 and 1 need the same memory and cores");
  }
  return unlikeA(problem);
}

function matricesOfB(
  { in1, tilesM, tilesK, tilesN }: MatmulProblem,
  { perCoreM }: Reuse,
): MatmulFault | undefined {
  const [height, width] = shardOf(in1);
  const holdsWhole = in1.memoryLayout !== "width_sharded" && width === tilesN && height % tilesK === 0;
  if (!holdsWhole) return fault("b-matrices", "shards of operand 1 must be whole matrices");
  return perCoreM % tilesM === 0
    ? undefined
    : fault("per-core-m", `per_core_M ${perCoreM} must be whole matrices of ${tilesM} rows of tiles`);
}

/** B over the DRAM banks, A and the result over cores. */
function dramShardedFault({ problem, config }: MatmulCheck<DramSharded>): MatmulFault | undefined {
  const { in0, in1, output, tilesM, tilesK } = problem;
  const { perCoreM, in0BlockW } = config;
  const [height, width] = shardOf(in0);
  if (!isInShards(in0) || in0.memoryLayout !== "width_sharded" || !isInShards(output)) {
    return fault("dram-sharded-a", "operand 0 and the result must be width sharded");
  }
  if (in1.placement !== "dram_sharded" || in1.memoryLayout !== "width_sharded") {
    return fault("dram-sharded-b", "operand 1 must be width sharded over the DRAM banks");
  }
  if (tilesM !== 1 || perCoreM !== 1 || height !== 1) {
    return fault("dram-sharded-rows", `operand 0 must be one row of tiles, not ${tilesM}`);
  }
  if (width % in0BlockW !== 0 && in0BlockW % width !== 0) {
    return fault(
      "a-shard-width",
      `in0_block_w ${in0BlockW} and operand 0's shard width ${width} do not divide`,
    );
  }
  if (tilesK % width !== 0) {
    return fault("dram-sharded-even", `shards of ${width} tiles do not divide operand 0's ${tilesK} K tiles`);
  }
  return unlikeA(problem);
}

function backedFault(problem: MatmulProblem, config: MatmulProgramConfig): MatmulFault | undefined {
  const reason = backedBufferFault(problem, config);
  return reason === undefined ? undefined : fault("shard-as-buffer", reason);
}
