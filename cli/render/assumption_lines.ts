// SPDX-License-Identifier: Apache-2.0
import type { AssumptionUse } from "../../sim/timeline/timeline.ts";
import { plural } from "./format.ts";

/** What times assume beyond the graph, with the options that change it. */
export function assumptionLines(assumptions: readonly AssumptionUse[]): readonly string[] {
  const [first] = assumptions;
  if (first === undefined) return [];
  const all = assumptions.map(({ supposed, option }) => `${supposed} (--${option})`).join(", ");
  return [`Assumed    for ${plural(first.ops, "op")}: ${all}`];
}
