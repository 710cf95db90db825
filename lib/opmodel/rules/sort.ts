// SPDX-License-Identifier: Apache-2.0
import { readAttributes } from "../../ops/attributes/read_attributes.ts";
import { SORT, TOPK } from "../../ops/attributes/reduction.ts";
import { rankFormat } from "../../ops/rank_format.ts";
import { coreCount } from "../../layout/core_range.ts";
import type { DataType } from "../../layout/data_type.ts";
import { normalDim, rowCount } from "../../layout/extents.ts";
import { isSharded, type TtnnLayout } from "../../layout/ttnn_layout.ts";
import { fillFault } from "../../programs/data_movement/fill_pad.ts";
import { sameShardSpec } from "../../programs/shard_spec.ts";
import { sortPrograms } from "../../programs/data_movement/sort.ts";
import { unary } from "../../programs/op_launch.ts";
import { topkPrograms } from "../../programs/reduction/topk.ts";
import { placeOutput } from "../place_output.ts";
import { type ConstraintQuery, defineRule, type RuleContext, type RulesOf } from "../rule.ts";
import { definitionOf } from "../../ops/op_book.ts";
import type { InvalidConstraints } from "../op_model.ts";
import { asProgramTensor, type Tensor } from "../tensor.ts";
import { accept, isRefusal, refuseLayout, refuseOperand, type RuleAnswer } from "../verdict.ts";
import { launchOf, operandAt, wantsShards } from "./program.ts";

/**
 * Rule of `sort`: values and indices in one memory, the hint's. Dimensions other than the last go through
 * permuted copies in the input's memory, and the results stay there unless other shards are requested.
 */
function evaluateSort(query: ConstraintQuery, context: RuleContext): RuleAnswer {
  const { op, hint } = query;
  const input = operandAt(query, 0);
  const fault = formatFault(query);
  if (fault !== undefined) return fault;
  const rank = input.shape.length;
  const dim = normalDim(readAttributes(op, SORT).dim, rank);
  const width = input.shape[dim] ?? 1;
  const indices = rankFormat("sort", input.layout.dataType, width);
  if (width === 1) {
    return hint === undefined || isCopied(input.layout, hint)
      ? placeBoth(query, context, indices, undefined)
      : refuseLayout(op, "sort/copied-shards", "a sort of one value per row keeps its sharding");
  }
  if (dim === rank - 1) return placeBoth(query, context, indices, undefined);
  if (!isSharded(input.layout) && wantsShards(query)) {
    return refuseLayout(
      op,
      "sort/turned-shards",
      "a sharded result along this dimension needs a sharded operand",
    );
  }
  const answer = placeBoth(query, context, indices, wantsShards(query) ? undefined : input);
  if (isRefusal(answer) || hint === undefined || isSharded(hint)) return answer;
  // The sorted tensor is in the requested memory before it is permuted back.
  const sorted = sortPrograms(
    launchOf(query, answer.outputs),
    context,
    hint.bufferType === "l1" ? "l1" : "dram",
  );
  return accept({ outputs: answer.outputs, launched: () => sorted }, context);
}

function formatFault(query: ConstraintQuery): InvalidConstraints | undefined {
  const input = operandAt(query, 0);
  return definitionOf(query.op.name).takesFormats([input.layout.dataType], undefined)
    ? undefined
    : refuseOperand(query.op, "sort/format", 0, input, "has a format that is not ordered");
}

/** Whether a tensor is copied to another memory: interleaved to interleaved, or sharded to equal shards. */
function isCopied(from: TtnnLayout, to: TtnnLayout): boolean {
  return isSharded(from)
    ? isSharded(to) && !to.ignorePhysicalLayout && sameShardSpec(from, to)
    : !isSharded(to);
}

/** Width of one tile; `topk` reads at least two. */
const ONE_TILE = 32;

/**
 * Rule of `topk`: tiled operand; values and indices in one memory, along dimensions other than the last in the
 * operand's.
 */
function evaluateTopk(query: ConstraintQuery, context: RuleContext): RuleAnswer {
  const { op, hint } = query;
  const input = operandAt(query, 0);
  const { layout, shape } = input;
  if (wantsShards(query) || (hint === undefined && isSharded(layout))) {
    return refuseLayout(op, "topk/sharded-output", "the output must be interleaved");
  }
  const say = (rule: string, fault: string) => refuseOperand(op, `topk/${rule}`, 0, input, fault);
  if (layout.tile === undefined) return say("tile", "must be tiled");
  const fault = formatFault(query);
  if (fault !== undefined) return fault;
  const dim = normalDim(readAttributes(op, TOPK).dim, shape.length);
  const isPermuted = dim !== shape.length - 1;
  if (isPermuted && isSharded(layout)) {
    return say("permuted-shards", "is transposed, which its shards do not fit");
  }
  const width = shape[dim] ?? 1;
  if (width <= ONE_TILE && isSharded(layout)) {
    // Padded in its own memory, on as many columns of cores as before.
    if (layout.memoryLayout !== "height_sharded") {
      return say("padded", "is one tile wide and padded to two, which shards of one tile column cannot hold");
    }
    if (ownRows(input) % 32 !== 0) return say("padded-rows", "is padded in shards of whole tiles only");
  }
  const unfilled = fillFault(asProgramTensor(input));
  if (unfilled !== undefined) return refuseLayout(op, "topk/fill", unfilled);
  const indices = rankFormat("topk", layout.dataType, width);
  if (!isPermuted) return placeBoth(query, context, indices, undefined);
  const answer = placeBoth(query, context, indices, input);
  if (isRefusal(answer) || hint === undefined) return answer;
  // Rows are ranked in the requested memory.
  const ranked = hint.bufferType === "l1" ? "l1" : "dram";
  const launcher = unary((own, within: RuleContext) => topkPrograms(own, within, ranked));
  const launched = launcher(launchOf(query, answer.outputs), context);
  return accept({ outputs: answer.outputs, launched: () => launched }, context);
}

/** Rows of elements on each core, without padding. */
function ownRows({ shape, layout }: Tensor): number {
  return Math.ceil(rowCount(shape) / coreCount(layout.coreRanges));
}

/**
 * Values and indices in the memory of a tensor, of the hint, or of the input, in this order of preference.
 *
 * @param indexFormat of the indices
 */
function placeBoth(
  query: ConstraintQuery,
  context: RuleContext,
  indexFormat: DataType,
  like: Tensor | undefined,
): RuleAnswer {
  const { layout } = operandAt(query, 0);
  const memory = like?.layout ?? query.hint ?? layout;
  const values = placeOutput(query, context, {
    whenNull: layout,
    nullShards: "kept",
    ...(like === undefined ? {} : { hint: null }),
  });
  if (isRefusal(values)) return values;
  if (query.op.results.length < 2) return accept({ outputs: [values] }, context);
  const indices = placeOutput(query, context, {
    result: 1,
    whenNull: memory,
    nullShards: "kept",
    hint: null,
    dataType: indexFormat,
  });
  return isRefusal(indices) ? indices : accept({ outputs: [values, indices] }, context);
}

export const SORT_RULES: RulesOf<"sort" | "topk"> = {
  sort: defineRule({ evaluate: evaluateSort }),
  topk: defineRule({ evaluate: evaluateTopk }),
};
