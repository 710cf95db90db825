// SPDX-License-Identifier: Apache-2.0
// Written by `deno task policies`; do not edit.
import type { Policy } from "../lib/policy/policy.ts";

/**
 * Loads the code of a policy by its name. Deno loads the module of a literal `import()` before it starts;
 * `satisfies` makes the name no literal, but bundlers still follow it.
 */
export const POLICY_CODE: ReadonlyMap<string, () => Promise<{ readonly policy: Policy }>> = new Map([
  ["auto", () => import("../lib/policy/policies/auto.ts" satisfies string)],
  ["dram", () => import("../lib/policy/policies/dram.ts" satisfies string)],
  ["l1-interleaved", () => import("../lib/policy/policies/l1_interleaved.ts" satisfies string)],
  ["greedy", () => import("../lib/policy/policies/greedy.ts" satisfies string)],
  ["beam", () => import("../lib/policy/policies/beam.ts" satisfies string)],
  ["beam-cost", () => import("../lib/policy/policies/beam_cost.ts" satisfies string)],
  ["optimal", () => import("../lib/policy/policies/optimal.ts" satisfies string)],
  ["df-sharding", () => import("../lib/policy/policies/df_sharding.ts" satisfies string)],
  ["df-sharding-2", () => import("../lib/policy/policies/df_sharding_2.ts" satisfies string)],
  ["greedy-l1-interleaved", () => import("../lib/policy/policies/greedy_l1_interleaved.ts" satisfies string)],
  ["bf-interleaved", () => import("../lib/policy/policies/bf_interleaved.ts" satisfies string)],
]);
