// SPDX-License-Identifier: Apache-2.0
import { findPolicy, policies } from "../lib/policy/policies.ts";
import type { Policy } from "../lib/policy/policy.ts";
import { didYouMean } from "./closest.ts";
import { UsageError } from "./command.ts";

/**
 * The policy of a name.
 *
 * @throws {UsageError} for unknown names, with the names that exist
 */
export function choosePolicy(name: string): Policy {
  const policy = findPolicy(name);
  if (policy !== undefined) return policy;
  const names = policies.map((candidate) => candidate.name);
  throw new UsageError(
    `Unknown policy '${name}'${didYouMean(name, names)} Policies: ${names.join(", ")}`,
  );
}
