// SPDX-License-Identifier: Apache-2.0
import { sameCoreRanges } from "../../layout/core_range.ts";
import { isBlockFloat } from "../../layout/data_type.ts";
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
import type { InvalidConstraints } from "../op_model.ts";
import {
  type ConsideredHint,
  type ConstraintQuery,
  defineRule,
  type RuleContext,
  type RulesOf,
} from "../rule.ts";
import {
  accept,
  describeTensor,
  isRefusal,
  refuseLayout,
  refuseOperand,
  type RuleAnswer,
} from "../verdict.ts";
import { asProgramTensor, type Tensor } from "../tensor.ts";
import { missingOperand, paddedBytesFault } from "./program.ts";

function evaluateConcat(query: ConstraintQuery, context: RuleContext): RuleAnswer {
  const inputs = query.operands.filter((operand) => operand !== undefined);
  const first = inputs[0];
  if (first === undefined) return missingOperand(query.op, 0);
  const axis = concatAxis(query.op, first.shape.length);
  if (axis < 0 || axis >= first.shape.length) {
    return refuse(query, "dimension", `dimension ${axis} of ${first.shape.length}`);
  }
  for (const [index, input] of inputs.entries()) {
    const refusal = refuseUnlike(query, axis, index, input, first);
    if (refusal !== undefined) return refusal;
  }
  const page = pagesOf(first.layout);
  const tensors = inputs.map(asProgramTensor);
  const mixesPages = tensors.some(({ tiled }) => tiled !== tensors[0]?.tiled);
  if (mixesPages && (tensors.some(isInShards) || joinsRagged(tensors, axis))) {
    return refuse(
      query,
      "page",
      "tiled and row-major operands are joined only interleaved, along a dimension of whole tiles",
    );
  }
  // Block floats that are untilized on the way come back as bf16.
  const becomesRows = joinsRagged(tensors, axis) && isBlockFloat(first.layout.dataType);
  const output = placeOutput(query, context, {
    whenNull: DRAM_INTERLEAVED,
    page,
    ...becomesRows ? { dataType: "bf16" as const } : {},
  });
  if (isRefusal(output)) return output;
  const fault = (joinsRagged(tensors, axis) ? paddedBytesFault(query.op, first, output) : undefined) ??
    shardFault(query, inputs, output, axis) ??
    planFault(query, tensors, asProgramTensor(output), axis, context);
  return fault ?? accept({ outputs: [output] }, context);
}

function refuse({ op }: ConstraintQuery, rule: string, message: string): InvalidConstraints {
  return refuseLayout(op, `concat/${rule}`, message);
}

/** All operands must equal the first in format and in all other extents. */
function refuseUnlike(
  query: ConstraintQuery,
  axis: number,
  index: number,
  input: Tensor,
  first: Tensor,
): InvalidConstraints | undefined {
  const { shape, layout } = input;
  if (layout.dataType !== first.layout.dataType) {
    return refuse(query, "format", `${describeTensor(index, input)} has another format`);
  }
  const fits = shape.length === first.shape.length &&
    shape.every((extent, at) => at === axis || extent === first.shape[at]);
  if (fits) return undefined;
  return refuse(query, "shape", `${describeTensor(index, input)} does not fit ${first.shape.join("x")}`);
}

/**
 * Fault of tiled operands of one dimension. The result must be interleaved and sharded operands width sharded:
 * other shards have the height of a tile, but the row-major form has one row.
 */
function lineFault(
  query: ConstraintQuery,
  inputs: readonly Tensor[],
  output: Tensor,
): InvalidConstraints | undefined {
  if (isSharded(output.layout)) {
    return refuse(query, "line", "the result of one dimension must be interleaved");
  }
  const at = inputs.findIndex(({ layout }) => isSharded(layout) && layout.memoryLayout !== "width_sharded");
  const input = inputs[at];
  return input === undefined ? undefined : refuseOperand(
    query.op,
    "concat/line",
    at,
    input,
    "has one dimension, and shards of the height of a tile",
  );
}

/**
 * Sharded concat: all operands and the result, if sharded, have one memory layout on the same cores, and the
 * joined dimension is not split. Other shards are moved to interleaved first, if the result is interleaved.
 */
function shardFault(
  query: ConstraintQuery,
  inputs: readonly Tensor[],
  output: Tensor,
  axis: number,
): InvalidConstraints | undefined {
  const [first] = inputs;
  if (first === undefined) return undefined;
  if (first.shape.length === 1 && first.layout.tile !== undefined) {
    const fault = lineFault(query, inputs, output);
    if (fault !== undefined) return fault;
  }
  if (!inputs.some(({ layout }) => isSharded(layout))) return undefined;
  const fits = joinsShards(asProgramTensor(first), axis);
  const isJoined = fits || isSharded(output.layout);
  // Tiles that are moved to interleaved first may have several kinds of shards. Some mixes of interleaved and
  // sharded operands that the backend accepts are refused here, because acceptance depends on more than
  // layouts.
  const isSpread = !isJoined && first.layout.tile !== undefined;
  for (const [index, input] of inputs.entries()) {
    const { layout } = input;
    const fault = isSharded(layout)
      ? !isSpread && layout.memoryLayout !== first.layout.memoryLayout
        ? { rule: "concat/mixed", message: "has another memory layout" }
        : isJoined && !sameCoreRanges(layout.coreRanges, first.layout.coreRanges)
        ? { rule: "concat/grid", message: "has another shard grid" }
        : undefined
      : { rule: "concat/mixed", message: "is interleaved and others are sharded" };
    if (fault !== undefined) return refuseOperand(query.op, fault.rule, index, input, fault.message);
  }
  if (!isJoined) return undefined;
  if (isSharded(output.layout)) {
    if (output.layout.memoryLayout !== first.layout.memoryLayout) {
      return refuse(query, "output-kind", "the output must be sharded like the operands");
    }
    if (!sameCoreRanges(output.layout.coreRanges, first.layout.coreRanges)) {
      return refuse(query, "output-grid", "the output must have the operands' shard grid");
    }
  }
  if (fits) return undefined;
  if (axis < output.shape.length - 2) {
    return refuse(query, "batch", "shards are joined along the last two dimensions only");
  }
  return axis === output.shape.length - 1
    ? refuse(query, "width", "joining columns needs height or block sharding")
    : refuse(query, "height", "joining rows needs width or block sharding");
}

/**
 * The shape-independent part of {@linkcode shardFault}: sharded next to interleaved operands, and results
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

/** Faults of intermediate tensors, and cases whose programs are not modelled. */
function planFault(
  query: ConstraintQuery,
  inputs: readonly ProgramTensor[],
  output: ProgramTensor,
  axis: number,
  { chip }: RuleContext,
): InvalidConstraints | undefined {
  const plan = concatPlan(inputs, output, axis, chip);
  const { parts, joins, joined } = plan;
  const isRagged = joinsRagged(inputs, axis);
  const fault = isRagged ? raggedFault(query, inputs, output, axis) : undefined;
  if (fault !== undefined) return fault;
  // The backend accepts them, but whether they fit depends on each operand's memory separately, which no
  // search of joins distinguishes.
  if (joins !== "columns" && joinsRaggedColumns(inputs, output, axis) && ![...inputs, output].every(inDram)) {
    return refuse(
      query,
      "wide-columns",
      "columns of partial tiles that exceed one kernel's L1 are joined only in DRAM",
    );
  }
  for (const made of [...parts, joined, ...isRagged && isInShards(output) ? [inRows(output)] : []]) {
    const layout = layoutOf(made);
    const misfit = isInShards(made) ? shardMisfit(layout, made.shape, layout.tile) : undefined;
    if (misfit !== undefined) {
      return refuse(query, "shards", `an intermediate tensor does not fit its shards: ${misfit}`);
    }
  }
  if ([...inputs, output].some(isInShards) && permutesRows(plan, axis, chip)) {
    return refuse(
      query,
      "row",
      "rows that are no multiple of an L1 word are joined only interleaved",
    );
  }
  if (joins !== "shards" || joined.tiled) return undefined;
  // The kernel for two operands reads rows in steps of 32 bytes, and finds less than that in their shards
  // (`ttnn:backend-0-81-1`); three or more operands have another kernel.
  const isPair = joined.memoryLayout === "height_sharded" && axis === output.shape.length - 1 &&
    parts.length === 2;
  if (isPair && parts.some(({ pageBytes }) => pageBytes % PAIR_STEP !== 0)) {
    return refuse(
      query,
      "pair",
      `rows of two height-sharded operands must be multiples of ${PAIR_STEP} bytes`,
    );
  }
  if (joined.memoryLayout !== "block_sharded") return undefined;
  if (parts.some(({ pageBytes }) => pageBytes % chip.l1Alignment !== 0)) {
    return refuse(query, "row", `rows of block shards must be multiples of ${chip.l1Alignment} bytes`);
  }
  const [height = 1, width = 1] = joined.shardShape;
  return height * width > MOST_ELEMENTS
    ? refuse(
      query,
      "block",
      `a row-major block shard has at most ${MOST_ELEMENTS} elements, not ${height * width}`,
    )
    : undefined;
}

/**
 * Fault of tiled operands that are untilized first. Row-major data can be tilized only into height shards or
 * interleaved. Block shards of several matrices, or joined along columns, cannot be untilized.
 */
function raggedFault(
  query: ConstraintQuery,
  inputs: readonly ProgramTensor[],
  output: ProgramTensor,
  axis: number,
): InvalidConstraints | undefined {
  if (isInShards(output) && output.memoryLayout !== "height_sharded") {
    return refuse(
      query,
      "ragged-result",
      "partial tiles along the joined dimension need a height-sharded or interleaved result",
    );
  }
  if (!inputs.some(({ memoryLayout }) => memoryLayout === "block_sharded")) return undefined;
  const isBatched = output.shape.slice(0, -2).some((extent) => extent !== 1);
  return isBatched || axis === output.shape.length - 1
    ? refuse(
      query,
      "ragged-blocks",
      "block shards of several matrices, or of columns of partial tiles, cannot be joined",
    )
    : undefined;
}

export const CONCAT_RULES: RulesOf<"concat"> = {
  /** Rule of `concat`: pages of interleaved tensors, shards of one kind on the same cores. NULL gives DRAM interleaved. */
  concat: defineRule({ strategy: { hints: "concat" }, evaluate: evaluateConcat, mayFollow: mayJoin }),
};
