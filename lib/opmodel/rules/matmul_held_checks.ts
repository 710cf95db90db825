// SPDX-License-Identifier: Apache-2.0

/** Checks of the ring (`gather_in0`), reuse and DRAM-sharded matmul programs. */

import { kernelsOf } from "../../device/chip_description.ts";
import { boundingBox, coreCount } from "../../layout/core_range.ts";
import { sameCores } from "../../programs/core_sets.ts";
import { areShardedEqually, resultUnlikeAFault } from "../../programs/matmul/matmul_auto_config.ts";
import { rowsOfTiles } from "../../programs/matmul/matmul_blocks.ts";
import { inDram, isInShards, isInterleaved } from "../../programs/program_tensor.ts";
import {
  checkShardedRows,
  type DramSharded,
  fail,
  failFor,
  type MatmulCheck,
  type Multicast1d,
  type Reuse,
  shardOf,
} from "./matmul_check.ts";

/** `gather_in0`: A circulates in a ring of the cores that hold it. */
export function checkRing(check: MatmulCheck<Multicast1d>): void {
  const { problem, config } = check;
  const { in0, in1, output, in0Transposed, in1Transposed } = problem;
  const { perCoreM, mcastIn0, fuseBatch, numGlobalCbReceivers } = config;
  const rows = rowsOfTiles(problem, fuseBatch);
  const readsB = in1.memoryLayout === "width_sharded" || (isInterleaved(in1) && inDram(in1));
  const onItsCores = !isInShards(in1) || inDram(in1) || sameCores(in0.coreRanges, in1.coreRanges);
  const writesItsCores = isInShards(in1) || sameCores(in0.coreRanges, output.coreRanges);
  const [height] = shardOf(in0);
  if (in0Transposed || in1Transposed) {
    fail(check, "gather-transposed", "gather_in0 takes no transposed operand");
  }
  if (mcastIn0) fail(check, "gather-or-multicast", "gather_in0 and mcast_in0 exclude each other");
  if (!isInShards(in0) || in0.memoryLayout !== "width_sharded") {
    fail(check, "gather-a", "gather_in0 needs a width sharded operand 0");
  }
  if (!readsB || !onItsCores) {
    const fault = "gather_in0 needs operand 1 width sharded, in L1 on operand 0's cores, or in DRAM";
    fail(check, "gather-b", fault);
  }
  if (!isInShards(output) || output.shardShape.length === 0 || !writesItsCores) {
    const fault = "gather_in0 needs a result with shards, on operand 0's cores if B is interleaved";
    fail(check, "gather-result", fault);
  }
  if (numGlobalCbReceivers !== 1) {
    fail(
      check,
      "gather-receivers",
      "num_global_cb_receivers must be 1 without a global circular buffer",
    );
  }
  if (rows !== perCoreM || perCoreM !== height) {
    fail(
      check,
      "a-shard-height",
      `per_core_M ${perCoreM} must be operand 0's ${rows} rows, shards of ${height}`,
    );
  }
  failFor(check, resultUnlikeAFault(problem));
  checkShardedRows(check);
}

/** Checks of the reuse program: every core computes whole matrices, or rows of one. */
export function checkReuse(check: MatmulCheck<Reuse>): void {
  const { problem, config, query: { chip: { workerGrid } } } = check;
  const { in0, in1, output, batchA, batchB, tilesM, tilesN } = problem;
  const { perCoreM, perCoreN, outSubblockH } = config;
  const rows = batchA * tilesM;
  if (perCoreN !== tilesN) {
    fail(check, "per-core-n", `per_core_N ${perCoreN} must be all ${tilesN} columns of tiles`);
  }
  const fits = perCoreM > tilesM ? perCoreM % tilesM === 0 && rows % perCoreM === 0 : tilesM % perCoreM === 0;
  if (!fits) {
    fail(
      check,
      "per-core-m",
      `per_core_M ${perCoreM} must divide ${tilesM} rows of tiles of a matrix, or be matrices that divide ${batchA}`,
    );
  }
  if (batchA > 1 && batchB === 1) {
    fail(check, "reuse-spread", "operand 1 must have a matrix for each of operand 0's");
  }
  if (batchA > 1 && batchB > 1 && tilesM % outSubblockH !== 0) {
    fail(check, "reuse-subblock", `out_subblock_h ${outSubblockH} does not divide ${tilesM} rows of tiles`);
  }
  const blocks = rows / perCoreM;
  const holder = [in0, in1].find((tensor) => isInShards(tensor) && !inDram(tensor));
  if (holder !== undefined) {
    const box = boundingBox(holder.coreRanges);
    if (box !== undefined && (box.end.x >= workerGrid.columns || box.end.y >= workerGrid.rows)) {
      fail(check, "grid", "shards lie outside of the worker grid");
    }
    const cores = coreCount(holder.coreRanges);
    if (blocks % cores !== 0) {
      const fault = `${blocks} blocks are not spread evenly over the ${cores} cores of an operand`;
      fail(check, "blocks-per-core", fault);
    }
  }
  const owner = [in0, in1].find(isInShards) ??
    (isInShards(output) && !inDram(output) && output.shardShape.length > 0 ? output : undefined);
  if (owner !== undefined && blocks < coreCount(owner.coreRanges)) {
    const fault = `${blocks} blocks are fewer than the ${coreCount(owner.coreRanges)} cores`;
    fail(check, "blocks-per-core", fault);
  }
  if (isInShards(in0)) checkMatricesOfA(check);
  if (isInShards(in1)) checkMatricesOfB(check);
  if (isInShards(output) && output.memoryLayout === "width_sharded") {
    fail(check, "result-sharding", "a program with a matrix per core writes no width shards");
  }
  checkShardedRows(check);
}

function checkMatricesOfA(check: MatmulCheck<Reuse>): void {
  const { problem, config: { perCoreM, in0BlockW } } = check;
  const { in0, in1, tilesK } = problem;
  const [height, width] = shardOf(in0);
  if (in0.memoryLayout === "width_sharded") {
    fail(check, "a-sharding", "a program with a matrix per core takes no width sharded operand 0");
  }
  if (tilesK !== width || in0BlockW !== width) {
    const fault = `in0_block_w and operand 0's shards must be all ${tilesK} K tiles wide`;
    fail(check, "a-whole-k", fault);
  }
  if (perCoreM !== height) {
    const fault = `per_core_M ${perCoreM} differs from operand 0's shard height ${height}`;
    fail(check, "a-shard-height", fault);
  }
  if (isInShards(in1) && !areShardedEqually(in0, in1)) {
    fail(check, "operands-alike", "sharded operands 0 and 1 need the same memory and cores");
  }
  failFor(check, resultUnlikeAFault(problem));
}

function checkMatricesOfB(check: MatmulCheck<Reuse>): void {
  const { problem: { in1, tilesM, tilesK, tilesN }, config: { perCoreM } } = check;
  const [height, width] = shardOf(in1);
  const holdsWhole = in1.memoryLayout !== "width_sharded" && width === tilesN && height % tilesK === 0;
  if (!holdsWhole) fail(check, "b-matrices", "shards of operand 1 must be whole matrices");
  if (perCoreM % tilesM !== 0) {
    fail(check, "per-core-m", `per_core_M ${perCoreM} must be whole matrices of ${tilesM} rows of tiles`);
  }
}

/** Most cores that read one DRAM bank. */
const MOST_READERS = 3;

/** Checks of the DRAM-sharded program: B sharded over the DRAM banks, A and the result over cores. */
export function checkDramSharded(check: MatmulCheck<DramSharded>): void {
  const { problem, config, query: { chip } } = check;
  const { in0, in1, output, tilesM, tilesK } = problem;
  const { perCoreM, in0BlockW, numWorkersPerDramBank: readers = 1 } = config;
  const [height, width] = shardOf(in0);
  if (!isInShards(in0) || in0.memoryLayout !== "width_sharded" || !isInShards(output)) {
    fail(check, "dram-sharded-a", "operand 0 and the result must be width sharded");
  }
  if (in1.placement !== "dram_sharded" || in1.memoryLayout !== "width_sharded") {
    fail(check, "dram-sharded-b", "operand 1 must be width sharded over the DRAM banks");
  }
  if (tilesM !== 1 || perCoreM !== 1 || height !== 1) {
    fail(check, "dram-sharded-rows", `operand 0 must be one row of tiles, not ${tilesM}`);
  }
  if (width % in0BlockW !== 0 && in0BlockW % width !== 0) {
    const fault = `in0_block_w ${in0BlockW} and operand 0's shard width ${width} do not divide`;
    fail(check, "a-shard-width", fault);
  }
  if (tilesK % width !== 0) {
    const fault = `shards of ${width} tiles do not divide operand 0's ${tilesK} K tiles`;
    fail(check, "dram-sharded-even", fault);
  }
  const [, held = 0] = shardOf(in1);
  const shared = "num_workers_per_dram_bank";
  if (readers > MOST_READERS) fail(check, "bank-readers", `${shared} ${readers} is not 1 to ${MOST_READERS}`);
  if (readers > 1 && kernelsOf(chip.architecture) !== "blackhole") {
    fail(check, "bank-readers-chip", `${shared} above 1 runs only on Blackhole`);
  }
  if (held % readers !== 0) {
    const fault = `${shared} ${readers} does not divide operand 1's shard width of ${held} tiles`;
    fail(check, "bank-readers-even", fault);
  }
  failFor(check, resultUnlikeAFault(problem));
}
