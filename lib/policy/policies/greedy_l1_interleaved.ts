// SPDX-License-Identifier: Apache-2.0
import { fitPlan } from "../../chains/fit_plan.ts";
import { greedyL1InterleavedChoices } from "../../chains/interleaved_choices.ts";
import { chainPolicy } from "../chain_policy.ts";
import { CHAIN_OPTIONS } from "../options.ts";
import type { Policy } from "../policy.ts";

/** No sharding, L1 by usage. */
export const policy: Policy = chainPolicy({
  name: "greedy-l1-interleaved",
  summary:
    "L1 interleaved for the results that fill L1 best, ordered by what they need (tt-mlir's former baseline)",
  rank: 9,
  planKind: "confirmed",
  options: CHAIN_OPTIONS,
  compilerName: "GreedyL1Interleaved",
  plan: (context) => fitPlan({ context, ...greedyL1InterleavedChoices(context), chains: [] }).plan,
});
