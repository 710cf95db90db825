// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../../device/chip_description.ts";
import { tileBytes } from "../../layout/data_type.ts";
import { matrixCount, matrixExtents } from "../../layout/extents.ts";
import { gridCores } from "../../layout/make_layout.ts";
import { computeConfigInUse, type ComputeDefaults } from "../../op_config/default_compute_config.ts";
import type { MatmulProgramConfig } from "../../op_config/op_config.ts";
import { MATMUL } from "../../ops/attributes/matmul.ts";
import { readAttributes } from "../../ops/attributes/read_attributes.ts";
import { chooseSubblock, type MatmulBlock, type Subblock, subblockRegisterTiles } from "./matmul_blocking.ts";
import type { OpLaunch } from "../op_launch.ts";
import { type ProgramTensor, withShape } from "../program_tensor.ts";

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
  const tiles = outputBatches(problem) * problem.tilesM * problem.tilesN;
  return wholeBlocks("single_tile", [workerGrid.columns, workerGrid.rows], {
    perCoreM: Math.ceil(tiles / gridCores(workerGrid)),
    perCoreN: 1,
    in0BlockW: 1,
    outSubblockH: 1,
    outSubblockW: 1,
  });
}

/** Blocks of cores that compute their output at once. */
export function wholeBlocks(
  dataflow: MatmulDataflow,
  [gridX, gridY]: readonly [columns: number, rows: number],
  block: Pick<MatmulBlocks, "perCoreM" | "perCoreN" | "in0BlockW" | "outSubblockH" | "outSubblockW">,
): MatmulBlocks {
  const { perCoreM, perCoreN, in0BlockW, outSubblockH, outSubblockW } = block;
  return {
    dataflow,
    gridX,
    gridY,
    perCoreM,
    perCoreN,
    in0BlockW,
    outBlockH: perCoreM,
    outBlockW: perCoreN,
    outSubblockH,
    outSubblockW,
    batches: 1,
  };
}

function blocksOfConfig(problem: MatmulProblem, config: MatmulProgramConfig, banks: number): MatmulBlocks {
  if (config.kind === "matmul_multi_core_reuse_multi_cast_dram_sharded") {
    return dramShardedBlocks(problem, config, banks);
  }
  const whole = wholeBlocks("reuse", config.computeWithStorageGridSize, config);
  if (config.kind === "matmul_multi_core_reuse") return whole;
  const { outBlockH, outBlockW, fuseBatch } = config;
  return {
    ...whole,
    dataflow: config.kind === "matmul_multi_core_reuse_multi_cast"
      ? "mcast_2d"
      : config.mcastIn0 || config.gatherIn0
      ? "mcast_in0"
      : "mcast_in1",
    outBlockH,
    outBlockW,
    batches: fuseBatch ? 1 : outputBatches(problem),
  };
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
  const block = { perCoreM, perCoreN, in0BlockW, outSubblockH: 1, outSubblockW };
  return wholeBlocks("dram_sharded", [shares, 1], block);
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
export function dramShares({ in1, tilesN, compute }: MatmulProblem, banks: number, readers = 1): DramShares {
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
  problem: MatmulProblem,
  perCoreM: number,
  in0BlockW: number,
  { rows, columns }: ChipDescription["workerGrid"],
): MatmulProgramConfig {
  const subblock = chooseSubblock(perCoreM, problem.tilesN, subblockRegisterTiles(problem.compute));
  return reuseConfig(problem, [columns, rows], perCoreM, in0BlockW, subblock);
}

/** `MatmulMultiCoreReuseProgramConfig`: every core computes whole rows of the result. */
export function reuseConfig(
  { tilesN }: MatmulProblem,
  computeWithStorageGridSize: readonly [columns: number, rows: number],
  perCoreM: number,
  in0BlockW: number,
  { height: outSubblockH, width: outSubblockW }: Subblock,
): MatmulProgramConfig {
  return {
    kind: "matmul_multi_core_reuse",
    computeWithStorageGridSize,
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

/** A matmul in tiles, as TTNN's program factories see it. */
export interface MatmulProblem {
  /** The first operand, A. */
  readonly in0: ProgramTensor;
  /** The second operand, B. */
  readonly in1: ProgramTensor;
  /**
   * The result. While a program is being chosen: the requested memory, without shards if these are left open.
   */
  readonly output: ProgramTensor;
  /** Whether A is stored transposed (`transpose_a`). */
  readonly in0Transposed: boolean;
  /** Whether B is stored transposed (`transpose_b`), so that the tiles of an output column are contiguous. */
  readonly in1Transposed: boolean;
  /** Bias that the program adds to every row; `undefined` without one. */
  readonly bias: ProgramTensor | undefined;
  /** Product of A's leading extents. */
  readonly batchA: number;
  /** Product of B's leading extents; above 1 every batch of A has its own B. */
  readonly batchB: number;
  /** Tile rows per batch. */
  readonly tilesM: number;
  /** Tiles of the inner dimension. */
  readonly tilesK: number;
  /** Tile columns of the result. */
  readonly tilesN: number;
  /** Bytes of a tile of A. */
  readonly in0TileBytes: number;
  /** Bytes of a tile of B. */
  readonly in1TileBytes: number;
  /** Bytes of a tile of the result. */
  readonly outTileBytes: number;
  /** The compute config of the program, including the backend's default. */
  readonly compute: ComputeDefaults;
}

/** Matrices that a matmul computes: an operand without batch is used for all batches of the other. */
export function outputBatches({ batchA, batchB }: MatmulProblem): number {
  return Math.max(batchA, batchB);
}

/** Tile rows that a program counts: with `fuse_batch` those of all matrices of A. */
export function rowsOfTiles({ batchA, tilesM }: MatmulProblem, fusesBatch: boolean): number {
  return fusesBatch ? batchA * tilesM : tilesM;
}

/**
 * Reads operands, transpositions and batches of a `matmul` or `linear`; `undefined` if an operand is missing. A vector on
 * the right is a column, as is the product by it.
 */
export function matmulProblem(
  op: OpLaunch,
  { architecture }: Pick<ChipDescription, "architecture">,
): MatmulProblem | undefined {
  const [in0, right, bias] = op.inputs;
  const [made] = op.outputs;
  if (in0 === undefined || right === undefined || made === undefined) return undefined;
  const isByVector = right.shape.length === 1;
  const in1 = isByVector ? withShape(right, [...right.shape, 1]) : right;
  const output = isByVector ? withShape(made, [...in0.shape.length === 1 ? [1] : made.shape, 1]) : made;
  const compute = computeConfigInUse(op.config?.computeConfig, {
    op: "ttnn.matmul",
    operands: [in0.dataType, in1.dataType],
    result: output.dataType,
    isPlanned: op.config?.kind === "matmul" && op.config.programConfig !== undefined,
    architecture,
  });
  if (compute === undefined) return undefined;
  const { transpose_a: in0Transposed, transpose_b: in1Transposed } = readAttributes(op, MATMUL);
  const { rows, columns: depth } = matrixExtents(in0.shape, in0Transposed);
  return {
    in0,
    in1,
    output,
    in0Transposed,
    in1Transposed,
    bias,
    batchA: matrixCount(in0.shape),
    batchB: matrixCount(in1.shape),
    tilesM: tiles(rows),
    tilesK: tiles(depth),
    tilesN: tiles(matrixExtents(in1.shape, in1Transposed).columns),
    in0TileBytes: tileBytes(in0.dataType),
    in1TileBytes: tileBytes(in1.dataType),
    outTileBytes: tileBytes(output.dataType),
    compute,
  };
}

function tiles(extent: number): number {
  return Math.max(1, Math.ceil(extent / 32));
}
