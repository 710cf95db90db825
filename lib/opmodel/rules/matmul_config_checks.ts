// SPDX-License-Identifier: Apache-2.0
import { isSharded, type TensorMemoryLayout, type TtnnLayout } from "../../layout/ttnn_layout.ts";
import type { MatmulExtents } from "../../programs/matmul_auto_config.ts";
import { subblockRegisterTiles } from "../../programs/matmul_blocking.ts";
import type { ComputeKernelConfig, MatmulProgramConfig } from "../../op_config/op_config.ts";
import type { InvalidConstraints } from "../op_model.ts";
import type { RuleContext } from "../rule.ts";
import type { Tensor } from "../tensor.ts";
import { refuseConfig } from "../verdict.ts";

/** A program config and what it must agree with. */
export interface MatmulConfigCheck {
  readonly name: string;
  readonly config: MatmulProgramConfig;
  readonly a: Tensor;
  readonly b: Tensor;
  readonly hint: TtnnLayout | undefined;
  readonly extents: MatmulExtents;
  readonly compute: ComputeKernelConfig | undefined;
}

/** Why tt-metal would reject a matmul program config; `undefined` when it accepts it (tt-metal:matmul). */
export function checkMatmulConfig(
  check: MatmulConfigCheck,
  context: RuleContext,
): InvalidConstraints | undefined {
  const message = commonFault(check, context) ?? variantFault(check, context);
  if (message === undefined) return undefined;
  return refuseConfig(check, `matmul/${check.config.kind}`, `${message}`, SOURCE);
}

function commonFault(check: MatmulConfigCheck, context: RuleContext): string | undefined {
  const { config, extents } = check;
  const { in0BlockW, perCoreM, perCoreN } = config;
  if (in0BlockW <= 0 || perCoreM <= 0 || perCoreN <= 0) {
    return "in0_block_w, per_core_M and per_core_N must be positive";
  }
  if (extents.kt % in0BlockW !== 0) return `in0_block_w ${in0BlockW} does not divide ${extents.kt} K tiles`;
  if (config.kind === "matmul_multi_core_reuse_multi_cast_dram_sharded") return undefined;
  const { outSubblockH, outSubblockW, computeWithStorageGridSize: [gridX, gridY] } = config;
  if (outSubblockH <= 0 || outSubblockW <= 0) return "subblocks must be positive";
  const registerTiles = subblockRegisterTiles(check.compute);
  if (outSubblockH * outSubblockW > registerTiles) {
    return `subblock ${outSubblockH}x${outSubblockW} exceeds the ${registerTiles} tiles of the destination register`;
  }
  const { rows, columns } = context.chip.workerGrid;
  if (gridX <= 0 || gridY <= 0 || gridX > columns || gridY > rows) {
    return `compute grid ${gridX}x${gridY} (x, y) is not within the ${columns}x${rows} worker grid`;
  }
  if (config.kind === "matmul_multi_core_reuse") {
    if (perCoreM % outSubblockH !== 0 || perCoreN % outSubblockW !== 0) {
      return `subblock ${outSubblockH}x${outSubblockW} does not divide ${perCoreM}x${perCoreN}`;
    }
    return undefined;
  }
  const { outBlockH, outBlockW } = config;
  if (outBlockH <= 0 || outBlockW <= 0) return "out_block_h and out_block_w must be positive";
  if (outBlockH % outSubblockH !== 0 || outBlockW % outSubblockW !== 0) {
    return `subblock ${outSubblockH}x${outSubblockW} does not divide block ${outBlockH}x${outBlockW}`;
  }
  if (perCoreM % outBlockH !== 0 || perCoreN % outBlockW !== 0) {
    return `block ${outBlockH}x${outBlockW} does not divide ${perCoreM}x${perCoreN}`;
  }
  return undefined;
}

/** How A is sharded, its shard in tiles, and the rows of tiles that the config works on. */
interface VariantCheck<Kind extends MatmulProgramConfig["kind"]> {
  readonly config: Extract<MatmulProgramConfig, { readonly kind: Kind }>;
  readonly extents: MatmulExtents;
  readonly aSharding: TensorMemoryLayout | undefined;
  readonly aShardRows: number;
  readonly aShardColumns: number;
  /** Rows of tiles, those of all batches where they are fused. */
  readonly mFused: number;
}

function variantFault(check: MatmulConfigCheck, context: RuleContext): string | undefined {
  const { config, extents, a } = check;
  const [aShardRows = 1, aShardColumns = 1] = a.layout.shardShape;
  const variant = {
    extents,
    aSharding: isSharded(a.layout) ? a.layout.memoryLayout : undefined,
    aShardRows,
    aShardColumns,
    mFused: "fuseBatch" in config && config.fuseBatch ? extents.batchA * extents.mt : extents.mt,
  };
  switch (config.kind) {
    case "matmul_multi_core_reuse":
      return reuseFault({ ...variant, config });
    case "matmul_multi_core_reuse_multi_cast":
      return multiCastFault({ ...variant, config });
    case "matmul_multi_core_reuse_multi_cast_1d":
      if (extents.batchB > 1 && config.fuseBatch) return FUSED_B;
      return config.mcastIn0
        ? multiCastIn0Fault({ ...variant, config })
        : multiCastIn1Fault({ ...variant, config });
    case "matmul_multi_core_reuse_multi_cast_dram_sharded":
      return dramShardedFault(check, { ...variant, config }, context);
  }
}

const FUSED_B = "a batched B cannot be fused into rows";

function reuseFault(
  { config, extents, aSharding, aShardRows, aShardColumns }: VariantCheck<"matmul_multi_core_reuse">,
): string | undefined {
  if (extents.batchA > 1 && extents.batchB === 1) return "B must not broadcast over the batch";
  if ((extents.batchA * extents.mt) % config.perCoreM !== 0) {
    return `per_core_M ${config.perCoreM} does not divide ${extents.batchA * extents.mt} rows of tiles`;
  }
  if (extents.nt % config.perCoreN !== 0) {
    return `per_core_N ${config.perCoreN} does not divide ${extents.nt}`;
  }
  if (aSharding === "width_sharded") return "A must not be width sharded";
  if (aSharding !== undefined) {
    if (config.in0BlockW !== aShardColumns) return `in0_block_w must be A's shard width ${aShardColumns}`;
    if (config.perCoreM !== aShardRows) return `per_core_M must be A's shard height ${aShardRows}`;
    if (config.perCoreN !== extents.nt) {
      return `per_core_N must be all ${extents.nt} tiles when A is sharded`;
    }
  }
  return undefined;
}

function multiCastFault(
  { config, extents, aSharding, aShardRows, aShardColumns, mFused }: VariantCheck<
    "matmul_multi_core_reuse_multi_cast"
  >,
): string | undefined {
  const [gridX, gridY] = config.computeWithStorageGridSize;
  const [blocksM, blocksN] = [
    Math.ceil(mFused / config.perCoreM),
    Math.ceil(extents.nt / config.perCoreN),
  ];
  const [needX, needY] = config.transposeMcast ? [blocksM, blocksN] : [blocksN, blocksM];
  if (needX > gridX || needY > gridY) return `${needX}x${needY} blocks exceed the ${gridX}x${gridY} grid`;
  if (extents.batchB > 1 && config.fuseBatch) return FUSED_B;
  if (aSharding !== undefined && aSharding !== "block_sharded") return `A must not be ${aSharding}`;
  if (aSharding === "block_sharded" && config.perCoreM !== aShardRows) {
    return `per_core_M ${config.perCoreM} differs from A's shard height ${aShardRows}`;
  }
  if (aSharding === "block_sharded" && aShardColumns % config.in0BlockW !== 0) {
    return `in0_block_w ${config.in0BlockW} does not divide A's shard width ${aShardColumns}`;
  }
  return undefined;
}

function multiCastIn0Fault(
  { config, extents, aSharding, aShardColumns, mFused }: VariantCheck<
    "matmul_multi_core_reuse_multi_cast_1d"
  >,
): string | undefined {
  const [gridX, gridY] = config.computeWithStorageGridSize;

  if (aSharding === "height_sharded" || aSharding === "block_sharded") {
    return `A must not be ${aSharding}`;
  }
  if (config.perCoreM !== mFused) return `per_core_M must be all ${mFused} rows of tiles`;
  if (Math.ceil(extents.nt / config.perCoreN) > gridX * gridY) return "more blocks than cores";
  if (aSharding === "width_sharded" && aShardColumns % config.in0BlockW !== 0) {
    return `in0_block_w ${config.in0BlockW} does not divide A's shard width ${aShardColumns}`;
  }
  return undefined;
}

function multiCastIn1Fault(
  { config, extents, aSharding, aShardRows, mFused }: VariantCheck<"matmul_multi_core_reuse_multi_cast_1d">,
): string | undefined {
  const [gridX, gridY] = config.computeWithStorageGridSize;
  if (aSharding === "width_sharded" || aSharding === "block_sharded") return `A must not be ${aSharding}`;
  if (config.perCoreN !== extents.nt) return `per_core_N must be all ${extents.nt} tiles`;
  if (Math.ceil(mFused / config.perCoreM) > gridX * gridY) return "more blocks than cores";
  if (aSharding === "height_sharded") {
    if (config.in0BlockW !== extents.kt) return `in0_block_w must be all ${extents.kt} tiles of K`;
    if (config.perCoreM !== aShardRows) return `per_core_M must be A's shard height ${aShardRows}`;
  }
  return undefined;
}

function dramShardedFault(
  { a, b, hint }: MatmulConfigCheck,
  { config, extents, aSharding, mFused }: VariantCheck<"matmul_multi_core_reuse_multi_cast_dram_sharded">,
  context: RuleContext,
): string | undefined {
  if (aSharding !== "width_sharded" || a.layout.bufferType !== "l1") {
    return "A must be width sharded in L1";
  }
  if (b.layout.bufferType !== "dram" || b.layout.memoryLayout !== "width_sharded") {
    return "B must be width sharded in DRAM";
  }
  if ((b.layout.gridShape[1] ?? 1) > context.chip.dramBanks) return "B has more shards than DRAM banks";
  if (extents.batchB > 1) return "DRAM-sharded matmul needs a B without batch";
  if (config.perCoreM !== mFused && config.perCoreM !== extents.mt) {
    return `per_core_M must be all ${extents.mt} rows of tiles`;
  }
  if (hint !== undefined && hint.memoryLayout !== "width_sharded") {
    return "the output must be width sharded in L1";
  }
  return undefined;
}

const SOURCE = "tt-metal:matmul program config";
