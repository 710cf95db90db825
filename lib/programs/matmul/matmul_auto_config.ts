// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../../device/chip_description.ts";
import { boxExtent, coreCount } from "../../layout/core_range.ts";
import { greatestCommonDivisor } from "../../layout/extents.ts";
import type { MatmulProgramConfig } from "../../op_config/op_config.ts";
import { lineOf, sameCores } from "../core_sets.ts";
import {
  blockEstimate,
  chooseSubblock,
  fitBlock,
  largestDivisor,
  type MatmulBlock,
  perCoreFactor,
  type Subblock,
  subblockRegisterTiles,
} from "./matmul_blocking.ts";
import {
  type MatmulProblem,
  multicastAlongBothAxes,
  multicastAlongOneAxis,
  reuseConfig,
  rowsOfTiles,
} from "./matmul_blocks.ts";
import { inDram, isInShards, isInterleaved, type ProgramTensor } from "../program_tensor.ts";

/** Why the backend would refuse a matmul. */
export interface MatmulFault {
  /** The violated condition, stable: the part of the rule name after `matmul/`. */
  readonly what: string;
  /** The reason, as a continuation of the op's name. */
  readonly reason: string;
}

/** The backend's choice for a matmul without program config. */
export interface AutoMatmul {
  /** `undefined` is the program without data reuse (`MatmulMultiCoreProgramConfig`). */
  readonly config: MatmulProgramConfig | undefined;
  /** Why the choice itself fails. A chosen config may still violate the checks of explicit configs. */
  readonly fault?: MatmulFault;
}

/**
 * The backend whose blocking is chosen: today's, or that of 2025, when a single row or column of blocks made a product 1D
 * for any operand memory, and output blocks were split before K (tt-metal:matmul-auto-config).
 */
export type MatmulRevision = "0.81.1" | "2025";

/** Aspect ratio above which a matmul counts as narrow. */
const NARROW_RATIO = 8;

/** The state of a choice: the matmul, the worker grid, and the fitting of blocks. */
class ConfigSearch {
  readonly problem: MatmulProblem;
  readonly rows: number;
  readonly columns: number;
  readonly isEarlier: boolean;
  readonly #room: number;
  readonly #estimate: ReturnType<typeof blockEstimate>;

  constructor(
    problem: MatmulProblem,
    room: number,
    { workerGrid }: Pick<ChipDescription, "workerGrid">,
    revision: MatmulRevision,
  ) {
    this.problem = problem;
    this.isEarlier = revision === "2025";
    this.rows = workerGrid.rows;
    this.columns = workerGrid.columns;
    this.#room = room;
    this.#estimate = blockEstimate(problem);
  }

  get cores(): number {
    return this.rows * this.columns;
  }

  /** The worker grid. */
  get grid(): readonly [columns: number, rows: number] {
    return [this.columns, this.rows];
  }

  /** Side in tiles of the largest square block of a core. */
  factor(in0BlockW: number): number {
    return perCoreFactor(in0BlockW, this.#estimate, this.#room);
  }

  fit(whole: MatmulBlock, shrinksK = false): MatmulBlock {
    const order = shrinksK ? this.isEarlier ? "result_first" : "k_first" : "result_only";
    return fitBlock(whole, this.#estimate, this.#room, order);
  }

  /** A block of a 1D program, whose sharded result is written block row by block row. */
  fitLine(whole: MatmulBlock): MatmulBlock {
    const block = this.fit(whole);
    const cutsRows = isInShards(this.problem.output) && block.width !== whole.width;
    return cutsRows ? { ...block, height: 1 } : block;
  }

  subblock(
    { height, width }: Pick<MatmulBlock, "height" | "width">,
    constraint?: Parameters<typeof chooseSubblock>[3],
  ): Subblock {
    return chooseSubblock(height, width, subblockRegisterTiles(this.problem.compute), constraint);
  }
}

/**
 * The program config that the backend chooses for a matmul without one; used for legality, buffers and time
 * (`ttnn:backend-0-81-1`; order of subblocks tt-metal:matmul-auto-config).
 *
 * @param problem its bias is one that the program adds itself; its output is the requested memory
 * @param room free bytes of L1 per core before the op allocates anything
 * @param revision the backend revision that chooses
 */
export function autoMatmulConfig(
  problem: MatmulProblem,
  room: number,
  chip: Pick<ChipDescription, "workerGrid">,
  revision: MatmulRevision = "0.81.1",
): AutoMatmul {
  const choice = new ConfigSearch(problem, room, chip, revision);
  if (!isInShards(problem.in0)) return forInterleavedA(choice);
  return problem.batchB > 1 ? forBatches(choice) : forShardedA(choice);
}

function forInterleavedA(choice: ConfigSearch): AutoMatmul {
  const { problem, rows, columns } = choice;
  const { in0, in1, output, tilesM, tilesK, tilesN, batchA, batchB } = problem;
  const tensors = [in0, in1, output];
  const allInterleaved = tensors.every(isInterleaved);
  const allDram = tensors.every(inDram);
  const inDramPages = allInterleaved && allDram;
  const isNarrow = allInterleaved && isNarrowShape(tilesM, tilesN, allDram);
  const isWide = isNarrow && tilesN > tilesM;
  const factor = choice.factor(2);
  const blocksY = Math.ceil(tilesM / factor);
  const blocksX = Math.ceil(tilesN / factor);
  const severalBlocks = blocksX > 1 || blocksY > 1;
  const in0BlockW = (isInShards(output) || severalBlocks) && tilesK % 2 !== 0 ? 1 : 2;
  const fits = blocksX * blocksY <= choice.cores && tilesK % in0BlockW === 0;
  if (!inDramPages && !fits) return { config: undefined };

  const line = output.memoryLayout === "block_sharded" ? lineOf(output.coreRanges) : undefined;
  if (line !== undefined && batchB > 1) {
    const reason = "a result in blocks on one line of cores is not written for batches of both operands";
    return { config: undefined, fault: { what: "block-line-of-batches", reason } };
  }
  const hasGrid = severalBlocks && blocksX <= columns && blocksY <= rows;
  const gridless = (kind: ProgramTensor["memoryLayout"], along: "row" | "column") =>
    !hasGrid && isInShards(output) && (output.memoryLayout === kind || line === along);
  // One A for all matrices of B stays in L1; B is multicast.
  const keepsA = allInterleaved && batchA === 1 && batchB > 1;
  const usesGrid = hasGrid && (!inDramPages || choice.isEarlier);
  if (!keepsA && ((usesGrid && blocksY === 1) || isWide || gridless("width_sharded", "row"))) {
    return { config: oneDimensional(choice, true, line === "row") };
  }
  const isTall = isNarrow && !isWide;
  if (keepsA || (usesGrid && blocksX === 1) || isTall || gridless("height_sharded", "column")) {
    return { config: oneDimensional(choice, false, line === "column") };
  }
  if (inDramPages) return { config: overTheGrid(choice) };
  if (!hasGrid && output.memoryLayout !== "block_sharded") return { config: undefined };
  const [perCoreM, perCoreN] = [Math.min(factor, tilesM), Math.min(factor, tilesN)];
  const block = { height: perCoreM, width: perCoreN, in0BlockW };
  const subblock = { height: 1, width: largestDivisor(perCoreN, subblockRegisterTiles(problem.compute)) };
  const cut = { grid: choice.grid, perCoreM, perCoreN, block, subblock };
  const fuseBatch = output.memoryLayout === "block_sharded" && batchB === 1;
  return { config: multicastAlongBothAxes(cut, { fuseBatch }) };
}

/**
 * Whether a 1D program is chosen: narrow shapes, and shapes of one tile row or column with all tensors in
 * DRAM.
 */
function isNarrowShape(tilesM: number, tilesN: number, allDram: boolean): boolean {
  if (Math.floor(Math.max(tilesM, tilesN) / Math.min(tilesM, tilesN)) > NARROW_RATIO) return true;
  return allDram && (tilesM === 1 || tilesN === 1);
}

/**
 * The choice with all tensors DRAM interleaved: the result is distributed over the whole grid; K blocks
 * shrink before output blocks do, in 2025 after them.
 */
function overTheGrid(choice: ConfigSearch): MatmulProgramConfig {
  const { problem: { tilesM, tilesK, tilesN }, rows, columns } = choice;
  const perCoreM = Math.ceil(tilesM / rows);
  const perCoreN = Math.ceil(tilesN / columns);
  const in0BlockW = tilesK % columns === 0 ? tilesK / columns : 1;
  const block = choice.fit({ height: perCoreM, width: perCoreN, in0BlockW }, true);
  const cut = { grid: choice.grid, perCoreM, perCoreN, block, subblock: choice.subblock(block) };
  return multicastAlongBothAxes(cut, { fuseBatch: false });
}

/**
 * A 1D program over the whole worker grid, batch by batch.
 *
 * @param followsShards whether the result's block shards, on one line of cores, fix per-core shares and cores
 */
function oneDimensional(
  choice: ConfigSearch,
  mcastIn0: boolean,
  followsShards: boolean,
): MatmulProgramConfig {
  const { problem, cores } = choice;
  const { output, tilesK, tilesN, batchB } = problem;
  const fuseBatch = followsShards && batchB === 1;
  const tilesM = rowsOfTiles(problem, fuseBatch);
  const [shardRows = 1, shardColumns = 1] = output.shardShape;
  const perCoreM = followsShards ? shardRows : mcastIn0 ? tilesM : Math.ceil(tilesM / cores);
  const perCoreN = followsShards ? shardColumns : mcastIn0 ? Math.ceil(tilesN / cores) : tilesN;
  const grid = gridOf(choice, followsShards ? output.coreRanges : []);
  const block = choice.fitLine({ height: perCoreM, width: perCoreN, in0BlockW: tilesK % 2 === 0 ? 2 : 1 });
  const cut = { grid, perCoreM, perCoreN, block, subblock: choice.subblock(block) };
  return multicastAlongOneAxis(cut, { mcastIn0, fuseBatch });
}

/** Columns and rows of the box around cores; without cores of the worker grid. */
function gridOf(
  { grid }: ConfigSearch,
  ranges: ProgramTensor["coreRanges"],
): readonly [columns: number, rows: number] {
  const [high, wide] = boxExtent(ranges);
  return high === 0 ? grid : [wide, high];
}

/** The choice for a sharded A and a single matrix B: A's cores and shards fix cores and blocks. */
function forShardedA(choice: ConfigSearch): AutoMatmul {
  const { problem } = choice;
  const { in0, in1, output, tilesK, tilesN } = problem;
  const fault = isInterleaved(in1) ? undefined : {
    what: "auto-sharded-b",
    reason: "without a program config a sharded operand 0 needs an interleaved operand 1",
  };
  const grid = gridOf(choice, in0.coreRanges);
  const [columns, rows] = grid;
  if (in0.memoryLayout === "block_sharded" && (columns === 1 || rows === 1)) {
    return { config: forBlocksOnALine(choice), ...found(fault) };
  }
  const [shardRows = 1, shardColumns = 1] = in0.shardShape;
  const tilesM = rowsOfTiles(problem, true);
  const cutInto = (perCoreM: number, perCoreN: number, block: MatmulBlock) => {
    const subblock = choice.subblock(block, isInShards(output) ? "whole_rows" : "any");
    return { grid, perCoreM, perCoreN, block, subblock };
  };
  if (in0.memoryLayout === "block_sharded") {
    const [height, width] = [Math.ceil(tilesM / rows), Math.ceil(tilesN / columns)];
    const isEven = columns === Math.floor(tilesK / shardColumns);
    const in0BlockW = isEven ? greatestCommonDivisor(shardColumns, tilesK) : 1;
    const cut = cutInto(height, width, choice.fit({ height, width, in0BlockW }));
    return {
      config: multicastAlongBothAxes(cut, { fuseBatch: true }),
      ...found(fault ?? resultUnlikeAFault(problem) ?? gridFault(problem, tilesM, grid)),
    };
  }
  const mcastIn0 = in0.memoryLayout === "width_sharded";
  const height = mcastIn0 ? tilesM : shardRows;
  const width = mcastIn0 ? Math.ceil(tilesN / Math.max(1, coreCount(in0.coreRanges))) : tilesN;
  const in0BlockW = mcastIn0 ? greatestCommonDivisor(shardColumns, tilesK) : tilesK;
  const cut = cutInto(height, width, choice.fitLine({ height, width, in0BlockW }));
  return {
    config: multicastAlongOneAxis(cut, { mcastIn0, fuseBatch: true }),
    ...found(fault ?? resultUnlikeAFault(problem)),
  };
}

/**
 * Block shards of A on one row or column of cores: a 2D program over the device grid with A's shards as
 * blocks.
 */
function forBlocksOnALine(choice: ConfigSearch): MatmulProgramConfig {
  const { problem, grid } = choice;
  const { in0: { shardShape: [perCoreM = 1, shardColumns = 1] }, tilesK, tilesN } = problem;
  const perCoreN = Math.max(1, Math.floor(tilesN * shardColumns / tilesK));
  const in0BlockW = greatestCommonDivisor(shardColumns, tilesK);
  const block = choice.fit({ height: perCoreM, width: perCoreN, in0BlockW });
  const { height, width } = choice.subblock(block, "wide_first");
  const subblock = { height: width === perCoreN ? height : 1, width };
  return multicastAlongBothAxes({ grid, perCoreM, perCoreN, block, subblock }, { fuseBatch: true });
}

/** The choice for a sharded A and one B per matrix of A: every core multiplies its own matrices. */
function forBatches(choice: ConfigSearch): AutoMatmul {
  const { problem } = choice;
  const { in0, output, tilesN } = problem;
  const [perCoreM = 1, in0BlockW = 1] = in0.shardShape;
  const constraint = isInShards(output) ? "whole_rows" : "any";
  const subblock = choice.subblock({ height: perCoreM, width: tilesN }, constraint);
  const config = reuseConfig(problem, gridOf(choice, in0.coreRanges), perCoreM, in0BlockW, subblock);
  return { config, ...found(batchFault(problem)) };
}

function batchFault(problem: MatmulProblem): MatmulFault | undefined {
  const { in0, in1 } = problem;
  if (in0.memoryLayout === "width_sharded") {
    return { what: "width-sharded-batches", reason: "a batched operand 0 must not be width sharded" };
  }
  if (isInShards(in1) && !areShardedEqually(in0, in1)) {
    return { what: "operands-alike", reason: "sharded operands 0 and 1 need the same memory and cores" };
  }
  return resultUnlikeAFault(problem);
}

function found(fault: MatmulFault | undefined): { readonly fault?: MatmulFault } {
  return fault === undefined ? {} : { fault };
}

/** A sharded result must have A's buffer type and memory layout: the fault of one that has not. */
export function resultUnlikeAFault({ in0, output }: MatmulProblem): MatmulFault | undefined {
  if (!isInShards(output)) return undefined;
  if (output.placement === in0.placement && output.memoryLayout === in0.memoryLayout) return undefined;
  return {
    what: "output-like-a",
    reason: `a sharded result must lie like operand 0 (${in0.placement} ${in0.memoryLayout}), not ` +
      `${output.placement} ${output.memoryLayout}`,
  };
}

/** Whether two sharded operands have equal buffer type, memory layout and cores. */
export function areShardedEqually(a: ProgramTensor, b: ProgramTensor): boolean {
  return a.placement === b.placement && a.memoryLayout === b.memoryLayout &&
    sameCores(a.coreRanges, b.coreRanges);
}

/** A's block shards must fill the bounding box of its cores. */
function gridFault(
  { in0: { shardShape: [shardRows = 1, shardColumns = 1] }, tilesK }: MatmulProblem,
  tilesM: number,
  [columns, rows]: readonly [number, number],
): MatmulFault | undefined {
  const fits = (lines: number, tiles: number, shard: number) =>
    lines === Math.floor(tiles / shard) || lines === Math.ceil(tiles / shard);
  if (fits(rows, tilesM, shardRows) && fits(columns, tilesK, shardColumns)) return undefined;
  return {
    what: "blocks-fill-grid",
    reason: `the blocks of operand 0 do not fill its ${columns}x${rows} cores`,
  };
}
