// SPDX-License-Identifier: Apache-2.0
import type { Policy } from "../lib/policy/policy.ts";
import { didYouMean } from "./closest.ts";
import { UsageError } from "./command.ts";
import { POLICY_NAMES } from "./commands/policy_options.ts";
import { POLICY_CODE } from "./policy_code.ts";

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
  const rest = `Policies: ${POLICY_NAMES.join(", ")}`;
  return new UsageError(`Unknown policy '${name}'${didYouMean(name, POLICY_NAMES, rest)}`);
}
