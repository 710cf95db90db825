// SPDX-License-Identifier: Apache-2.0

/** Checks of the ring (`gather_in0`), reuse and DRAM-sharded matmul programs. */

import { kernelsOf } from "../../device/chip_description.ts";
import { coreCount } from "../../layout/core_range.ts";
import { boundingBox } from "../../layout/core_range.ts";
import { sameCores } from "../../programs/core_sets.ts";
import {
  areShardedEqually,
  type MatmulFault,
  resultUnlikeAFault,
} from "../../programs/matmul/matmul_auto_config.ts";
import { type MatmulProblem, rowsOfTiles } from "../../programs/matmul/matmul_problem.ts";
import { inDram, isInShards, isInterleaved } from "../../programs/program_tensor.ts";
import {
  type DramSharded,
  fault,
  type MatmulCheck,
  type Multicast1d,
  type Reuse,
  shardedRowsFault,
  shardOf,
} from "./matmul_check.ts";

/** `gather_in0`: A circulates in a ring of the cores that hold it. */
export function ringFault({ problem, config }: MatmulCheck<Multicast1d>): MatmulFault | undefined {
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
  return resultUnlikeAFault(problem) ?? shardedRowsFault(problem, config);
}

/** Checks of the reuse program: every core computes whole matrices, or rows of one. */
export function reuseFault({ problem, config, chip }: MatmulCheck<Reuse>): MatmulFault | undefined {
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
    if (box !== undefined && (box.end.x >= workerGrid.columns || box.end.y >= workerGrid.rows)) {
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
  const found = (isInShards(in0) ? matricesOfAFault(problem, config) : undefined) ??
    (isInShards(in1) ? matricesOfBFault(problem, config) : undefined);
  if (found !== undefined || !isInShards(output)) return found;
  if (output.memoryLayout === "width_sharded") {
    return fault("result-sharding", "a program with a matrix per core writes no width shards");
  }
  return shardedRowsFault(problem, config);
}

function matricesOfAFault(problem: MatmulProblem, { perCoreM, in0BlockW }: Reuse): MatmulFault | undefined {
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
  if (isInShards(in1) && !areShardedEqually(in0, in1)) {
    return fault("operands-alike", "sharded operands 0 and 1 need the same memory and cores");
  }
  return resultUnlikeAFault(problem);
}

function matricesOfBFault(
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

/** Most cores that read one DRAM bank. */
const MOST_READERS = 3;

/** Checks of the DRAM-sharded program: B sharded over the DRAM banks, A and the result over cores. */
export function dramShardedFault(
  { problem, config, chip }: MatmulCheck<DramSharded>,
): MatmulFault | undefined {
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
  const readers = config.numWorkersPerDramBank ?? 1;
  const [, held = 0] = shardOf(in1);
  if (readers > MOST_READERS) {
    return fault("bank-readers", `num_workers_per_dram_bank ${readers} is not 1 to ${MOST_READERS}`);
  }
  if (readers > 1 && kernelsOf(chip.architecture) !== "blackhole") {
    return fault("bank-readers-chip", "num_workers_per_dram_bank above 1 runs only on Blackhole");
  }
  if (held % readers !== 0) {
    return fault(
      "bank-readers-even",
      `num_workers_per_dram_bank ${readers} does not divide operand 1's shard width of ${held} tiles`,
    );
  }
  return resultUnlikeAFault(problem);
}
