// SPDX-License-Identifier: Apache-2.0
import { EVERY_POLICY } from "./policies/every_policy.ts";
import type { Policy } from "./policy.ts";

/** Every policy, in the order in which help lists them. */
export const policies: readonly Policy[] = EVERY_POLICY.toSorted((a, b) => a.place - b.place);

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
