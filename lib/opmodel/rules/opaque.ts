// SPDX-License-Identifier: Apache-2.0
import { type ConstraintQuery, defineRule, type OpRule, type RuleContext, type RulesOf } from "../rule.ts";
import { definitionOf } from "../../ops/op_book.ts";
import { intern, respread } from "../place_output.ts";
import { isSharded } from "../../layout/ttnn_layout.ts";
import type { Tensor } from "../tensor.ts";
import { accept, refuse, type RuleAnswer } from "../verdict.ts";

/**
 * Rule of an op that runs as the input has it: whatever the hint says comes out, nothing is known of its circular
 * buffers. Used for ops that nobody has described and for ops that no policy may move (CCL, host transfers, traces).
 * Pages of any memory can be read by their numbers; what it makes of shards nobody knows, so that it gets none beyond the
 * input's.
 */
function fixedRule(): OpRule {
  return defineRule({
    strategy: { hints: "null", inputs: ["not_sharded"], exploresReshards: false },
    evaluate: asTheInputHasIt,
  });
}

function asTheInputHasIt(query: ConstraintQuery, context: RuleContext): RuleAnswer {
  const { hint, op } = query;
  const written = query.operands[definitionOf(op.name).inPlaceOperand ?? -1];
  if (written !== undefined && query.hintId !== undefined && written.layoutId !== query.hintId) {
    return refuse(
      "unsupported_layout",
      "collective/in-place",
      `${op.name}: the result is the tensor that it writes, which lies elsewhere`,
      "tt-metal:point-to-point",
    );
  }
  const outputs = op.results.map((result, index): Tensor | undefined => {
    if (result === undefined || hint === undefined) return undefined;
    if (index === 0 && query.hintId !== undefined) {
      return { shape: result.shape, layout: hint, layoutId: query.hintId };
    }
    if (isSharded(hint)) return undefined;
    return intern(result.shape, respread(hint, { ...result, tile: hint.tile }), context);
  });
  return accept({ outputs }, context);
}

/** The rules of what runs as the input has it. */
export const OPAQUE_RULES: RulesOf<"fixed" | "opaque"> = {
  fixed: fixedRule(),
  opaque: fixedRule(),
};
