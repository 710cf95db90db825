// SPDX-License-Identifier: Apache-2.0
import names from "./python_ops.json" with { type: "json" };

/**
 * Python names of ops of ttnn 0.81.1 that the dialect lacks, by name without underscores: `highbwallgather`. No backward
 * forms (`exp_bw`), no in-place forms (`add_`), no calls that compute nothing, no comparisons of tests.
 */
export const PYTHON_OPS: ReadonlyMap<string, string> = new Map(
  Object.entries(names).flatMap(([module, ops]) =>
    ops.split(" ").map((name) => [name.replaceAll("_", ""), `ttnn.${module}${name}`] as const)
  ),
);
