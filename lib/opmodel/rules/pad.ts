// SPDX-License-Identifier: Apache-2.0
import { isSharded } from "../../layout/ttnn_layout.ts";
import { readIntegers } from "../../dialect/attribute_values.ts";
import { padSharesBuffer } from "../../programs/view.ts";
import { placeOutput } from "../place_output.ts";
import { type ConstraintQuery, defineRule, type RuleContext, type RulesOf } from "../rule.ts";
import { asProgramTensor } from "../tensor.ts";
import { accept, acceptView, isRefusal, refuseConfig, refuseLayout, type RuleAnswer } from "../verdict.ts";
import { operandAt } from "./program.ts";

const SOURCE = "tt-metal:pad";

function evaluatePad(query: ConstraintQuery, context: RuleContext): RuleAnswer {
  const input = operandAt(query, 0);
  const tiled = input.layout.tile !== undefined;
  const padding = readIntegers(query.op.attributes, "padding") ?? [];
  if (padding.length % 2 !== 0 || padding.length > 2 * input.shape.length) {
    return refuseConfig(
      query.op,
      "pad/rank",
      `${padding.length} amounts for rank ${input.shape.length}`,
      SOURCE,
    );
  }
  const isInFront = padding.some((amount, at) => at % 2 === 0 && amount > 0);
  if (tiled && isInFront) {
    return refuseLayout(query.op, "pad/front-of-tiles", "tiles are padded behind only; give rows", SOURCE);
  }
  const output = placeOutput(query, context, { whenNull: input.layout, page: tiled ? "tile" : "row_major" });
  if (isRefusal(output)) return output;
  if (padSharesBuffer(query.op, asProgramTensor(input), asProgramTensor(output))) {
    return acceptView(output, context);
  }
  if (isSharded(output.layout) && (tiled || output.layout.memoryLayout !== "height_sharded")) {
    return refuseLayout(
      query.op,
      "pad/sharded-output",
      "sharded output only for height-sharded rows",
      SOURCE,
    );
  }
  return accept({ outputs: [output] }, context);
}

/** The rules of padding. */
export const PAD_RULES: RulesOf<"pad"> = {
  /** Rule of `pad`. */
  pad: defineRule({
    strategy: { hints: "non_sharded", inputs: ["any"], exploresReshards: true },
    evaluate: evaluatePad,
  }),
};
