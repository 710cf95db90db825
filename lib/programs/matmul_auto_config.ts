// SPDX-License-Identifier: Apache-2.0
import { greatestCommonDivisor } from "../layout/common_divisor.ts";
import type { ChipDescription } from "../device/chip_description.ts";
import type { CoreRange } from "../layout/core_range.ts";
import { tileBytes } from "../layout/data_type.ts";
import type { BufferType, TensorMemoryLayout } from "../layout/ttnn_layout.ts";
import {
  type BlockTileBytes,
  chooseSubblock,
  fitBlock,
  largestDivisor,
  type MatmulBlock,
  perCoreFactor,
  subblockRegisterTiles,
} from "./matmul_blocking.ts";
import { multicastAlongBothAxes, multicastAlongOneAxis } from "./multicast_config.ts";
import type { ComputeKernelConfig, MatmulProgramConfig } from "../op_config/op_config.ts";

/** Placement of an operand or of the result of a matmul, as far as the choice of a program depends on it. */
export interface MatmulMemory {
  readonly bufferType: BufferType;
  readonly memoryLayout: TensorMemoryLayout | undefined;
  /** Shard in tiles, `[rows, columns]`; not read unless sharded. */
  readonly shardShape: readonly number[];
  /** Cores of the shards; empty unless sharded. */
  readonly coreRanges: readonly CoreRange[];
  /** Cores that hold a shard; not read unless sharded. */
  readonly shardCores: number;
}

/** Extents of a matmul in tiles. */
export interface MatmulExtents {
  /** Rows of one matrix of A. */
  readonly mt: number;
  readonly kt: number;
  readonly nt: number;
  /** Product of A's leading extents. */
  readonly batchA: number;
  /** Product of B's leading extents. */
  readonly batchB: number;
}

/** Everything that the automatic choice looks at. */
export interface AutoConfigRequest {
  readonly extents: MatmulExtents;
  readonly a: MatmulMemory;
  readonly b: MatmulMemory;
  readonly output: MatmulMemory;
  /** `undefined` without a bias. */
  readonly bias: MatmulMemory | undefined;
  /** Bytes of a tile of A, of B and of the result. */
  readonly tileBytes: { readonly a: number; readonly b: number; readonly output: number };
  readonly compute: ComputeKernelConfig | undefined;
}

/** The facts about a chip that the choice depends on. */
export type AutoConfigChip = Pick<
  ChipDescription,
  "workerGrid" | "l1Size" | "l1UnreservedBase" | "l1SmallSize"
>;

/** Ratio of height to width, or back, beyond which a matmul is narrow (tt-metal `is_narrow_shape`). */
const NARROW_RATIO = 8;

/**
 * The program config that tt-metal derives for a matmul that comes without one; `undefined` is the program without data
 * reuse (`MatmulMultiCoreProgramConfig`). Legality, circular buffers and time all use this function.
 *
 * Sources: tt-metal `matmul_program_config.cpp` (`create_simple_matmul_program_config`, `get_mcast_1d_config`,
 * `get_matmul_program_config`, `get_multi_dim_per_core_factor`) as of late 2025, tt-metal:matmul-auto-config. The
 * backend also reads what else is live in L1; here only the shards of A count, so that equal questions get equal
 * answers.
 */
export function autoMatmulConfig(
  request: AutoConfigRequest,
  chip: AutoConfigChip,
): MatmulProgramConfig | undefined {
  if (!isL1Sharded(request.a)) return forInterleavedA(request, chip);
  return isDramSharded(request.b) ? dramSharded(request) : forShardedA(request, chip);
}

function forInterleavedA(request: AutoConfigRequest, chip: AutoConfigChip): MatmulProgramConfig | undefined {
  const { extents, a, b, output } = request;
  const { mt, kt, nt } = extents;
  const { rows, columns } = chip.workerGrid;
  const allInterleaved = [a, b, output].every((memory) => memory.memoryLayout === "interleaved");
  const allDram = [a, b, output].every((memory) => memory.bufferType === "dram");
  const allDramInterleaved = allDram && allInterleaved;
  const outputSharded = output.memoryLayout !== "interleaved";
  const isNarrow = allInterleaved && isNarrowShape(mt, nt, allDram);
  const isWide = isNarrow && nt > mt;
  const isTall = isNarrow && !isWide;
  const factor = perCoreFactor(2, blockTileBytes(request), l1Limit(request, chip));
  const blocksY = Math.ceil(mt / factor);
  const blocksX = Math.ceil(nt / factor);
  const severalBlocks = blocksX > 1 || blocksY > 1;
  const in0BlockW = (outputSharded || severalBlocks) && kt % 2 !== 0 ? 1 : 2;
  const fits = blocksX * blocksY <= rows * columns && kt % in0BlockW === 0;
  if (!allDramInterleaved && !fits) return undefined;

  const hasRange = severalBlocks && blocksX <= columns && blocksY <= rows;
  const rangeless = (memoryLayout: TensorMemoryLayout): boolean =>
    !hasRange && output.memoryLayout === memoryLayout;
  // A single A for all batches of B stays in L1 only if B is multicast.
  const broadcastsA = allInterleaved && extents.batchA === 1 && extents.batchB > 1;
  const oneRow = hasRange && blocksY === 1;
  const oneColumn = hasRange && blocksX === 1;
  if (!broadcastsA && (oneRow || isWide || rangeless("width_sharded"))) {
    return oneDimensional(request, chip, true);
  }
  if (broadcastsA || oneColumn || isTall || rangeless("height_sharded")) {
    return oneDimensional(request, chip, false);
  }
  if (allDramInterleaved) {
    const perCoreM = Math.ceil(mt / rows);
    const perCoreN = Math.ceil(nt / columns);
    const wholeK = kt % columns === 0 ? kt / columns : 1;
    const block = fitOf(request, chip, { height: perCoreM, width: perCoreN, in0BlockW: wholeK }, true);
    const subblock = subblockOf(request, block);
    return multicastAlongBothAxes({ grid: [columns, rows], perCoreM, perCoreN, block, subblock }, {
      fuseBatch: false,
    });
  }
  if (!hasRange && !rangeless("block_sharded")) return undefined;
  const block = { height: factor, width: factor, in0BlockW };
  const subblock = factor > 2 ? [1, 2] as const : subblockOf(request, block);
  const [perCoreM, perCoreN] = [factor, factor];
  return multicastAlongBothAxes({ grid: [columns, rows], perCoreM, perCoreN, block, subblock }, {
    fuseBatch: false,
  });
}

/** Narrow shapes get a 1D program; so do shapes of one tile row or column with all tensors in DRAM. */
function isNarrowShape(mt: number, nt: number, allDram: boolean): boolean {
  if (Math.floor(Math.max(mt, nt) / Math.min(mt, nt)) > NARROW_RATIO) return true;
  return allDram && (mt === 1 || nt === 1);
}

/** A 1D program over the whole worker grid, batches one after another (tt-metal `get_mcast_1d_config`). */
function oneDimensional(
  request: AutoConfigRequest,
  chip: AutoConfigChip,
  mcastIn0: boolean,
): MatmulProgramConfig {
  const { mt, kt, nt } = request.extents;
  const { rows, columns } = chip.workerGrid;
  const perCoreM = mcastIn0 ? mt : Math.ceil(mt / (rows * columns));
  const perCoreN = mcastIn0 ? Math.ceil(nt / (rows * columns)) : nt;
  const whole = { height: perCoreM, width: perCoreN, in0BlockW: kt % 2 === 0 ? 2 : 1 };
  const block = fitOf(request, chip, whole, false);
  const subblock = subblockOf(request, block);
  return multicastAlongOneAxis(
    { grid: [columns, rows], perCoreM, perCoreN, block, subblock },
    { mcastIn0, fuseBatch: false },
  );
}

/** A is sharded in L1: its grid and its shards fix the blocking (tt-metal `get_matmul_program_config`). */
function forShardedA(request: AutoConfigRequest, chip: AutoConfigChip): MatmulProgramConfig {
  const { extents, a, output } = request;
  const { mt, kt, nt } = extents;
  const m = extents.batchA * mt;
  const [shardRows = 1, shardColumns = 1] = a.shardShape;
  const grid = boundingGrid(a, chip);
  const constraint = output.memoryLayout === "interleaved" ? "any" : "whole_rows";
  if (extents.batchB > 1) {
    const [outSubblockH, outSubblockW] = subblockOf(
      request,
      { height: Math.min(shardRows, mt), width: nt, in0BlockW: shardColumns },
      constraint,
    );
    return {
      kind: "matmul_multi_core_reuse",
      computeWithStorageGridSize: grid,
      in0BlockW: shardColumns,
      outSubblockH,
      outSubblockW,
      perCoreM: shardRows,
      perCoreN: nt,
    };
  }
  const [gridX, gridY] = grid;
  const isBlock = a.memoryLayout === "block_sharded";
  if (isBlock && gridX > 1 && gridY > 1) {
    const perCoreM = Math.ceil(m / gridY);
    const perCoreN = Math.ceil(nt / gridX);
    const divides = Math.floor(kt / shardColumns) === gridX;
    const k = divides ? greatestCommonDivisor(shardColumns, kt) : 1;
    const block = fitOf(request, chip, { height: perCoreM, width: perCoreN, in0BlockW: k }, false);
    const subblock = subblockOf(request, block, constraint);
    return multicastAlongBothAxes({ grid, perCoreM, perCoreN, block, subblock }, { fuseBatch: true });
  }
  // A block layout on one row or column of cores is effectively width or height sharded.
  const mcastIn0 = a.memoryLayout === "width_sharded" || (isBlock && gridY === 1);
  const perCoreM = mcastIn0 ? m : shardRows;
  const perCoreN = mcastIn0 ? Math.ceil(nt / a.shardCores) : nt;
  const k = mcastIn0 ? greatestCommonDivisor(shardColumns, kt) : kt;
  const block = fitOf(request, chip, { height: perCoreM, width: perCoreN, in0BlockW: k }, false);
  const subblock = subblockOf(request, block, constraint);
  return multicastAlongOneAxis({ grid, perCoreM, perCoreN, block, subblock }, { mcastIn0, fuseBatch: true });
}

/**
 * B is width sharded over the DRAM banks: A and the result are width sharded over the same cores, a K block is what of
 * A's shard fits eight tiles (tt-metal:matmul-auto-config).
 */
function dramSharded({ extents, a }: AutoConfigRequest): MatmulProgramConfig {
  const shardColumns = a.shardShape[1] ?? 1;
  return {
    kind: "matmul_multi_core_reuse_multi_cast_dram_sharded",
    in0BlockW: largestDivisor(greatestCommonDivisor(shardColumns, extents.kt), 8),
    perCoreM: extents.batchA * extents.mt,
    perCoreN: Math.ceil(extents.nt / Math.max(1, a.shardCores)),
  };
}

function fitOf(
  request: AutoConfigRequest,
  chip: AutoConfigChip,
  whole: MatmulBlock,
  shrinksK: boolean,
): MatmulBlock {
  return fitBlock(whole, blockTileBytes(request), l1Limit(request, chip), shrinksK);
}

function subblockOf(
  { compute }: AutoConfigRequest,
  block: MatmulBlock,
  constraint: "any" | "whole_rows" = "any",
): readonly [number, number] {
  return chooseSubblock(block.height, block.width, subblockRegisterTiles(compute), constraint);
}

/**
 * Tiles of the estimate: the result counts with A's format, partial sums as f32 when they accumulate so, else at least
 * bf16 (tt-metal `get_estimated_size_of_cbs`, `estimate_interm_tile_size`).
 */
function blockTileBytes({ tileBytes: bytes, compute, bias }: AutoConfigRequest): BlockTileBytes {
  const partials = compute?.fp32DestAccEn === true
    ? tileBytes("f32")
    : Math.max(tileBytes("bf16"), bytes.output);
  return {
    in0: bytes.a,
    in1: bytes.b,
    out: bytes.a,
    partials,
    bias: bias !== undefined && bias.bufferType === "l1" ? bytes.a : 0,
  };
}

/**
 * L1 that the estimate may fill: what is free beside A's shards. A bias in L1 takes part in the estimate and leaves only
 * what lies below L1_SMALL; that reproduces the recorded linear rows, the backend's reason is not known
 * (docs/op-model.md).
 */
function l1Limit({ a, bias, tileBytes: bytes }: AutoConfigRequest, chip: AutoConfigChip): number {
  const free = chip.l1Size - chip.l1UnreservedBase;
  const shard = isL1Sharded(a) ? a.shardShape.reduce((area, extent) => area * extent, bytes.a) : 0;
  return free - shard - (bias?.bufferType === "l1" ? chip.l1SmallSize : 0);
}

/** Columns and rows of the bounding rectangle of A's cores; those of the worker grid if the placement is unknown. */
function boundingGrid({ coreRanges }: MatmulMemory, chip: AutoConfigChip): readonly [number, number] {
  if (coreRanges.length === 0) return [chip.workerGrid.columns, chip.workerGrid.rows];
  const columns = coreRanges.map((range) => [range.start.x, range.end.x]).flat();
  const rows = coreRanges.map((range) => [range.start.y, range.end.y]).flat();
  return [Math.max(...columns) - Math.min(...columns) + 1, Math.max(...rows) - Math.min(...rows) + 1];
}

function isL1Sharded(memory: MatmulMemory): boolean {
  return memory.bufferType === "l1" && memory.memoryLayout !== "interleaved";
}

function isDramSharded(memory: MatmulMemory): boolean {
  return memory.bufferType === "dram" && memory.memoryLayout !== "interleaved";
}
