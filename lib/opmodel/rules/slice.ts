// SPDX-License-Identifier: Apache-2.0
import { isBlockFloat } from "../../layout/data_type.ts";
import { isSharded, pagesOf } from "../../layout/ttnn_layout.ts";
import { sliceKind, writtenBounds } from "../../programs/data_movement/slice.ts";
import { placeOutput } from "../place_output.ts";
import { type ConstraintQuery, defineRule, type RulesOf } from "../rule.ts";
import { asProgramTensor } from "../tensor.ts";
import { refuseConfig, refuseLayout, type Verdict } from "../verdict.ts";
import { movedOrKept } from "./memory_move.ts";
import { checkPaddedBytes, operandAt, wantsShards } from "./program.ts";

function evaluateSlice(query: ConstraintQuery): Verdict {
  const { op } = query;
  const input = operandAt(query, 0);
  const { layout } = input;
  if (isSharded(layout) || wantsShards(query)) {
    const fault = "the backend accepts sharded slices and computes wrong results (tt-metal 39074, 38016)";
    refuseLayout(query, "slice/sharded", fault, "tt-metal:slice");
  }
  const rank = input.shape.length;
  for (const bounds of writtenBounds(op)) {
    if (bounds.length !== rank) {
      refuseConfig(query, "slice/rank", `${bounds.length} bounds for rank ${rank}`);
    }
  }
  const kind = sliceKind(op, asProgramTensor(input));
  if (kind === "elements" && isBlockFloat(layout.dataType)) {
    refuseConfig(query, "slice/step", `steps other than 1 of ${layout.dataType}`);
  }
  const output = placeOutput(query, {
    whenNull: layout,
    page: pagesOf(layout),
    // Block-float tiles that are untilized on the way come back as bf16.
    ...kind === "rows" && isBlockFloat(layout.dataType) ? { dataType: "bf16" as const } : {},
  });
  if (kind === "rows" || kind === "elements") checkPaddedBytes(query, output);
  return movedOrKept(query, output, kind === "nothing");
}

export const SLICE_RULES: RulesOf<"slice"> = {
  /** Rule of `slice_static` and `slice_dynamic` (the latter reads its bounds from operands 1 and 2). */
  slice: defineRule({
    strategy: { hints: "non_sharded", inputs: ["not_sharded"], exploresReshards: false },
    evaluate: evaluateSlice,
  }),
};
