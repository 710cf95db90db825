// SPDX-License-Identifier: Apache-2.0
import { readAttributes } from "../../ops/attributes/read_attributes.ts";
import { SORT, TOPK } from "../../ops/attributes/reduction.ts";
import { rankFormat } from "../../ops/rank_format.ts";
import { coreCount } from "../../layout/core_range.ts";
import type { DataType } from "../../layout/data_type.ts";
import { normalDim, rowCount } from "../../layout/extents.ts";
import { isSharded, type TtnnLayout } from "../../layout/ttnn_layout.ts";
import { fillFault } from "../../programs/data_movement/pad.ts";
import { sameShardSpec } from "../../programs/shard_spec.ts";
import { sortPrograms } from "../../programs/data_movement/sort.ts";
import { unary } from "../../programs/op_launch.ts";
import { topkPrograms } from "../../programs/reduction/topk.ts";
import { placeOutput } from "../place_output.ts";
import { type ConstraintQuery, defineRule, type RuleContext, type RulesOf } from "../rule.ts";
import { asProgramTensor, type Tensor } from "../tensor.ts";
import { refuseLayout, refuseOperand, type Verdict } from "../verdict.ts";
import { demand, demandTakenFormat, launchOf, operandAt, wantsShards } from "./program.ts";

/**
 * Rule of `sort`: values and indices in one memory, the hint's. Dimensions other than the last go through
 * permuted copies in the input's memory, and the results stay there unless other shards are requested.
 */
function evaluateSort(query: ConstraintQuery): Verdict {
  const { op, hint } = query;
  const input = operandAt(query, 0);
  demandTakenFormat(query, "sort/format", "has a format that is not ordered");
  const rank = input.shape.length;
  const dim = normalDim(readAttributes(op, SORT).dim, rank);
  const width = input.shape[dim] ?? 1;
  const indices = rankFormat("sort", input.layout.dataType, width);
  if (width === 1) {
    if (hint !== undefined && !isCopied(input.layout, hint)) {
      refuseLayout(query, "sort/copied-shards", "a sort of one value per row keeps its sharding");
    }
    return { outputs: placeBoth(query, indices, undefined) };
  }
  if (dim === rank - 1) return { outputs: placeBoth(query, indices, undefined) };
  if (!isSharded(input.layout) && wantsShards(query)) {
    const fault = "a sharded result along this dimension needs a sharded operand";
    refuseLayout(query, "sort/turned-shards", fault);
  }
  const outputs = placeBoth(query, indices, wantsShards(query) ? undefined : input);
  if (hint === undefined || isSharded(hint)) return { outputs };
  // The sorted tensor is in the requested memory before it is permuted back.
  const sorted = sortPrograms(launchOf(query, outputs), query, hint.bufferType === "l1" ? "l1" : "dram");
  return { outputs, launched: () => sorted };
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
function evaluateTopk(query: ConstraintQuery): Verdict {
  const { op, hint } = query;
  const input = operandAt(query, 0);
  const { layout, shape } = input;
  if (wantsShards(query) || (hint === undefined && isSharded(layout))) {
    refuseLayout(query, "topk/sharded-output", "the output must be interleaved");
  }
  const say = (rule: string, fault: string) => refuseOperand(query, 0, `topk/${rule}`, fault);
  demand(query, 0, "tiled", "topk/tile");
  demandTakenFormat(query, "sort/format", "has a format that is not ordered");
  const dim = normalDim(readAttributes(op, TOPK).dim, shape.length);
  const isPermuted = dim !== shape.length - 1;
  if (isPermuted && isSharded(layout)) say("permuted-shards", "is transposed, which its shards do not fit");
  const width = shape[dim] ?? 1;
  if (width <= ONE_TILE && isSharded(layout)) {
    // Padded in its own memory, on as many columns of cores as before.
    if (layout.memoryLayout !== "height_sharded") {
      say("padded", "is one tile wide and padded to two, which shards of one tile column cannot hold");
    }
    if (ownRows(input) % 32 !== 0) say("padded-rows", "is padded in shards of whole tiles only");
  }
  const unfilled = fillFault(asProgramTensor(input));
  if (unfilled !== undefined) refuseLayout(query, "topk/fill", unfilled);
  const outputs = placeBoth(
    query,
    rankFormat("topk", layout.dataType, width),
    isPermuted ? input : undefined,
  );
  if (!isPermuted || hint === undefined) return { outputs };
  // Rows are ranked in the requested memory.
  const ranked = hint.bufferType === "l1" ? "l1" : "dram";
  const launcher = unary((own, within: RuleContext) => topkPrograms(own, within, ranked));
  const launched = launcher(launchOf(query, outputs), query);
  return { outputs, launched: () => launched };
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
  indexFormat: DataType,
  like: Tensor | undefined,
): readonly Tensor[] {
  const { layout } = operandAt(query, 0);
  const whenNull = like?.layout ?? query.hint ?? layout;
  const values = placeOutput(query, {
    whenNull: layout,
    nullShards: "kept",
    ...(like === undefined ? {} : { hint: null }),
  });
  if (query.op.results.length < 2) return [values];
  const kept = { whenNull, nullShards: "kept", hint: null } as const;
  return [values, placeOutput(query, { result: 1, ...kept, dataType: indexFormat })];
}

export const SORT_RULES: RulesOf<"sort" | "topk"> = {
  sort: defineRule({ evaluate: evaluateSort }),
  topk: defineRule({ evaluate: evaluateTopk }),
};
