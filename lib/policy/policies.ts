// SPDX-License-Identifier: Apache-2.0
import { GREEDY_POLICY } from "./greedy_policy.ts";
import { DRAM_POLICY, L1_INTERLEAVED_POLICY } from "./interleaved_policies.ts";
import type { Policy } from "./policy.ts";

/** Every policy, in the order in which help lists them. A new policy is one more entry here. */
export const policies: readonly Policy[] = [
  DRAM_POLICY,
  L1_INTERLEAVED_POLICY,
  GREEDY_POLICY,
];

/** The policy of a name, `undefined` when there is none. */
export function findPolicy(name: string): Policy | undefined {
  return policies.find((policy) => policy.name === name);
}
