// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../../device/chip_description.ts";
import { gridCores } from "../../layout/make_layout.ts";
import type { MatmulProgramConfig } from "../../op_config/op_config.ts";
import { chooseSubblock, type MatmulBlock, type Subblock, subblockRegisterTiles } from "./matmul_blocking.ts";
import { type MatmulProblem, outputBatches } from "./matmul_problem.ts";

/**
 * How operands reach the cores: `mcast_2d` multicasts A along grid rows and B along grid columns, `mcast_in0`
 * A to all cores, `mcast_in1` B to all cores; with `reuse` every core reads both itself; `dram_sharded`
 * streams B from the core's own bank; with `single_tile` every core reads both tile by tile, without reuse.
 */
export type MatmulDataflow =
  | "mcast_2d"
  | "mcast_in0"
  | "mcast_in1"
  | "reuse"
  | "dram_sharded"
  | "single_tile";

/** Blocking of a matmul program, in tiles. */
export interface MatmulBlocks {
  /** How both operands reach the cores. */
  readonly dataflow: MatmulDataflow;
  /** Columns of the compute grid. */
  readonly gridX: number;
  /** Rows of the compute grid. */
  readonly gridY: number;
  /** Rows of output tiles of a core. */
  readonly perCoreM: number;
  /** Columns of output tiles of a core. */
  readonly perCoreN: number;
  /** Tiles of the inner dimension in one K block. */
  readonly in0BlockW: number;
  /** Height of an output block that a core computes at a time. */
  readonly outBlockH: number;
  /** Width of such a block. */
  readonly outBlockW: number;
  /** Rows of a subblock of the destination register. */
  readonly outSubblockH: number;
  /** Columns of such a subblock. */
  readonly outSubblockW: number;
  /** Repetitions of the whole program if batches are not fused into rows. */
  readonly batches: number;
}

/** Blocks of a matmul with a given program config; `undefined`: the program without data reuse. */
export function matmulBlocks(
  problem: MatmulProblem,
  config: MatmulProgramConfig | undefined,
  chip: Pick<ChipDescription, "dramBanks" | "workerGrid">,
): MatmulBlocks {
  return config === undefined
    ? singleTileBlocks(problem, chip)
    : blocksOfConfig(problem, config, chip.dramBanks);
}

/** `MatmulMultiCoreProgramConfig`: every core computes output tiles one by one, without reuse. */
function singleTileBlocks(
  problem: MatmulProblem,
  { workerGrid }: Pick<ChipDescription, "workerGrid">,
): MatmulBlocks {
  const perCoreM = Math.ceil(
    outputBatches(problem) * problem.tilesM * problem.tilesN / gridCores(workerGrid),
  );
  return {
    dataflow: "single_tile",
    gridX: workerGrid.columns,
    gridY: workerGrid.rows,
    perCoreM,
    perCoreN: 1,
    in0BlockW: 1,
    outBlockH: perCoreM,
    outBlockW: 1,
    outSubblockH: 1,
    outSubblockW: 1,
    batches: 1,
  };
}

function blocksOfConfig(
  problem: MatmulProblem,
  config: MatmulProgramConfig,
  banks: number,
): MatmulBlocks {
  const { perCoreM, perCoreN, in0BlockW } = config;
  if (config.kind === "matmul_multi_core_reuse_multi_cast_dram_sharded") {
    return dramShardedBlocks(problem, config, banks);
  }
  const [gridX, gridY] = config.computeWithStorageGridSize;
  const { outSubblockH, outSubblockW } = config;
  const base = { gridX, gridY, perCoreM, perCoreN, in0BlockW, outSubblockH, outSubblockW };
  switch (config.kind) {
    case "matmul_multi_core_reuse":
      return { ...base, dataflow: "reuse", outBlockH: perCoreM, outBlockW: perCoreN, batches: 1 };
    case "matmul_multi_core_reuse_multi_cast":
      return {
        ...base,
        dataflow: "mcast_2d",
        outBlockH: config.outBlockH,
        outBlockW: config.outBlockW,
        batches: config.fuseBatch ? 1 : outputBatches(problem),
      };
    case "matmul_multi_core_reuse_multi_cast_1d":
      return {
        ...base,
        dataflow: config.mcastIn0 || config.gatherIn0 ? "mcast_in0" : "mcast_in1",
        outBlockH: config.outBlockH,
        outBlockW: config.outBlockW,
        batches: config.fuseBatch ? 1 : outputBatches(problem),
      };
  }
}

type DramShardedConfig = Extract<
  MatmulProgramConfig,
  { kind: "matmul_multi_core_reuse_multi_cast_dram_sharded" }
>;

/**
 * Blocks of a DRAM-sharded matmul: each core that reads a bank computes its part of that bank's columns,
 * regardless of the configured columns.
 */
function dramShardedBlocks(
  problem: MatmulProblem,
  { perCoreM, in0BlockW, numWorkersPerDramBank }: DramShardedConfig,
  banks: number,
): MatmulBlocks {
  const { shares, width: perCoreN, outSubblockW } = dramShares(problem, banks, numWorkersPerDramBank);
  return {
    dataflow: "dram_sharded",
    gridX: shares,
    gridY: 1,
    perCoreM,
    perCoreN,
    in0BlockW,
    outBlockH: perCoreM,
    outBlockW: perCoreN,
    outSubblockH: 1,
    outSubblockW,
    batches: 1,
  };
}

/** Division of B's tile columns in a DRAM-sharded matmul. */
export interface DramShares {
  /** Number of parts of B; one core computes each from the data that it reads of a bank. */
  readonly shares: number;
  /** Tile columns that a core reads: equal parts, regardless of the shard width. */
  readonly held: number;
  /**
   * Tile columns that a core computes: the read columns, padded to the fewest subblocks that the destination
   * register allows, with the least width for that number.
   */
  readonly width: number;
  /** Columns of a subblock. */
  readonly outSubblockW: number;
}

/**
 * The columns of a DRAM-sharded matmul (`ttnn:backend-0-81-1`).
 *
 * @param banks used if B is not sharded
 * @param readers cores that divide the columns of each bank
 */
export function dramShares(
  { in1, tilesN, compute }: MatmulProblem,
  banks: number,
  readers = 1,
): DramShares {
  const [, shardWidth] = in1.shardShape;
  const shares = readers * (shardWidth === undefined ? banks : Math.ceil(tilesN / shardWidth));
  const held = Math.ceil(tilesN / shares);
  const subblocks = Math.ceil(held / subblockRegisterTiles(compute));
  const outSubblockW = Math.ceil(held / subblocks);
  return { shares, held, width: outSubblockW * subblocks, outSubblockW };
}

/** Tile rows that blocks divide: those of one matrix after another, or of all matrices at once. */
export function blockedRows(problem: MatmulProblem, { batches }: MatmulBlocks): number {
  return batches > 1 ? problem.tilesM : problem.tilesM * outputBatches(problem);
}

/** Cores that hold a part of the output. */
export function matmulCores(problem: MatmulProblem, blocks: MatmulBlocks): number {
  const down = Math.ceil(blockedRows(problem, blocks) / blocks.perCoreM);
  const across = Math.ceil(problem.tilesN / blocks.perCoreN);
  return Math.max(1, Math.min(blocks.gridX * blocks.gridY, down * across));
}

/** The config of a program with whole tile rows of a matrix per core, in the largest subblocks. */
export function matrixPerCore(
  { tilesN, compute }: MatmulProblem,
  perCoreM: number,
  in0BlockW: number,
  { rows, columns }: ChipDescription["workerGrid"],
): MatmulProgramConfig {
  const { height: outSubblockH, width: outSubblockW } = chooseSubblock(
    perCoreM,
    tilesN,
    subblockRegisterTiles(compute),
  );
  return {
    kind: "matmul_multi_core_reuse",
    computeWithStorageGridSize: [columns, rows],
    in0BlockW,
    outSubblockH,
    outSubblockW,
    perCoreM,
    perCoreN: tilesN,
  };
}

/** Division of a multicast matmul's result over cores, blocks and subblocks; in tiles. */
export interface MulticastBlocking {
  /** Columns and rows of cores. */
  readonly grid: readonly [number, number];
  /** Rows of the result per core. */
  readonly perCoreM: number;
  /** Columns of the result per core. */
  readonly perCoreN: number;
  /** The block computed at a time. */
  readonly block: MatmulBlock;
  readonly subblock: Subblock;
}

/** The fields that both multicast configs share. */
function blocked({ grid, perCoreM, perCoreN, block, subblock }: MulticastBlocking) {
  return {
    computeWithStorageGridSize: grid,
    in0BlockW: block.in0BlockW,
    outSubblockH: subblock.height,
    outSubblockW: subblock.width,
    outBlockH: block.height,
    outBlockW: block.width,
    perCoreM,
    perCoreN,
  };
}

/** `MatmulMultiCoreReuseMultiCast1DProgramConfig`: with `mcastIn0` all cores receive A, otherwise B. */
export function multicastAlongOneAxis(
  blocking: MulticastBlocking,
  { mcastIn0, fuseBatch }: { readonly mcastIn0: boolean; readonly fuseBatch: boolean },
): MatmulProgramConfig {
  return {
    kind: "matmul_multi_core_reuse_multi_cast_1d",
    ...blocked(blocking),
    fuseBatch,
    mcastIn0,
    gatherIn0: false,
    hopCores: [],
    numGlobalCbReceivers: 0,
    untilizeOut: false,
  };
}

/**
 * `MatmulMultiCoreReuseMultiCastProgramConfig`: cores of a row share parts of A, cores of a column parts of
 * B.
 */
export function multicastAlongBothAxes(
  blocking: MulticastBlocking,
  { fuseBatch }: { readonly fuseBatch: boolean },
): MatmulProgramConfig {
  return {
    kind: "matmul_multi_core_reuse_multi_cast",
    ...blocked(blocking),
    transposeMcast: false,
    fuseBatch,
  };
}
