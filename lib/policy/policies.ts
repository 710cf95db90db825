// SPDX-License-Identifier: Apache-2.0
import { inputError } from "../diagnostics/diagnostic.ts";
import { EVERY_POLICY } from "./policies/every_policy.ts";
import type { Policy } from "./policy.ts";

/** Every policy, in the order of the help text. */
export const policies: readonly Policy[] = EVERY_POLICY.toSorted((a, b) => a.rank - b.rank);

/** Names of all policies, in the same order. */
export const POLICY_NAMES: readonly string[] = policies.map(({ name }) => name);

/**
 * The policy with this name.
 *
 * @example
 * ```ts
 * import { getPolicy } from "@tilewright/tilewright";
 * import { policies } from "@tilewright/tilewright/policy";
 * import { assertEquals, assertThrows } from "@std/assert";
 *
 * assertEquals(getPolicy("greedy").name, "greedy");
 * assertEquals(policies.every(({ name }) => getPolicy(name).name === name), true);
 * assertThrows(() => getPolicy("no such policy"), Error, "policies are auto");
 * ```
 *
 * @throws {DiagnosticError} for an unknown name
 */
export function getPolicy(name: string): Policy {
  const policy = policies.find((candidate) => candidate.name === name);
  if (policy !== undefined) return policy;
  throw inputError(
    "policy/unknown",
    `Cannot find policy ${JSON.stringify(name)}: policies are ${POLICY_NAMES.join(", ")}`,
  );
}
