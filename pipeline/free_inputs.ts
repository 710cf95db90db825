// SPDX-License-Identifier: Apache-2.0
import { isDecided } from "../lib/graph/function_role.ts";
import { type GraphFunction, valueAt } from "../lib/graph/graph.ts";
import { type PlacedInputs, placeInputs } from "../lib/passes/free_inputs.ts";
import type { TtnnLayout } from "../lib/layout/ttnn_layout.ts";
import type { FunctionPlan } from "../lib/plan/plan.ts";
import type { PolicyOptions } from "../lib/policy/options.ts";
import { afterPasses, type DecidedGraph, isBetter } from "./decided_graph.ts";
import type { Workbench } from "./load.ts";

/**
 * The faster of a plan and the one with inputs that arrive in the layouts to which the first plan copies them; the caller can place them there.
 *
 * @param decide decides a graph with the same policy
 */
export function withPlacedInputs(
  first: DecidedGraph,
  options: PolicyOptions,
  decide: (workbench: Workbench) => DecidedGraph,
): DecidedGraph {
  const { workbench, plan, timeline } = first;
  const placed: PlacedInputs = new Map(
    workbench.binding.graph.functions.filter(isDecided).map((fn) => {
      const planned = plan.functions.find(({ name }) => name === fn.name);
      return [fn.name, planned === undefined ? new Map() : placesOf(fn, planned)];
    }),
  );
  if ([...placed.values()].every(({ size }) => size === 0)) return first;
  const moved = afterPasses(workbench, [placeInputs(placed)], options);
  if (moved === undefined) return first;
  const tried = decide(moved);
  return isBetter(tried.timeline, timeline) ? tried : first;
}

/** Layouts of the copies of inputs that have no other reader than one copy. */
function placesOf(fn: GraphFunction, plan: FunctionPlan): ReadonlyMap<number, TtnnLayout> {
  return new Map(
    fn.arguments.flatMap((id, index): readonly (readonly [number, TtnnLayout])[] => {
      const { definition, uses, returned } = valueAt(fn, id);
      if (definition.kind !== "argument" || definition.isKvCache || returned > 0) return [];
      if (definition.argumentType !== "input" && definition.argumentType !== "default") return [];
      const [copy, ...more] = plan.conversions.filter(({ value, source }) =>
        value === id && source.kind === "value"
      );
      const isCopied = uses.every(({ op, operand }) =>
        plan.decisions[op]?.operands[operand]?.kind === "conversion"
      );
      return copy === undefined || more.length > 0 || !isCopied ? [] : [[index, copy.layout]];
    }),
  );
}
