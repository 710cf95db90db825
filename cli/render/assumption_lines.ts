// SPDX-License-Identifier: Apache-2.0
import type { AssumptionUse } from "../../sim/timeline/timeline.ts";
import { plural } from "./format.ts";

/** Assumptions of the times beyond the graph, with the options that change them. */
export function assumptionLines(assumptions: readonly AssumptionUse[]): readonly string[] {
  const [first] = assumptions;
  if (first === undefined) return [];
  const all = assumptions.map(({ supposed, option }) => `${supposed} (--${option})`).join(", ");
  return [`Assumed    for ${plural(first.ops, "op")}: ${all}`];
}
