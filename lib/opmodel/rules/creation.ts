// SPDX-License-Identifier: Apache-2.0
import { DRAM_INTERLEAVED, placeOutput } from "../place_output.ts";
import { type ConstraintQuery, defineRule, type RulesOf } from "../rule.ts";
import type { Verdict } from "../verdict.ts";
import { onHost } from "./memory_move.ts";

/** Rule of ops that make a tensor from attributes: the hint's memory, DRAM interleaved for NULL. */
const RULE = defineRule({ evaluate: evaluateCreation });

function evaluateCreation(query: ConstraintQuery): Verdict {
  const { op, hint } = query;
  if (hint?.bufferType === "system_memory") return onHost(query);
  const resultType = op.results[0]?.dataType;
  const output = placeOutput(query, {
    whenNull: DRAM_INTERLEAVED,
    page: hint === undefined || hint.tile !== undefined ? "tile" : "row_major",
    ...(resultType === undefined ? {} : { dataType: resultType }),
  });
  return { outputs: [output] };
}

export const CREATION_RULES: RulesOf<"creation" | "empty" | "rand"> = {
  creation: RULE,
  empty: RULE,
  rand: RULE,
};
