// SPDX-License-Identifier: Apache-2.0
import type { Policy } from "../lib/policy/policy.ts";
import { didYouMean } from "./closest.ts";
import { UsageError } from "./command.ts";
import { POLICY_CODE } from "./policy_code.ts";
import { POLICIES } from "./policy_manifest.ts";

/** Names of all policies, in the order of lists. */
export const POLICY_NAMES: readonly string[] = POLICIES.map(({ name }) => name);

/**
 * Loads the policy of a name.
 *
 * @throws {UsageError} for unknown names; it lists the names
 */
export async function choosePolicy(name: string): Promise<Policy> {
  const load = POLICY_CODE.get(name);
  if (load === undefined) throw unknownPolicy(name);
  return (await load()).policy;
}

/** The error for an unknown policy; it lists the names. */
export function unknownPolicy(name: string): UsageError {
  const names = POLICY_NAMES;
  return new UsageError(
    `Unknown policy '${name}'${didYouMean(name, names, `Policies: ${names.join(", ")}`)}`,
  );
}
