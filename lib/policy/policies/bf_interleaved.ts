// SPDX-License-Identifier: Apache-2.0
import { fitPlan } from "../../chains/fit_plan.ts";
import { bfInterleavedChoices } from "../../chains/interleaved_choices.ts";
import { chainPolicy } from "../chain_policy.ts";
import { CHAIN_OPTIONS } from "../options.ts";
import type { Policy } from "../policy.ts";

/** No sharding, breadth first. */
export const policy: Policy = chainPolicy({
  name: "bf-interleaved",
  summary: "L1 interleaved breadth first, the op that adds least to L1 next (tt-mlir's former baseline)",
  rank: 10,
  planKind: "confirmed",
  options: CHAIN_OPTIONS,
  compilerName: "BFInterleaved",
  plan: (context) => fitPlan({ context, ...bfInterleavedChoices(context), chains: [] }).plan,
});
