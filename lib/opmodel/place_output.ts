// SPDX-License-Identifier: Apache-2.0
import { type DataType, isBlockFloat } from "../layout/data_type.ts";
import { makeLayout, physicalUnits } from "../layout/make_layout.ts";
import { DEFAULT_TILE, isSharded, type TtnnLayout } from "../layout/ttnn_layout.ts";
import type { OpSignature } from "../ops/op_signature.ts";
import { returnedFormat } from "../ops/returned_format.ts";
import { interleavedMemory } from "../programs/program_tensor.ts";
import { inShards, type PagedTensor, type ShapedLayout, shardMisfit } from "../programs/shard_spec.ts";
import type { InvalidConstraints } from "./op_model.ts";
import type { ConstraintQuery, RuleContext } from "./rule.ts";
import type { Tensor } from "./tensor.ts";
import { type OrRefusal, refuse, refuseLayout, takenApart } from "./verdict.ts";

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

/**
 * The layout of a result: the hint's memory, or the rule's default for NULL; page layout and format as the op
 * produces them (tt-metal:sharding).
 */
export function placeOutput(
  query: ConstraintQuery,
  context: RuleContext,
  placement: ResultPlacement,
): OrRefusal<Tensor> {
  const index = placement.result ?? 0;
  const type = query.op.results[index];
  const shape = placement.shape ?? type?.shape;
  if (shape === undefined || type === undefined) {
    const message = `${query.op.name} has no tensor result ${index}`;
    return refuse("unsupported_config", "result/missing", message, SHARDING);
  }
  const hint = placement.hint === undefined ? query.hint : placement.hint ?? undefined;
  const tile = placement.page === "row_major" ? undefined : DEFAULT_TILE;
  const returned = index > 0 ? undefined : returnedFormat(
    query.op.name,
    (operand) => query.operands[operand]?.layout,
    tile !== undefined,
  );
  const dataType = placement.dataType ?? returned ?? (hint === undefined ? type.dataType : hint.dataType);
  if (tile === undefined && isBlockFloat(dataType)) {
    const message = `${dataType} exists only in tiles`;
    return refuse("unsupported_layout", "format/row-major", message, "tt-metal:tensor-layout");
  }
  if ((hint ?? placement.whenNull).bufferType === "system_memory") {
    const message = `${query.op.name} cannot write to host memory${takenApart(query.op.name)}`;
    return refuse("unsupported_layout", "output/host", message, SHARDING);
  }
  const made: PagedTensor = { shape, dataType, tile };
  if (hint === undefined) {
    const memory = placement.nullShards === "kept"
      ? placement.whenNull
      : cutAnewUnlessFitting(placement.whenNull, made);
    return placeIn(query.op, context, made, memory);
  }
  if (isSharded(hint) && hint.ignorePhysicalLayout) {
    return placement.withoutSpec === undefined
      ? refuseLayout(query.op, "output/no-shard-spec", "a sharded output needs a shard spec")
      : placeIn(query.op, context, made, placement.withoutSpec(hint, made));
  }
  if (hint === query.hint && query.hintId !== undefined && sameForm(hint, made)) {
    const asAsked = { shape, layout: hint, layoutId: query.hintId };
    if (isSharded(hint)) return misfitRefusal(query.op, asAsked) ?? asAsked;
    if (fitsInterleaved(hint, shape, context)) return asAsked;
  }
  return placeIn(query.op, context, made, hint);
}

/** A result in the memory of a layout; a refusal if its shards cannot hold the tensor. */
export function placeIn(
  op: Pick<OpSignature, "name">,
  context: RuleContext,
  tensor: PagedTensor,
  memory: TtnnLayout,
): OrRefusal<Tensor> {
  if (!isSharded(memory)) {
    return intern(tensor.shape, interleavedLayout(tensor, memory.bufferType, context), context);
  }
  const layout = inShards(memory, tensor);
  return misfitRefusal(op, { shape: tensor.shape, layout }) ?? intern(tensor.shape, layout, context);
}

function misfitRefusal(
  op: Pick<OpSignature, "name">,
  { shape, layout }: ShapedLayout,
): InvalidConstraints | undefined {
  const misfit = shardMisfit(layout, shape, layout.tile);
  return misfit === undefined
    ? undefined
    : refuseLayout(op, "output/shard-does-not-fit", `output: ${misfit}`, SHARDING);
}

function cutAnewUnlessFitting(memory: TtnnLayout, tensor: PagedTensor): TtnnLayout {
  if (!isSharded(memory)) return memory;
  const kept = inShards(memory, tensor);
  return shardMisfit(kept, tensor.shape, tensor.tile) === undefined ? kept : respread(memory, tensor);
}

export function interleavedLayout(
  { shape, dataType, tile }: PagedTensor,
  bufferType: TtnnLayout["bufferType"],
  context: RuleContext,
): TtnnLayout {
  return makeLayout(
    { shape, dataType, tile: tile ?? null, bufferType, memoryLayout: "interleaved" },
    context.chip.workerGrid,
  );
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

export function intern(shape: readonly number[], layout: TtnnLayout, context: RuleContext): Tensor {
  return { shape, layout, layoutId: context.layouts.intern(layout) };
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
function fitsInterleaved(layout: TtnnLayout, shape: readonly number[], context: RuleContext): boolean {
  if (layout.bufferType !== "l1") return layout.shardShape.length === 2;
  const [rows, columns] = physicalUnits(shape, layout.tile);
  const { workerGrid } = context.chip;
  return layout.gridShape[0] === workerGrid.rows && layout.gridShape[1] === workerGrid.columns &&
    layout.shardShape[0] === 1 && layout.shardShape[1] === Math.ceil((rows * columns) / context.cores);
}

const SHARDING = "tt-metal:sharding";
