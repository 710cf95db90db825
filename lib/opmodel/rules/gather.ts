// SPDX-License-Identifier: Apache-2.0
import { pagesOf } from "../../layout/ttnn_layout.ts";
import { DRAM_INTERLEAVED, placeOutput } from "../place_output.ts";
import { defineRule, type OpRule, type RulesOf } from "../rule.ts";
import { accept, isRefusal } from "../verdict.ts";
import { isL1Sharded, operandAt } from "./program.ts";

/** Rule of ops that read their input by index: the result has its pages; without hint its memory, but no shards. */
function indexedRule(): OpRule {
  return defineRule({
    evaluate: (query, context) => {
      const input = operandAt(query, 0);
      const output = placeOutput(query, context, {
        whenNull: isL1Sharded(input) ? DRAM_INTERLEAVED : input.layout,
        page: pagesOf(input.layout),
      });
      return isRefusal(output) ? output : accept({ outputs: [output] }, context);
    },
  });
}

/** The rules of gather and scatter. */
export const GATHER_RULES: RulesOf<"gather" | "scatter"> = {
  gather: indexedRule(),
  scatter: indexedRule(),
};
