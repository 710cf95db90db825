// SPDX-License-Identifier: Apache-2.0
import { DRAM_INTERLEAVED, placeOutput } from "../place_output.ts";
import { type ConstraintQuery, defineRule, type OpRule, type RuleContext, type RulesOf } from "../rule.ts";
import { acceptOne, type OrRefusal } from "../verdict.ts";
import type { Tensor } from "../tensor.ts";

/** Rule of ops that make a tensor from attributes: the hint's memory, DRAM interleaved for NULL. */
function creationRule(): OpRule {
  return defineRule({
    evaluate: (query, context) => {
      const output = created(query, context);
      return acceptOne(output, context);
    },
  });
}

function created(query: ConstraintQuery, context: RuleContext): OrRefusal<Tensor> {
  const { hint, hintId } = query;
  const type = query.op.results[0];
  if (hint?.bufferType === "system_memory" && hintId !== undefined && type !== undefined) {
    return { shape: type.shape, layout: hint, layoutId: hintId };
  }
  const page = query.hint === undefined || query.hint.tile !== undefined ? "tile" : "row_major";
  const resultType = query.op.results[0]?.dataType;
  return placeOutput(query, context, {
    whenNull: DRAM_INTERLEAVED,
    page,
    ...(resultType === undefined ? {} : { dataType: resultType }),
  });
}

const RULE = creationRule();

/** The rules of creation. */
export const CREATION_RULES: RulesOf<"creation" | "empty" | "rand"> = {
  creation: RULE,
  empty: RULE,
  rand: RULE,
};
