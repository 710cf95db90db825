// SPDX-License-Identifier: Apache-2.0
import { planDfSharding2 } from "../../chains/plan_chains.ts";
import { SHARD_SOLVER_OPTIONS } from "../options.ts";
import { planByChains } from "../plan_by_chains.ts";
import type { Policy } from "../policy.ts";
import { freely } from "../freely.ts";

/** Chains whose outputs stay in L1 until their last reader. */
export const policy: Policy = freely({
  name: "df-sharding-2",
  summary: "Chains as in df-sharding, merged where their outputs can stay in L1 until they are read",
  rank: 8,
  freedom: "confirmed",
  options: SHARD_SOLVER_OPTIONS,
  onlySharded: true,
  decide: (context) =>
    planByChains(
      context,
      policy.name,
      (chains) => planDfSharding2(chains, context.cost, context.traceSolver),
    ),
});
