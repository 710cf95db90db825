// SPDX-License-Identifier: Apache-2.0
import { getPolicy, POLICY_NAMES } from "../lib/policy/policies.ts";
import type { Policy } from "../lib/policy/policy.ts";
import { didYouMean } from "./closest.ts";
import { UsageError } from "./command.ts";

/**
 * The policy of a name.
 *
 * @throws {UsageError} for unknown names, with the names that exist
 */
export function choosePolicy(name: string): Policy {
  if (POLICY_NAMES.includes(name)) return getPolicy(name);
  throw new UsageError(
    `Unknown policy '${name}'${didYouMean(name, POLICY_NAMES, `Policies: ${POLICY_NAMES.join(", ")}`)}`,
  );
}
