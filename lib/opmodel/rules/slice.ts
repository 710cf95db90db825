// SPDX-License-Identifier: Apache-2.0
import { isSharded, pagesOf } from "../../layout/ttnn_layout.ts";
import { readIntegers } from "../../dialect/attribute_values.ts";
import { placeOutput } from "../place_output.ts";
import { type ConstraintQuery, defineRule, type RuleContext, type RulesOf } from "../rule.ts";
import { slicesTiles } from "../../programs/slice.ts";
import { accept, isRefusal, refuseConfig, refuseLayout, type RuleAnswer } from "../verdict.ts";
import { operandAt, wantsShards } from "./program.ts";
import { rowMajorCopyBytes } from "./copy_bytes.ts";

const SOURCE = "tt-metal:slice";

function evaluateSlice(query: ConstraintQuery, context: RuleContext): RuleAnswer {
  const input = operandAt(query, 0);
  if (isSharded(input.layout) || wantsShards(query)) {
    return refuseLayout(
      query.op,
      "slice/sharded",
      "sharded slices come out wrong in the backend (tt-metal 39074, 38016)",
      SOURCE,
    );
  }
  const rank = input.shape.length;
  const begins = readIntegers(query.op.attributes, "begins");
  const ends = readIntegers(query.op.attributes, "ends");
  for (const bounds of [begins, ends]) {
    if (bounds !== undefined && bounds.length !== rank) {
      return refuseConfig(query.op, "slice/rank", `${bounds.length} bounds for rank ${rank}`, SOURCE);
    }
  }
  const page = pagesOf(input.layout);
  const output = placeOutput(query, context, { whenNull: input.layout, page });
  if (isRefusal(output)) return output;
  // Recorded queries read bounds in tensors as zeros, so no copy is recorded for them.
  const copies = page === "tile" && begins !== undefined && !slicesTiles(query.op) &&
      output.layout.bufferType === "l1"
    ? [input, output].map(({ shape }) => rowMajorCopyBytes(shape, input.layout.dataType, context))
    : [];
  return accept({
    outputs: [output],
    intermediateL1Bytes: copies.reduce((sum, bytes) => sum + bytes, 0),
  }, context);
}

/** The rules of slices. */
export const SLICE_RULES: RulesOf<"slice"> = {
  /** Rule of `slice_static` and `slice_dynamic` (the latter reads its bounds from operands 1 and 2). */
  slice: defineRule({
    strategy: { hints: "non_sharded", inputs: ["not_sharded"], exploresReshards: false },
    evaluate: evaluateSlice,
  }),
};
