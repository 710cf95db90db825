// SPDX-License-Identifier: Apache-2.0
import { planDfSharding2 } from "../../chains/plan_chains.ts";
import { chainPolicy } from "../chain_policy.ts";
import { SHARD_SOLVER_OPTIONS } from "../options.ts";
import type { Policy } from "../policy.ts";

/** Chains whose outputs stay in L1 until their last reader. */
export const policy: Policy = chainPolicy({
  name: "df-sharding-2",
  summary: "Chains as in df-sharding, merged where their outputs can stay in L1 until they are read",
  rank: 8,
  planKind: "confirmed",
  options: SHARD_SOLVER_OPTIONS,
  needsSharding: true,
  plan: (chains, { cost, traceSolver }) => planDfSharding2(chains, cost, traceSolver),
});
