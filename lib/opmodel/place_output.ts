// SPDX-License-Identifier: Apache-2.0
import { type DataType, isBlockFloat } from "../layout/data_type.ts";
import { makeInterleaved, physicalUnits } from "../layout/make_layout.ts";
import { DEFAULT_TILE, isSharded, type TtnnLayout } from "../layout/ttnn_layout.ts";
import type { TensorShape } from "../ops/op_signature.ts";
import { returnedFormat } from "../ops/returned_format.ts";
import { interleavedMemory } from "../programs/program_tensor.ts";
import { inShards, type PagedTensor, type ShapedLayout, shardMisfit } from "../programs/shard_spec.ts";
import type { ConstraintQuery } from "./rule.ts";
import type { Tensor } from "./tensor.ts";
import { refuseConfig, refuseLayout, takenApart } from "./verdict.ts";

/** How a rule places one result. */
export interface ResultPlacement {
  /** Index of the result, default 0. */
  readonly result?: number;
  /** Memory config for a NULL hint. */
  readonly whenNull: TtnnLayout;
  /**
   * Treatment of shards under a NULL hint: kept, or by default divided anew over the same cores if they do
   * not fit.
   */
  readonly nullShards?: "kept" | "cut_anew";
  /** Memory for a sharded hint without shard spec; by default it is refused, as most ops do (`ttnn:backend-0-81-1`). */
  readonly withoutSpec?: (hint: TtnnLayout, tensor: PagedTensor) => TtnnLayout;
  /** Page layout that the op produces; default tiles. */
  readonly page?: "tile" | "row_major";
  /** Element format that the op produces; default: its definition's, else the hint's, else the result type's. */
  readonly dataType?: DataType;
  /** Hint to use instead of the query's own; `null` for NULL. */
  readonly hint?: TtnnLayout | null;
  /** Shape to place instead of the result type's. */
  readonly shape?: readonly number[];
}

/** A result's type. Refuses an op whose result is no tensor. */
export function resultAt(query: ConstraintQuery, index = 0): TensorShape {
  return query.op.results[index] ??
    refuseConfig(query, "result/missing", `has no tensor result ${index}`, SHARDING);
}

/**
 * The layout of a result: the hint's memory, or the rule's default for NULL; page layout and format as the op
 * produces them (tt-metal:sharding). Refuses memory that cannot hold it.
 */
export function placeOutput(query: ConstraintQuery, placement: ResultPlacement): Tensor {
  const index = placement.result ?? 0;
  const type = resultAt(query, index);
  const shape = placement.shape ?? type.shape;
  const hint = placement.hint === undefined ? query.hint : placement.hint ?? undefined;
  const tile = placement.page === "row_major" ? undefined : DEFAULT_TILE;
  const returned = index > 0 ? undefined : returnedFormat(
    query.op.name,
    (operand) => query.operands[operand]?.layout,
    tile !== undefined,
  );
  const dataType = placement.dataType ?? returned ?? (hint === undefined ? type.dataType : hint.dataType);
  if (tile === undefined && isBlockFloat(dataType)) {
    refuseLayout(query, "format/row-major", `${dataType} exists only in tiles`, "tt-metal:tensor-layout");
  }
  if ((hint ?? placement.whenNull).bufferType === "system_memory") {
    refuseLayout(query, "output/host", `cannot write to host memory${takenApart(query.op.name)}`, SHARDING);
  }
  const made: PagedTensor = { shape, dataType, tile };
  if (hint === undefined) {
    const memory = placement.nullShards === "kept"
      ? placement.whenNull
      : cutAnewUnlessFitting(placement.whenNull, made);
    return placeIn(query, made, memory);
  }
  if (isSharded(hint) && hint.ignorePhysicalLayout) {
    return placement.withoutSpec === undefined
      ? refuseOpenShards(query)
      : placeIn(query, made, placement.withoutSpec(hint, made));
  }
  if (hint === query.hint && query.hintId !== undefined && sameForm(hint, made)) {
    const asAsked = { shape, layout: hint, layoutId: query.hintId };
    if (isSharded(hint)) {
      checkShards(query, asAsked);
      return asAsked;
    }
    if (fitsInterleaved(hint, shape, query)) return asAsked;
  }
  return placeIn(query, made, hint);
}

/** All results in one memory: the hint's for result 0, the given one without a hint and for the others. */
export function placeOutputs(query: ConstraintQuery, whenNull: TtnnLayout): readonly Tensor[] {
  return query.op.results.map((_, result) =>
    placeOutput(query, { result, whenNull, ...result === 0 ? {} : { hint: null } })
  );
}

/** Refuses a sharded result whose shards are left to an op that chooses none. */
export function refuseOpenShards(query: ConstraintQuery, rule = "output/no-shard-spec"): never {
  refuseLayout(query, rule, "a sharded output needs a shard spec");
}

/** A result in the memory of a layout. Refuses shards that cannot hold it. */
export function placeIn(query: ConstraintQuery, tensor: PagedTensor, memory: TtnnLayout): Tensor {
  const { shape } = tensor;
  if (!isSharded(memory)) {
    return intern(query, shape, makeInterleaved(memory.bufferType, tensor, query.chip.workerGrid));
  }
  const layout = inShards(memory, tensor);
  checkShards(query, { shape, layout });
  return intern(query, shape, layout);
}

function checkShards(query: ConstraintQuery, { shape, layout }: ShapedLayout): void {
  const misfit = shardMisfit(layout, shape, layout.tile);
  if (misfit !== undefined) refuseLayout(query, "output/shard-does-not-fit", `output: ${misfit}`, SHARDING);
}

function cutAnewUnlessFitting(memory: TtnnLayout, tensor: PagedTensor): TtnnLayout {
  if (!isSharded(memory)) return memory;
  const kept = inShards(memory, tensor);
  return shardMisfit(kept, tensor.shape, tensor.tile) === undefined ? kept : respread(memory, tensor);
}

/** A DRAM interleaved layout as a template for memory. */
export const DRAM_INTERLEAVED: TtnnLayout = interleavedMemory("dram", "bf16", DEFAULT_TILE);

/**
 * The memory of a layout for another tensor: same grid and cores, new shard shape. Interleaved tensors are counted in
 * pages over all cores of the grid, sharded ones are cut along its axes.
 */
export function respread(memory: TtnnLayout, { shape, dataType, tile }: PagedTensor): TtnnLayout {
  const [rows, columns] = physicalUnits(shape, tile);
  const [gridRows = 1, gridColumns = 1] = memory.gridShape;
  return {
    ...memory,
    dataType,
    tile,
    shardShape: memory.bufferType === "l1" && !isSharded(memory)
      ? [1, Math.ceil((rows * columns) / (gridRows * gridColumns))]
      : [Math.ceil(rows / gridRows), Math.ceil(columns / gridColumns)],
    ignorePhysicalLayout: false,
  };
}

export function intern(
  { layouts }: ConstraintQuery,
  shape: readonly number[],
  layout: TtnnLayout,
): Tensor {
  return { shape, layout, layoutId: layouts.intern(layout) };
}

function sameForm(layout: TtnnLayout, { dataType, tile }: PagedTensor): boolean {
  if (layout.dataType !== dataType) return false;
  if (tile === undefined || layout.tile === undefined) return tile === layout.tile;
  return layout.tile.height === tile.height && layout.tile.width === tile.width;
}

/**
 * Whether an interleaved hint equals the resulting layout. All DRAM interleaved layouts denote the same
 * memory; an L1 layout must have the canonical per-core view.
 */
function fitsInterleaved(
  layout: TtnnLayout,
  shape: readonly number[],
  { chip: { workerGrid }, cores }: ConstraintQuery,
): boolean {
  if (layout.bufferType !== "l1") return layout.shardShape.length === 2;
  const [rows, columns] = physicalUnits(shape, layout.tile);
  return layout.gridShape[0] === workerGrid.rows && layout.gridShape[1] === workerGrid.columns &&
    layout.shardShape[0] === 1 && layout.shardShape[1] === Math.ceil((rows * columns) / cores);
}

const SHARDING = "tt-metal:sharding";
