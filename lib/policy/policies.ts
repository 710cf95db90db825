// SPDX-License-Identifier: Apache-2.0
import { CHAIN_POLICIES } from "./chain_policies.ts";
import { BEAM_COST_POLICY, BEAM_POLICY, GREEDY_POLICY } from "./beam_policies.ts";
import { DRAM_POLICY, L1_INTERLEAVED_POLICY } from "./interleaved_policies.ts";
import { OPTIMAL_POLICY } from "./optimal_policy.ts";
import type { Policy } from "./policy.ts";

/** Every policy, in the order in which help lists them. A new policy is one more entry here. */
export const policies: readonly Policy[] = [
  DRAM_POLICY,
  L1_INTERLEAVED_POLICY,
  GREEDY_POLICY,
  BEAM_POLICY,
  BEAM_COST_POLICY,
  OPTIMAL_POLICY,
  ...CHAIN_POLICIES,
];

/**
 * The policy of a name, `undefined` when there is none.
 *
 * @example
 * ```ts
 * import { findPolicy, policies } from "@tilewright/tilewright";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(findPolicy("greedy")?.name, "greedy");
 * assertEquals(findPolicy("no such policy"), undefined);
 * assertEquals(policies.every(({ name }) => findPolicy(name)?.name === name), true);
 * ```
 */
export function findPolicy(name: string): Policy | undefined {
  return policies.find((policy) => policy.name === name);
}
