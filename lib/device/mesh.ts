// SPDX-License-Identifier: Apache-2.0

/** A number of chips, or that the graph does not tell it. */
export type ChipCount = number | "unknown";

/**
 * Chips among which one collective exchanges data: the extent of the mesh along its `cluster_axis`. Without an axis the
 * only one with more than one chip is meant; where there are several, or no mesh, the graph says nothing.
 *
 * @example
 * ```ts
 * import { chipsAlong } from "@tilewright/tilewright";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(chipsAlong([2, 4], 1), 4);
 * assertEquals(chipsAlong([2, 4], undefined), "unknown");
 * ```
 *
 * @param meshShape chips along each axis; `[]` for one chip without a mesh
 */
export function chipsAlong(meshShape: readonly number[], clusterAxis: number | undefined): ChipCount {
  if (clusterAxis !== undefined) return meshShape[clusterAxis] ?? "unknown";
  const [only, ...others] = meshShape.filter((extent) => extent > 1);
  return only === undefined || others.length > 0 ? "unknown" : only;
}
