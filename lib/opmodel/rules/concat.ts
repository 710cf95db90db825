// SPDX-License-Identifier: Apache-2.0
import { isSharded, pagesOf, sameShardGrid } from "../../layout/ttnn_layout.ts";
import { concatAxis } from "../../programs/concat.ts";
import { DRAM_INTERLEAVED, placeOutput } from "../place_output.ts";
import type { InvalidConstraints } from "../op_model.ts";
import { type ConstraintQuery, defineRule, type RuleContext, type RulesOf } from "../rule.ts";
import {
  accept,
  describeTensor,
  isRefusal,
  refuseLayout,
  refuseOperand,
  type RuleAnswer,
} from "../verdict.ts";
import type { Tensor } from "../tensor.ts";
import { missingOperand, wantsShards } from "./program.ts";

const SOURCE = "tt-metal:concat";

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
  const sharded = isSharded(first.layout);
  if (sharded && (query.hint === undefined || !isSharded(query.hint))) {
    return refuse(query, "sharded-needs-sharded", "sharded operands need a sharded output hint");
  }
  if (!sharded && wantsShards(query)) {
    return refuse(query, "interleaved-to-sharded", "interleaved operands cannot be joined into shards");
  }
  const page = pagesOf(first.layout);
  const output = placeOutput(query, context, { whenNull: DRAM_INTERLEAVED, page });
  if (isRefusal(output)) return output;
  if (sharded) {
    if (!sameShardGrid(output.layout, first.layout)) {
      return refuse(query, "output-grid", "the output must have the operands' shard grid");
    }
    const refusal = refuseShards(query, context, axis, inputs.length, first);
    if (refusal !== undefined) return refusal;
  }
  return accept({ outputs: [output] }, context);
}

function refuse({ op }: ConstraintQuery, rule: string, message: string): InvalidConstraints {
  return refuseLayout(op, `concat/${rule}`, message, SOURCE);
}

/** Operands have pages, format, memory layout, cores and all other extents in common with the first one. */
function refuseUnlike(
  query: ConstraintQuery,
  axis: number,
  index: number,
  input: Tensor,
  first: Tensor,
): InvalidConstraints | undefined {
  const { shape, layout } = input;
  const refuseInput = (rule: string, fault: string) =>
    refuseOperand(query.op, `concat/${rule}`, index, input, fault, SOURCE);
  if ((layout.tile === undefined) !== (first.layout.tile === undefined)) {
    return refuse(query, "page", "tiles and rows are mixed");
  }
  if (layout.dataType !== first.layout.dataType) {
    return refuse(query, "format", `${describeTensor(index, input)} has another format`);
  }
  if (layout.memoryLayout !== first.layout.memoryLayout) {
    return refuseInput("mixed", "has another memory layout");
  }
  if (isSharded(first.layout) && !sameShardGrid(layout, first.layout)) {
    return refuseInput("grid", "has another shard grid");
  }
  const fits = shape.length === first.shape.length &&
    shape.every((extent, at) => at === axis || extent === first.shape[at]);
  if (fits) return undefined;
  return refuse(query, "shape", `${describeTensor(index, input)} does not fit ${first.shape.join("x")}`);
}

/** Which shards are joined along which dimension: those that are whole along it. */
function refuseShards(
  query: ConstraintQuery,
  { ruleSet }: RuleContext,
  axis: number,
  count: number,
  { shape: { length: rank }, layout: { memoryLayout: kind } }: Tensor,
): InvalidConstraints | undefined {
  const takesBlocks = ruleSet.concatTakesBlockShards;
  if (kind === "block_sharded" && !takesBlocks) {
    return refuse(query, "block", "block sharding is not supported");
  }
  const other = takesBlocks ? " or block" : "";
  if (axis === rank - 1 && kind === "width_sharded") {
    return refuse(query, "width", `joining columns needs height${other} sharding`);
  }
  if (axis === rank - 2 && kind === "height_sharded") {
    return refuse(query, "height", `joining rows needs width${other} sharding`);
  }
  if (axis < rank - 2) return refuse(query, "batch", "shards join along the last two dimensions only");
  if (kind === "block_sharded" && count > 16) {
    return refuse(query, "count", "at most 16 block-sharded operands");
  }
  return undefined;
}

/** The rules of concat. */
export const CONCAT_RULES: RulesOf<"concat"> = {
  /** Rule of `concat`: all operands alike; sharded operands want a sharded output of the same kind and grid. */
  concat: defineRule({
    strategy: { hints: "concat", inputs: ["any"], exploresReshards: true },
    evaluate: evaluateConcat,
  }),
};
