// SPDX-License-Identifier: Apache-2.0
import { isSharded, type TensorMemoryLayout, type TtnnLayout } from "../../layout/ttnn_layout.ts";
import type { ComputeKernelConfig, MatmulProgramConfig } from "../op_config.ts";
import type { InvalidConstraints } from "../op_model.ts";
import { units } from "../place_output.ts";
import type { RuleContext } from "../rule.ts";
import type { Tensor } from "../tensor.ts";
import { refuse } from "../verdict.ts";
import { splitWorkToCores } from "../split_work.ts";
import {
  chooseSubblock,
  greatestCommonDivisor,
  largestDivisor,
  type MatmulTileBytes,
  perCoreFactor,
  shrinkBlock,
} from "./matmul_blocking.ts";
import type { MatmulShapes } from "./matmul_shapes.ts";

/** Program that a matmul runs, and the shards that it would write. */
export interface ProgramChoice {
  /** `undefined` is the program without data reuse. */
  readonly config: MatmulProgramConfig | undefined;
  readonly cores: number;
  /** Shard grid and shard (in tiles) of a sharded output; `undefined` when the program writes interleaved only. */
  readonly outputShard: {
    readonly memoryLayouts: readonly TensorMemoryLayout[];
    readonly grid: readonly [number, number];
    readonly shard: readonly [number, number];
  } | undefined;
}

/** What the automatic choice looks at. */
export interface AutoConfigRequest {
  readonly a: Tensor;
  readonly b: Tensor;
  readonly bias: Tensor | undefined;
  readonly hint: TtnnLayout | undefined;
  readonly shapes: MatmulShapes;
  readonly tile: MatmulTileBytes;
  readonly compute: ComputeKernelConfig | undefined;
}

/** Shapes whose longer side is more than this many times the shorter one get a 1D program (tt-metal). */
const NARROW_RATIO = 8;

/**
 * The program config that tt-metal derives when none is given (`get_matmul_program_config`; specs 03 §B2 auto
 * config). Reads an empty L1: what else is live does not count here.
 */
export function autoMatmulConfig(
  request: AutoConfigRequest,
  context: RuleContext,
): ProgramChoice | InvalidConstraints {
  const { a, shapes } = request;
  if (isSharded(request.b.layout)) return dramShardedConfig(request);
  if (isSharded(a.layout) && a.layout.bufferType === "l1") return autoConfigForShardedA(request, context);
  if (shapes.batchB > 1) return withoutReuse(shapes, context);
  const limit = l1Limit(request, context);
  const outputShardedOrUnknown = request.hint !== undefined && isSharded(request.hint);
  const allDram = [request.a.layout, request.b.layout, ...(request.hint === undefined ? [] : [request.hint])]
    .every((layout) => layout.bufferType === "dram" && !isSharded(layout));
  const mFused = shapes.batchA * shapes.mt;
  const narrow = narrowness(shapes, allDram);
  if (narrow !== undefined && !outputShardedOrUnknown) {
    return oneDimensional(request, context, narrow === "wide", limit);
  }

  let in0BlockW = 2;
  const factor = perCoreFactor(in0BlockW, estimateTile(request), limit);
  const blocksY = Math.ceil(mFused / factor);
  const blocksX = Math.ceil(shapes.nt / factor);
  if ((outputShardedOrUnknown || blocksX * blocksY > 1) && shapes.kt % 2 !== 0) in0BlockW = 1;
  const { rows, columns } = context.chip.workerGrid;
  const fitsGrid = blocksY <= rows && blocksX <= columns;
  if (!allDram && !(blocksX * blocksY <= context.cores && shapes.kt % in0BlockW === 0)) {
    return withoutReuse(shapes, context);
  }
  if (blocksY === 1 && blocksX > 1) return oneDimensional(request, context, true, limit);
  if (blocksX === 1 && blocksY > 1) return oneDimensional(request, context, false, limit);
  if (blocksX === 1 && blocksY === 1) {
    return shapes.nt >= mFused
      ? oneDimensional(request, context, true, limit)
      : oneDimensional(request, context, false, limit);
  }
  if (allDram) {
    const k = shapes.kt % columns === 0 ? shapes.kt / columns : 1;
    return twoDimensional(
      request,
      Math.ceil(mFused / rows),
      Math.ceil(shapes.nt / columns),
      k,
      context,
      limit,
    );
  }
  if (!fitsGrid) return withoutReuse(shapes, context);
  return twoDimensional(request, factor, factor, in0BlockW, context, limit);
}

/**
 * L1 that the estimate may fill. A bias in L1 takes part in the estimate and leaves only what lies below L1_SMALL;
 * that reproduces the recorded linear rows, the backend's reason is not known (docs/op-model.md).
 */
function l1Limit(request: AutoConfigRequest, context: RuleContext): number {
  const { chip } = context;
  const free = chip.l1Size - chip.l1UnreservedBase;
  return request.bias?.layout.bufferType === "l1" ? free - chip.l1SmallSize : free;
}

function estimateTile(request: AutoConfigRequest): MatmulTileBytes {
  const { tile, bias } = request;
  if (bias === undefined || bias.layout.bufferType !== "l1") return { ...tile, bias: 0 };
  return { ...tile, bias: tile.bias > 0 ? tile.bias : tile.in0 };
}

function narrowness(shapes: MatmulShapes, allDram: boolean): "wide" | "tall" | undefined {
  const height = shapes.batchA * shapes.m;
  const width = shapes.n;
  const ratio = Math.max(height, width) / Math.max(1, Math.min(height, width));
  const narrow = ratio > NARROW_RATIO || (allDram && (height <= 32 || width <= 32));
  if (!narrow) return undefined;
  return width >= height ? "wide" : "tall";
}

function withoutReuse(shapes: MatmulShapes, context: RuleContext): ProgramChoice {
  const tiles = Math.max(shapes.batchA, shapes.batchB) * shapes.mt * shapes.nt;
  return { config: undefined, cores: splitWorkToCores(context.cores, tiles).cores, outputShard: undefined };
}

function oneDimensional(
  request: AutoConfigRequest,
  context: RuleContext,
  mcastIn0: boolean,
  limit: number,
): ProgramChoice {
  const { shapes } = request;
  const m = shapes.batchA * shapes.mt;
  const perCoreM = mcastIn0 ? m : Math.ceil(m / context.cores);
  const perCoreN = mcastIn0 ? Math.ceil(shapes.nt / context.cores) : shapes.nt;
  const block = shrinkBlock(perCoreM, perCoreN, shapes.kt % 2 === 0 ? 2 : 1, request.tile, limit);
  return oneDimensionalChoice(request, context, mcastIn0, perCoreM, perCoreN, block);
}

function oneDimensionalChoice(
  request: AutoConfigRequest,
  context: RuleContext,
  mcastIn0: boolean,
  perCoreM: number,
  perCoreN: number,
  block: { readonly height: number; readonly width: number; readonly in0BlockW: number },
): ProgramChoice {
  const { shapes } = request;
  const m = shapes.batchA * shapes.mt;
  const cores = mcastIn0 ? Math.ceil(shapes.nt / perCoreN) : Math.ceil(m / perCoreM);
  const [outSubblockH, outSubblockW] = subblock(request, block);
  const { rows, columns } = context.chip.workerGrid;
  return {
    config: {
      kind: "matmul_multi_core_reuse_multi_cast_1d",
      computeWithStorageGridSize: [columns, rows],
      in0BlockW: block.in0BlockW,
      outSubblockH,
      outSubblockW,
      outBlockH: block.height,
      outBlockW: block.width,
      perCoreM,
      perCoreN,
      fuseBatch: true,
      mcastIn0,
      gatherIn0: false,
      hopCores: [],
      numGlobalCbReceivers: 0,
      untilizeOut: false,
    },
    cores,
    outputShard: mcastIn0
      ? { memoryLayouts: ["width_sharded"], grid: [1, cores], shard: [perCoreM, perCoreN] }
      : { memoryLayouts: ["height_sharded"], grid: [cores, 1], shard: [perCoreM, perCoreN] },
  };
}

function twoDimensional(
  request: AutoConfigRequest,
  perCoreM: number,
  perCoreN: number,
  in0BlockW: number,
  context: RuleContext,
  limit: number,
): ProgramChoice {
  const { shapes } = request;
  const block = shrinkBlock(perCoreM, perCoreN, in0BlockW, request.tile, limit);
  const [outSubblockH, outSubblockW] = subblock(request, block);
  const gridRows = Math.ceil(shapes.batchA * shapes.mt / perCoreM);
  const gridColumns = Math.ceil(shapes.nt / perCoreN);
  const { rows, columns } = context.chip.workerGrid;
  return {
    config: {
      kind: "matmul_multi_core_reuse_multi_cast",
      computeWithStorageGridSize: [columns, rows],
      in0BlockW: block.in0BlockW,
      outSubblockH,
      outSubblockW,
      outBlockH: block.height,
      outBlockW: block.width,
      perCoreM,
      perCoreN,
      transposeMcast: false,
      fuseBatch: true,
    },
    cores: gridRows * gridColumns,
    outputShard: {
      memoryLayouts: ["block_sharded"],
      grid: [gridRows, gridColumns],
      shard: [perCoreM, perCoreN],
    },
  };
}

/** Config for a sharded A: its grid and shard fix the blocking (specs 03 §B2). */
function autoConfigForShardedA(
  request: AutoConfigRequest,
  context: RuleContext,
): ProgramChoice | InvalidConstraints {
  const { a, shapes } = request;
  const [gridRows = 1, gridColumns = 1] = a.layout.gridShape;
  const [shardRows, shardColumns] = a.layout.shardShape;
  if (shardRows === undefined || shardColumns === undefined || units(a.shape, a.layout.tile).length !== 2) {
    return refuse(
      "unsupported_layout",
      "matmul/shard",
      "matmul: operand 0 has no two-dimensional shard",
      SOURCE,
    );
  }
  const limit = l1Limit(request, context);
  const cores = gridRows * gridColumns;
  switch (a.layout.memoryLayout) {
    case "height_sharded": {
      if (shapes.batchB > 1) return reuseForShardedA(request, context, shardRows, shardColumns);
      const block = shrinkBlock(shardRows, shapes.nt, shapes.kt, request.tile, limit);
      return oneDimensionalChoice(request, context, false, shardRows, shapes.nt, {
        ...block,
        in0BlockW: shapes.kt,
      });
    }
    case "width_sharded": {
      const perCoreN = Math.ceil(shapes.nt / cores);
      const k = greatestCommonDivisor(shardColumns, shapes.kt);
      const m = shapes.batchA * shapes.mt;
      const block = shrinkBlock(m, perCoreN, k, request.tile, limit);
      return oneDimensionalChoice(request, context, true, m, perCoreN, block);
    }
    default: {
      const m = shapes.batchA * shapes.mt;
      if (gridRows === 1 || gridColumns === 1) {
        return refuse(
          "unsupported_layout",
          "matmul/block-sharded-a-grid",
          "matmul: a block-sharded operand 0 needs a grid of more than one row and column",
          SOURCE,
        );
      }
      const k = shapes.kt % gridColumns === 0 ? greatestCommonDivisor(shardColumns, shapes.kt) : 1;
      return twoDimensional(
        request,
        Math.ceil(m / gridRows),
        Math.ceil(shapes.nt / gridColumns),
        k,
        context,
        limit,
      );
    }
  }
}

/**
 * Config for a B that is width sharded over the DRAM banks: A and the result are width sharded over the same cores, a
 * K block is what of A's shard fits eight tiles (tt-metal DRAM-sharded matmul; specs 03 §B2).
 */
function dramShardedConfig(request: AutoConfigRequest): ProgramChoice | InvalidConstraints {
  const { a, shapes } = request;
  const [, cores = 1] = a.layout.gridShape;
  const [, shardColumns = 1] = a.layout.shardShape;
  if (a.layout.memoryLayout !== "width_sharded" || a.layout.bufferType !== "l1" || shapes.batchB > 1) {
    return refuse(
      "unsupported_layout",
      "matmul/dram-sharded-b",
      "matmul: a B that is sharded over DRAM banks needs an A that is width sharded in L1, and no batch",
      SOURCE,
    );
  }
  const perCoreM = shapes.batchA * shapes.mt;
  const perCoreN = Math.ceil(shapes.nt / cores);
  return {
    config: {
      kind: "matmul_multi_core_reuse_multi_cast_dram_sharded",
      in0BlockW: largestDivisor(greatestCommonDivisor(shardColumns, shapes.kt), 8),
      perCoreM,
      perCoreN,
    },
    cores,
    outputShard: { memoryLayouts: ["width_sharded"], grid: [1, cores], shard: [perCoreM, perCoreN] },
  };
}

function reuseForShardedA(
  request: AutoConfigRequest,
  context: RuleContext,
  shardRows: number,
  shardColumns: number,
): ProgramChoice {
  const { shapes } = request;
  const { rows, columns } = context.chip.workerGrid;
  const [outSubblockH, outSubblockW] = subblock(request, {
    height: shardRows,
    width: shapes.nt,
    in0BlockW: 1,
  });
  const cores = Math.ceil(shapes.batchA * shapes.mt / shardRows);
  return {
    config: {
      kind: "matmul_multi_core_reuse",
      computeWithStorageGridSize: [columns, rows],
      in0BlockW: shardColumns,
      outSubblockH,
      outSubblockW,
      perCoreM: shardRows,
      perCoreN: shapes.nt,
    },
    cores,
    outputShard: { memoryLayouts: ["height_sharded"], grid: [cores, 1], shard: [shardRows, shapes.nt] },
  };
}

/** Tiles of the destination register that a subblock may fill (tt-metal `get_subblock_sizes`). */
export function subblockRegisterTiles(compute: ComputeKernelConfig | undefined): number {
  const half = compute?.fp32DestAccEn === true ? 4 : 8;
  return compute?.dstFullSyncEn === true ? half * 2 : half;
}

function subblock(
  request: AutoConfigRequest,
  block: { readonly height: number; readonly width: number; readonly in0BlockW: number },
): readonly [number, number] {
  const sharded = request.hint !== undefined && isSharded(request.hint);
  return chooseSubblock(block.height, block.width, sharded, subblockRegisterTiles(request.compute));
}

const SOURCE = "specs 03 §B2 auto config";
