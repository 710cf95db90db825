// SPDX-License-Identifier: Apache-2.0

/** Names for `--policy`, kept apart from the policies themselves so that `--help` loads none of them. */
export const POLICY_NAMES: readonly string[] = [
  "dram",
  "l1-interleaved",
  "greedy",
  "beam",
  "beam-cost",
  "optimal",
  "df-sharding",
  "df-sharding-2",
  "greedy-l1-interleaved",
  "bf-interleaved",
];
