// SPDX-License-Identifier: Apache-2.0
import { planDfSharding } from "../../chains/plan_chains.ts";
import { chainPolicy } from "../chain_policy.ts";
import { SHARD_SOLVER_OPTIONS } from "../options.ts";
import type { Policy } from "../policy.ts";

/** Chains keep their tensors in L1; tensors between chains are in DRAM. */
export const policy: Policy = chainPolicy({
  name: "df-sharding",
  summary:
    "Chains of ops solved by the ShardSolver, spilled to DRAM between chains (tt-mlir's former default)",
  rank: 7,
  planKind: "confirmed",
  options: SHARD_SOLVER_OPTIONS,
  needsSharding: true,
  compilerName: "DFSharding",
  plan: (chains, { traceSolver }) => planDfSharding(chains, traceSolver),
});
