// SPDX-License-Identifier: Apache-2.0

/**
 * The name of an MLIR `NameLoc`: `loc("add_1"("model.py":3:7))` and `loc("add_1")` have one; file, fused,
 * call-site and unknown locations do not. Overrides refer to ops by it (tt-mlir `OptimizerOverrides`).
 *
 * @param location text of a location with aliases resolved, with or without the `loc(…)` around it
 */
export function nameOfLocation(location: string): string | undefined {
  const inner = /^\s*(?:loc\()?\s*"((?:[^"\\]|\\.)*)"\s*(.?)/s.exec(location);
  if (inner === null || inner[1] === undefined) return undefined;
  return inner[2] === ":" ? undefined : inner[1];
}
