// SPDX-License-Identifier: Apache-2.0
import { isSharded } from "../../layout/ttnn_layout.ts";
import { concatAxis } from "../../programs/concat.ts";
import { DRAM_INTERLEAVED, placeOutput } from "../place_output.ts";
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
import { missingOperand, sameShardGrid } from "./program.ts";

const SOURCE = "tt-metal:concat";

function evaluateConcat(query: ConstraintQuery, context: RuleContext): RuleAnswer {
  const inputs = query.operands.filter((operand) => operand !== undefined);
  const first = inputs[0];
  if (first === undefined) return missingOperand(query.op, 0);
  const rank = first.shape.length;
  const axis = concatAxis(query.op, rank);
  const say = (rule: string, message: string) =>
    refuseLayout(query.op, `concat/${rule}`, `${message}`, SOURCE);
  const sayOf = (rule: string, index: number, input: Tensor, fault: string) =>
    refuseOperand(query.op, `concat/${rule}`, index, input, fault, SOURCE);
  if (axis < 0 || axis >= rank) return say("dimension", `dimension ${axis} of ${rank}`);
  for (const [index, input] of inputs.entries()) {
    if ((input.layout.tile === undefined) !== (first.layout.tile === undefined)) {
      return say("page", "tiles and rows are mixed");
    }
    if (input.layout.dataType !== first.layout.dataType) {
      return say("format", `${describeTensor(index, input)} has another format`);
    }
    if (input.layout.memoryLayout !== first.layout.memoryLayout) {
      return sayOf("mixed", index, input, "has another memory layout");
    }
    if (isSharded(first.layout) && !sameShardGrid(input.layout, first.layout)) {
      return sayOf("grid", index, input, "has another shard grid");
    }
    const fits = input.shape.length === rank &&
      input.shape.every((extent, at) => at === axis || extent === first.shape[at]);
    if (!fits) return say("shape", `${describeTensor(index, input)} does not fit ${first.shape.join("x")}`);
  }
  const sharded = isSharded(first.layout);
  if (sharded && (query.hint === undefined || !isSharded(query.hint))) {
    return say("sharded-needs-sharded", "sharded operands need a sharded output hint");
  }
  if (!sharded && query.hint !== undefined && isSharded(query.hint)) {
    return say("interleaved-to-sharded", "interleaved operands cannot be joined into shards");
  }
  const page = first.layout.tile === undefined ? "row_major" : "tile";
  const output = placeOutput(query, context, { whenNull: DRAM_INTERLEAVED, page });
  if (isRefusal(output)) return output;
  if (sharded) {
    if (!sameShardGrid(output.layout, first.layout)) {
      return say("output-grid", "the output must have the operands' shard grid");
    }
    const kind = first.layout.memoryLayout;
    const takesBlocks = context.ruleSet.concatTakesBlockShards;
    if (kind === "block_sharded" && !takesBlocks) return say("block", "block sharding is not supported");
    const other = takesBlocks ? " or block" : "";
    if (axis === rank - 1 && kind === "width_sharded") {
      return say("width", `joining columns needs height${other} sharding`);
    }
    if (axis === rank - 2 && kind === "height_sharded") {
      return say("height", `joining rows needs width${other} sharding`);
    }
    if (axis < rank - 2) return say("batch", "shards join along the last two dimensions only");
    if (kind === "block_sharded" && inputs.length > 16) {
      return say("count", "at most 16 block-sharded operands");
    }
  }
  return accept({ outputs: [output] }, context);
}

/** The rules of concat. */
export const CONCAT_RULES: RulesOf<"concat"> = {
  /** Rule of `concat`: all operands alike; sharded operands want a sharded output of the same kind and grid. */
  concat: defineRule({
    strategy: { hints: "concat", inputs: ["any"], exploresReshards: true },
    evaluate: evaluateConcat,
  }),
};
