// SPDX-License-Identifier: Apache-2.0
import { planDfSharding } from "../../chains/plan_chains.ts";
import { SHARD_SOLVER_OPTIONS } from "../options.ts";
import { planByChains } from "../plan_by_chains.ts";
import type { Policy } from "../policy.ts";
import { freely } from "../freely.ts";

/** Chains keep their tensors in L1; tensors between chains are in DRAM. */
export const policy: Policy = freely({
  name: "df-sharding",
  summary:
    "Chains of ops solved by the ShardSolver, spilled to DRAM between chains (tt-mlir's former default)",
  rank: 7,
  freedom: "confirmed",
  options: SHARD_SOLVER_OPTIONS,
  onlySharded: true,
  compilerName: "DFSharding",
  decide: (context) =>
    planByChains(
      context,
      policy.name,
      (chains) => planDfSharding(chains, context.traceSolver),
    ),
});
