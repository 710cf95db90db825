// SPDX-License-Identifier: Apache-2.0
import type { Policy } from "../lib/policy/policy.ts";
import { didYouMean } from "./closest.ts";
import { UsageError } from "./command.ts";
import { POLICIES } from "./policy_manifest.ts";

/** Names of all policies, in the order of lists. */
export const POLICY_NAMES: readonly string[] = POLICIES.map(({ name }) => name);

/**
 * The policy of a name, whose code is loaded here.
 *
 * @throws {UsageError} for unknown names, with the names that exist
 */
export async function choosePolicy(name: string): Promise<Policy> {
  const load = POLICY_CODE.get(name);
  if (load === undefined) throw unknownPolicy(name);
  return (await load()).policy;
}

/** The error for an unknown policy, with the names that exist. */
export function unknownPolicy(name: string): UsageError {
  const names = POLICY_NAMES;
  return new UsageError(
    `Unknown policy '${name}'${didYouMean(name, names, `Policies: ${names.join(", ")}`)}`,
  );
}

// Written by `deno task policies`; do not edit.

/**
 * Loads the code of a policy, by its name. Deno reads everything that a literal `import()` names before it starts
 * anything; `satisfies` makes the names none, which bundles can follow all the same.
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
