// SPDX-License-Identifier: Apache-2.0
import { sameCoreRanges } from "../../layout/core_range.ts";
import { isBlockFloat } from "../../layout/data_type.ts";
import { volume } from "../../layout/extents.ts";
import { isSharded, pagesOf, type TtnnLayout } from "../../layout/ttnn_layout.ts";
import {
  concatAxis,
  concatPlan,
  inRows,
  joinsRagged,
  joinsRaggedColumns,
  joinsShards,
  permutesRows,
} from "../../programs/data_movement/concat.ts";
import { inDram, isInShards, layoutOf, type ProgramTensor } from "../../programs/program_tensor.ts";
import { shardMisfit } from "../../programs/shard_spec.ts";
import { DRAM_INTERLEAVED, placeOutput } from "../place_output.ts";
import { type ConsideredHint, type ConstraintQuery, defineRule, type RulesOf } from "../rule.ts";
import { refuseLayout, refuseOperand, type Verdict } from "../verdict.ts";
import { asProgramTensor, type Tensor } from "../tensor.ts";
import { checkPaddedBytes, operandAt } from "./program.ts";

function evaluateConcat(query: ConstraintQuery): Verdict {
  const inputs = query.operands.filter((operand) => operand !== undefined);
  const first = operandAt(query, 0);
  const axis = concatAxis(query.op, first.shape.length);
  if (axis < 0 || axis >= first.shape.length) {
    refuse(query, "dimension", `dimension ${axis} of ${first.shape.length}`);
  }
  for (const [index, { shape, layout }] of inputs.entries()) {
    if (layout.dataType !== first.layout.dataType) {
      refuseOperand(query, index, "concat/format", "has another format");
    }
    const fits = shape.length === first.shape.length &&
      shape.every((extent, at) => at === axis || extent === first.shape[at]);
    if (!fits) refuseOperand(query, index, "concat/shape", `does not fit ${first.shape.join("x")}`);
  }
  const tensors = inputs.map(asProgramTensor);
  const isRagged = joinsRagged(tensors, axis);
  const mixesPages = tensors.some(({ tiled }) => tiled !== tensors[0]?.tiled);
  if (mixesPages && (tensors.some(isInShards) || isRagged)) {
    refuse(
      query,
      "page",
      "tiled and row-major operands are joined only interleaved, along a dimension of whole tiles",
    );
  }
  // Block floats that are untilized on the way come back as bf16.
  const becomesRows = isRagged && isBlockFloat(first.layout.dataType);
  const output = placeOutput(query, {
    whenNull: DRAM_INTERLEAVED,
    page: pagesOf(first.layout),
    ...becomesRows ? { dataType: "bf16" as const } : {},
  });
  if (isRagged) checkPaddedBytes(query, output);
  checkShards(query, inputs, output, axis);
  checkPlan(query, tensors, asProgramTensor(output), axis);
  return { outputs: [output] };
}

function refuse(query: ConstraintQuery, rule: string, message: string): never {
  refuseLayout(query, `concat/${rule}`, message);
}

/**
 * Refuses tiled operands of one dimension but for an interleaved result of unsharded or width-sharded ones: other
 * shards have the height of a tile, but the row-major form has one row.
 */
function checkLine(query: ConstraintQuery, inputs: readonly Tensor[], output: Tensor): void {
  if (isSharded(output.layout)) refuse(query, "line", "the result of one dimension must be interleaved");
  const at = inputs.findIndex(({ layout }) => isSharded(layout) && layout.memoryLayout !== "width_sharded");
  if (at >= 0) {
    refuseOperand(query, at, "concat/line", "has one dimension, and shards of the height of a tile");
  }
}

/**
 * Sharded concat: all operands and the result, if sharded, have one memory layout on the same cores, and the
 * joined dimension is not split. Other shards are moved to interleaved first, if the result is interleaved.
 */
function checkShards(query: ConstraintQuery, inputs: readonly Tensor[], output: Tensor, axis: number): void {
  const [first] = inputs;
  if (first === undefined) return;
  if (first.shape.length === 1 && first.layout.tile !== undefined) checkLine(query, inputs, output);
  if (!inputs.some(({ layout }) => isSharded(layout))) return;
  const fits = joinsShards(asProgramTensor(first), axis);
  const isJoined = fits || isSharded(output.layout);
  // Tiles that are moved to interleaved first may have several kinds of shards. Some mixes of interleaved and
  // sharded operands that the backend accepts are refused here, because acceptance depends on more than
  // layouts.
  const isSpread = !isJoined && first.layout.tile !== undefined;
  for (const [index, { layout }] of inputs.entries()) {
    if (!isSharded(layout)) {
      refuseOperand(query, index, "concat/mixed", "is interleaved and others are sharded");
    }
    if (!isSpread && layout.memoryLayout !== first.layout.memoryLayout) {
      refuseOperand(query, index, "concat/mixed", "has another memory layout");
    }
    if (isJoined && !sameCoreRanges(layout.coreRanges, first.layout.coreRanges)) {
      refuseOperand(query, index, "concat/grid", "has another shard grid");
    }
  }
  if (!isJoined) return;
  if (isSharded(output.layout)) {
    if (output.layout.memoryLayout !== first.layout.memoryLayout) {
      refuse(query, "output-kind", "the output must be sharded like the operands");
    }
    if (!sameCoreRanges(output.layout.coreRanges, first.layout.coreRanges)) {
      refuse(query, "output-grid", "the output must have the operands' shard grid");
    }
  }
  if (fits) return;
  const rank = output.shape.length;
  if (axis < rank - 2) refuse(query, "batch", "shards are joined along the last two dimensions only");
  if (axis === rank - 1) refuse(query, "width", "joining columns needs height or block sharding");
  refuse(query, "height", "joining rows needs width or block sharding");
}

/**
 * The shape-independent part of {@linkcode checkShards}: sharded next to interleaved operands, and results
 * unlike the operands.
 */
function mayJoin({ layout }: ConsideredHint, inputs: readonly (TtnnLayout | undefined)[]): boolean {
  const [first] = inputs;
  if (
    first === undefined ||
    inputs.some((input) => input !== undefined && isSharded(input) !== isSharded(first))
  ) {
    return first === undefined;
  }
  return !isSharded(first) || layout === undefined || !isSharded(layout) ||
    (layout.memoryLayout === first.memoryLayout && sameCoreRanges(layout.coreRanges, first.coreRanges));
}

/** Most elements of a row-major shard that a kernel can count. */
const MOST_ELEMENTS = 65_535;

/** Bytes that rows of two joined operands are read in. */
const PAIR_STEP = 32;

/** Refuses intermediate tensors that do not exist, and cases whose programs are not modelled. */
function checkPlan(
  query: ConstraintQuery,
  inputs: readonly ProgramTensor[],
  output: ProgramTensor,
  axis: number,
): void {
  const { chip } = query;
  const plan = concatPlan(inputs, output, axis, chip);
  const { parts, joins, joined } = plan;
  const isRagged = joinsRagged(inputs, axis);
  if (isRagged) checkRagged(query, inputs, output, axis);
  // The backend accepts them, but whether they fit depends on each operand's memory separately, which no
  // search of joins distinguishes.
  if (joins !== "columns" && joinsRaggedColumns(inputs, output, axis) && ![...inputs, output].every(inDram)) {
    refuse(
      query,
      "wide-columns",
      "columns of partial tiles that exceed one kernel's L1 are joined only in DRAM",
    );
  }
  for (const made of [...parts, joined, ...isRagged && isInShards(output) ? [inRows(output)] : []]) {
    const layout = layoutOf(made);
    const misfit = isInShards(made) ? shardMisfit(layout, made.shape, layout.tile) : undefined;
    if (misfit !== undefined) {
      refuse(query, "shards", `an intermediate tensor does not fit its shards: ${misfit}`);
    }
  }
  if ([...inputs, output].some(isInShards) && permutesRows(plan, axis, chip)) {
    refuse(query, "row", "rows that are no multiple of an L1 word are joined only interleaved");
  }
  if (joins !== "shards" || joined.tiled) return;
  // The kernel for two operands reads rows in steps of 32 bytes, and finds less than that in their shards
  // (`ttnn:backend-0-81-1`); three or more operands have another kernel.
  const isPair = joined.memoryLayout === "height_sharded" && axis === output.shape.length - 1 &&
    parts.length === 2;
  if (isPair && parts.some(({ pageBytes }) => pageBytes % PAIR_STEP !== 0)) {
    refuse(query, "pair", `rows of two height-sharded operands must be multiples of ${PAIR_STEP} bytes`);
  }
  if (joined.memoryLayout !== "block_sharded") return;
  if (parts.some(({ pageBytes }) => pageBytes % chip.l1Alignment !== 0)) {
    refuse(query, "row", `rows of block shards must be multiples of ${chip.l1Alignment} bytes`);
  }
  const elements = volume(joined.shardShape);
  if (elements > MOST_ELEMENTS) {
    refuse(query, "block", `a row-major block shard has at most ${MOST_ELEMENTS} elements, not ${elements}`);
  }
}

/**
 * Tiled operands that are untilized first. Row-major data can be tilized only into height shards or
 * interleaved. Block shards of several matrices, or joined along columns, cannot be untilized.
 */
function checkRagged(
  query: ConstraintQuery,
  inputs: readonly ProgramTensor[],
  output: ProgramTensor,
  axis: number,
): void {
  if (isInShards(output) && output.memoryLayout !== "height_sharded") {
    refuse(
      query,
      "ragged-result",
      "partial tiles along the joined dimension need a height-sharded or interleaved result",
    );
  }
  const isBatched = output.shape.slice(0, -2).some((extent) => extent !== 1);
  const hasBlocks = inputs.some(({ memoryLayout }) => memoryLayout === "block_sharded");
  if (hasBlocks && (isBatched || axis === output.shape.length - 1)) {
    refuse(
      query,
      "ragged-blocks",
      "block shards of several matrices, or of columns of partial tiles, cannot be joined",
    );
  }
}

export const CONCAT_RULES: RulesOf<"concat"> = {
  /** Rule of `concat`: pages of interleaved tensors, shards of one kind on the same cores. NULL gives DRAM interleaved. */
  concat: defineRule({ strategy: { hints: "concat" }, evaluate: evaluateConcat, mayFollow: mayJoin }),
};
