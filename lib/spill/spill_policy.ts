// SPDX-License-Identifier: Apache-2.0

/**
 * How pass 2 picks the tensors that leave L1: one after the other ({@linkcode GreedySpillPolicy}); `evict`: the
 * one with the farthest last reader, copied behind its producer as in tt-mlir's compiler; `exact`: by
 * search over all of their moves, compared with all greedy ones.
 */
export type SpillPolicyName = GreedySpillPolicy | "evict" | "exact";

/** The policies that move one tensor after another, each by its cheapest move. */
export type GreedySpillPolicy = "farthest-next-use" | "farthest-last-use" | "cost-aware";

/** All greedy policies, for `exact`, which compares itself with them, and for comparisons. */
export const GREEDY_SPILL_POLICIES: readonly GreedySpillPolicy[] = [
  "farthest-next-use",
  "farthest-last-use",
  "cost-aware",
];

/** All names, for help and checks. */
export const SPILL_POLICY_NAMES: readonly SpillPolicyName[] = [
  ...GREEDY_SPILL_POLICIES,
  "evict",
  "exact",
];

/** A tensor that could leave L1 at a position where L1 is short. Positions refer to the schedule. */
export interface Victim {
  /** Bytes per core. */
  readonly bytes: number;
  /** Position of the first reader at or after that position. */
  readonly nextUse: number;
  /** Position of the last reader. */
  readonly lastUse: number;
  /** µs of the cheapest move. */
  readonly microseconds: number;
}

/**
 * Rank of a victim at a position of the schedule; the highest moves first. Ranks of two policies cannot be compared.
 *
 * - `farthest-next-use`: position of the next reader (Belady's rule);
 * - `farthest-last-use`: position of the last reader (tt-mlir:l1-spill-management);
 * - `cost-aware`: least µs lost per byte and step freed, until the next reader (derived:exact-spills).
 */
export function rankVictim(
  policy: GreedySpillPolicy,
  victim: Victim,
  position: number,
): number {
  switch (policy) {
    case "farthest-next-use":
      return victim.nextUse;
    case "farthest-last-use":
      return victim.lastUse;
    case "cost-aware":
      return -victim.microseconds / (victim.bytes * Math.max(1, victim.nextUse - position));
  }
}
