// SPDX-License-Identifier: Apache-2.0
import { isSharded } from "../../layout/ttnn_layout.ts";
import { readInteger } from "../../dialect/attribute_values.ts";
import { placeOutput } from "../place_output.ts";
import { type ConstraintQuery, defineRule, type RuleContext, type RulesOf } from "../rule.ts";
import type { Tensor } from "../tensor.ts";
import { accept, isRefusal, refuseLayout, refuseOperand, type RuleAnswer } from "../verdict.ts";
import { operandAt, wantsShards } from "./program.ts";

const SOURCE = "ttnn:backend-0-81-1";

/**
 * Rule of `sort`: values and indices in one memory, the hint's. Other dimensions than the last go through transposed
 * copies in the input's memory, where the results stay.
 */
function evaluateSort(query: ConstraintQuery, context: RuleContext): RuleAnswer {
  const input = operandAt(query, 0);
  const dim = readInteger(query.op.attributes, "dim") ?? -1;
  const turns = dim !== -1 && dim !== input.shape.length - 1;
  if (turns && (isSharded(input.layout) || wantsShards(query))) {
    return refuseLayout(query.op, "sort/turned-shards", "other dimensions are sorted interleaved", SOURCE);
  }
  return placeBoth(query, context, turns ? input : undefined);
}

/** Rule of `topk`: tiles in, values and indices in one memory out. */
function evaluateTopk(query: ConstraintQuery, context: RuleContext): RuleAnswer {
  const input = operandAt(query, 0);
  if (wantsShards(query) || (query.hint === undefined && isSharded(input.layout))) {
    return refuseLayout(query.op, "topk/sharded-output", "the output must be interleaved", SOURCE);
  }
  if (input.layout.tile === undefined) {
    return refuseOperand(query.op, "topk/tile", 0, input, "must be tiled", SOURCE);
  }
  return placeBoth(query, context, undefined);
}

/** Width of a row from which its indices do not fit 16 bits. */
const MOST_COUNTED = 65536;

/** Values and indices in the memory of a tensor; of the hint, else of the input, if there is none. */
function placeBoth(query: ConstraintQuery, context: RuleContext, like: Tensor | undefined): RuleAnswer {
  const { layout, shape } = operandAt(query, 0);
  const memory = like?.layout ?? query.hint ?? layout;
  const values = placeOutput(query, context, {
    whenNull: layout,
    nullShards: "kept",
    ...(like === undefined ? {} : { hint: null }),
  });
  if (isRefusal(values)) return values;
  if (query.op.results.length < 2) return accept({ outputs: [values] }, context);
  const indices = placeOutput(query, context, {
    result: 1,
    whenNull: memory,
    nullShards: "kept",
    hint: null,
    // Values of four bytes, and rows that 16 bits do not count, have indices of four.
    dataType: layout.dataType === "f32" || (shape.at(-1) ?? 1) >= MOST_COUNTED ? "u32" : "u16",
  });
  return isRefusal(indices) ? indices : accept({ outputs: [values, indices] }, context);
}

/** The rules of sorts. */
export const SORT_RULES: RulesOf<"sort" | "topk"> = {
  sort: defineRule({ evaluate: evaluateSort }),
  topk: defineRule({ evaluate: evaluateTopk }),
};
