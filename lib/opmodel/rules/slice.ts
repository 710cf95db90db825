// SPDX-License-Identifier: Apache-2.0
import { isBlockFloat } from "../../layout/data_type.ts";
import { isSharded, pagesOf } from "../../layout/ttnn_layout.ts";
import { keepsPlace } from "../../programs/data_movement/memory_move.ts";
import { type SliceKind, sliceKind, writtenBounds } from "../../programs/data_movement/slice.ts";
import { placeOutput } from "../place_output.ts";
import { type ConstraintQuery, defineRule, type RuleContext, type RulesOf } from "../rule.ts";
import { asProgramTensor, type Tensor } from "../tensor.ts";
import { accept, acceptView, isRefusal, refuseConfig, refuseLayout, type RuleAnswer } from "../verdict.ts";
import { operandAt, paddedBytesFault, wantsShards } from "./program.ts";

function evaluateSlice(query: ConstraintQuery, context: RuleContext): RuleAnswer {
  const { op } = query;
  const input = operandAt(query, 0);
  if (isSharded(input.layout) || wantsShards(query)) {
    return refuseLayout(
      op,
      "slice/sharded",
      "the backend accepts sharded slices and computes wrong results (tt-metal 39074, 38016)",
      "tt-metal:slice",
    );
  }
  const rank = input.shape.length;
  for (const bounds of writtenBounds(op)) {
    if (bounds.length !== rank) {
      return refuseConfig(op, "slice/rank", `${bounds.length} bounds for rank ${rank}`);
    }
  }
  const kind = sliceKind(op, asProgramTensor(input));
  if (kind === "elements" && isBlockFloat(input.layout.dataType)) {
    return refuseConfig(op, "slice/step", `steps other than 1 of ${input.layout.dataType}`);
  }
  const output = placeOutput(query, context, {
    whenNull: input.layout,
    page: pagesOf(input.layout),
    ...comesOutAsRows(input, kind) ? { dataType: "bf16" as const } : {},
  });
  if (isRefusal(output)) return output;
  const fault = kind === "rows" || kind === "elements" ? paddedBytesFault(op, input, output) : undefined;
  if (fault !== undefined) return fault;
  return kind === "nothing" && keepsPlace(asProgramTensor(input), asProgramTensor(output))
    ? acceptView(output, context)
    : accept({ outputs: [output] }, context);
}

/** Whether block-float tiles are untilized on the way and come back as bf16. */
function comesOutAsRows({ layout }: Tensor, kind: SliceKind): boolean {
  return kind === "rows" && isBlockFloat(layout.dataType);
}

export const SLICE_RULES: RulesOf<"slice"> = {
  /** Rule of `slice_static` and `slice_dynamic` (the latter reads its bounds from operands 1 and 2). */
  slice: defineRule({
    strategy: { hints: "non_sharded", inputs: ["not_sharded"], exploresReshards: false },
    evaluate: evaluateSlice,
  }),
};
