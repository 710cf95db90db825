// SPDX-License-Identifier: Apache-2.0
import type { Policy } from "../lib/policy/policy.ts";
import { didYouMean } from "./closest.ts";
import { UsageError } from "./command.ts";
import { POLICY_NAMES } from "./commands/policy_options.ts";
import { POLICIES } from "./policy_manifest.ts";

/**
 * Loads the policy of a name.
 *
 * @throws {UsageError} for unknown names; it lists the names
 */
export async function choosePolicy(name: string): Promise<Policy> {
  const entry = POLICIES.find((policy) => policy.name === name);
  if (entry === undefined) throw unknownPolicy(name);
  return (await entry.load()).policy;
}

/** The error for an unknown policy; it lists the names. */
export function unknownPolicy(name: string): UsageError {
  const rest = `Policies: ${POLICY_NAMES.join(", ")}`;
  return new UsageError(`Unknown policy '${name}'${didYouMean(name, POLICY_NAMES, rest)}`);
}
