// SPDX-License-Identifier: Apache-2.0
import { tileColumns, tileRows } from "../../layout/tile_shape.ts";
import { isSharded } from "../../layout/ttnn_layout.ts";
import { readInteger } from "../../dialect/attribute_values.ts";
import { DRAM_INTERLEAVED, placeOutput } from "../place_output.ts";
import { type ConstraintQuery, defineRule, type RuleContext, type RulesOf } from "../rule.ts";
import { reportedL1Bytes, tileSize } from "../tensor.ts";
import { accept, describeTensor, isRefusal, refuseLayout, type RuleAnswer } from "../verdict.ts";
import { operandAt, wantsShards } from "./program.ts";

const SOURCE = "tt-metal:sort-topk";

function evaluateSort(query: ConstraintQuery, context: RuleContext): RuleAnswer {
  const input = operandAt(query, 0);
  if (isSharded(input.layout)) {
    return refuseLayout(
      query.op,
      "sort/sharded-input",
      `${describeTensor(0, input)} must be interleaved`,
      SOURCE,
    );
  }
  const shardedHint = wantsShards(query);
  if (shardedHint && !context.ruleSet.sortAcceptsShardedHint) {
    return refuseLayout(query.op, "sort/sharded-output", "the output must be interleaved", SOURCE);
  }
  const wanted = shardedHint ? DRAM_INTERLEAVED : query.hint ?? input.layout;
  const rank = input.shape.length;
  const dim = readInteger(query.op.attributes, "dim") ?? -1;
  const transposes = dim !== -1 && dim !== rank - 1;
  const memory = transposes ? input.layout : wanted;
  const values = placeOutput(query, context, { whenNull: memory, hint: null });
  if (isRefusal(values)) return values;
  const indexType = query.op.results[1]?.dataType ?? "u16";
  const indices = placeOutput(query, context, {
    result: query.op.results.length > 1 ? 1 : 0,
    whenNull: memory,
    hint: null,
    dataType: indexType,
  });
  if (isRefusal(indices)) return indices;
  const finalBytes = reportedL1Bytes(values, context.chip) +
    reportedL1Bytes(indices, context.chip);
  const sortedBytes = wanted.bufferType !== "l1" ? 0 : perCoreTiles(input.shape, context) *
    (tileSize(values.layout) + tileSize(indices.layout));
  return accept({
    outputs: query.op.results.length > 1 ? [values, indices] : [values],
    tensorL1PeakBytes: transposes ? sortedBytes + finalBytes : finalBytes,
  }, context);
}

function evaluateTopk(query: ConstraintQuery, context: RuleContext): RuleAnswer {
  const input = operandAt(query, 0);
  if (wantsShards(query)) {
    return refuseLayout(query.op, "topk/sharded-output", "the output must be interleaved", SOURCE);
  }
  if (input.layout.tile === undefined) {
    return refuseLayout(query.op, "topk/tile", `${describeTensor(0, input)} must be tiled`, SOURCE);
  }
  const whenNull = isSharded(input.layout) ? DRAM_INTERLEAVED : input.layout;
  const values = placeOutput(query, context, { whenNull });
  if (isRefusal(values)) return values;
  const outputs = [values];
  if (query.op.results.length > 1) {
    const indices = placeOutput(query, context, {
      result: 1,
      whenNull: query.hint ?? whenNull,
      hint: null,
      dataType: query.op.results[1]?.dataType ?? "u16",
    });
    if (isRefusal(indices)) return indices;
    outputs.push(indices);
  }
  return accept({ outputs }, context);
}

function perCoreTiles(shape: readonly number[], context: RuleContext): number {
  return Math.ceil(tileRows(shape) * tileColumns(shape) / context.cores);
}

/** The rules of sorts. */
export const SORT_RULES: RulesOf<"sort" | "topk"> = {
  /** Rule of `sort`: values and indices; other dimensions than the last go through transposed copies. */
  sort: defineRule({ evaluate: evaluateSort }),
  /** Rule of `topk`: interleaved output, last dimension. */
  topk: defineRule({ evaluate: evaluateTopk }),
};
