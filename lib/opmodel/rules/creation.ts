// SPDX-License-Identifier: Apache-2.0
import { DRAM_INTERLEAVED, placeOutput } from "../place_output.ts";
import { type ConstraintQuery, defineRule, type OpRule, type RuleContext, type RulesOf } from "../rule.ts";
import { accept, isRefusal, type RuleAnswer } from "../verdict.ts";
import { copyBytes } from "./copy_bytes.ts";

/** Rule of ops that make a tensor from attributes: the hint's memory, DRAM interleaved for NULL. */
function creationRule(): OpRule {
  return defineRule({
    evaluate: (query, context) => evaluateCreation(query, context, false),
  });
}

function evaluateCreation(query: ConstraintQuery, context: RuleContext, random: boolean): RuleAnswer {
  const { hint, hintId } = query;
  const type = query.op.results[0];
  if (hint?.bufferType === "system_memory" && hintId !== undefined && type !== undefined) {
    return accept({ outputs: [{ shape: type.shape, layout: hint, layoutId: hintId }] }, context);
  }
  const page = query.hint === undefined || query.hint.tile !== undefined ? "tile" : "row_major";
  const resultType = query.op.results[0]?.dataType;
  const output = placeOutput(query, context, {
    whenNull: DRAM_INTERLEAVED,
    page,
    ...(resultType === undefined ? {} : { dataType: resultType }),
  });
  if (isRefusal(output)) return output;
  if (!random) return accept({ outputs: [output] }, context);
  const casts = output.layout.dataType !== "f32";
  const { tile, bufferType } = output.layout;
  const wide = { shape: output.shape, dataType: "f32", tile } as const;
  return accept({
    outputs: [output],
    intermediateL1Bytes: casts ? copyBytes(wide, bufferType, context) : 0,
  }, context);
}

/** The rules of creation. */
export const CREATION_RULES: RulesOf<"creation" | "empty" | "rand"> = {
  creation: creationRule(),
  empty: creationRule(),
  /** Rule of `rand`: uniform numbers in f32 first, then a typecast when another format is wanted (tt-mlir:op-model-tests). */
  rand: defineRule({
    evaluate: (query, context) => evaluateCreation(query, context, true),
  }),
};
