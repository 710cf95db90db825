// SPDX-License-Identifier: Apache-2.0
import { isDecided } from "../../lib/graph/function_role.ts";
import type { GraphFunction } from "../../lib/graph/graph.ts";
import { type L1Region, l1Region } from "../../lib/memory/l1_timeline.ts";
import { boundFunction, withWaits } from "../../lib/optimal/lower_bound.ts";
import type { Freedom } from "../../lib/optimal/exploration/way_table.ts";
import { withLiveActivationsKept } from "../../lib/plan/live_activations.ts";
import type { FunctionPlan } from "../../lib/plan/plan.ts";
import type { PolicyOptions } from "../../lib/policy/options.ts";
import { LayoutProgram } from "../../lib/search/layout_program.ts";
import { OpEvaluator } from "../../lib/search/op_evaluator.ts";
import { opRoles } from "../../lib/search/op_roles.ts";
import type { Workbench } from "../load.ts";
import { copiesByRule, type GapHelp } from "./gap_helps.ts";

/** The optimum of a function over the explored layouts, with the actual L1 and with more. */
export interface FreeOptimum {
  /** The best assignment with unlimited L1; `undefined` if the op model confirms none. */
  readonly plan: FunctionPlan | undefined;
  /** Its µs; `Infinity` without one. */
  readonly freeUs: number;
  /** Lower bound in µs for the actual L1. */
  readonly boundUs: number;
  /** The same with this many more bytes per core. */
  readonly boundWith: (more: number) => number;
  /** Copies in it that rules of the op model force. */
  readonly forcedCopies: readonly GapHelp[];
}

/**
 * Optima over the explored layouts, by name of the functions that policies decide.
 *
 * @param freedom what plans may do
 */
export function freeOptima(
  workbench: Workbench,
  options: PolicyOptions,
  freedom: Freedom,
): ReadonlyMap<string, FreeOptimum> {
  const { binding: { graph }, opModel } = workbench;
  const region = l1Region(opModel.chip, options.tensorL1UsageCap, graph.constEvalL1Bytes);
  return new Map(
    graph.functions.filter(isDecided)
      .map((fn) => [fn.name, freeOptimum(fn, workbench, options, region, freedom)]),
  );
}

function freeOptimum(
  fn: GraphFunction,
  { planning }: Workbench,
  options: PolicyOptions,
  region: L1Region,
  freedom: Freedom,
): FreeOptimum {
  const { opModel, cost } = planning();
  const evaluator = new OpEvaluator(fn, opModel, cost, options);
  const roles = opRoles(evaluator);
  const boundIn = (l1: L1Region) => withWaits(boundFunction(evaluator, roles, l1, freedom));
  const free = boundIn(withMore(region, Number.MAX_SAFE_INTEGER - region.top));
  const program = LayoutProgram.fromAssignment(evaluator, free.assignment);
  const isPossible = Number.isFinite(free.microseconds);
  return {
    plan: isPossible ? withLiveActivationsKept(evaluator, program.toPlan()) : undefined,
    freeUs: free.microseconds,
    boundUs: boundIn(region).microseconds,
    boundWith: (more) => boundIn(withMore(region, more)).microseconds,
    forcedCopies: isPossible ? copiesByRule(evaluator, program, region.budget) : [],
  };
}
/** A region of L1 with more bytes; the op model limits single ops itself. */
function withMore(region: L1Region, bytes: number): L1Region {
  return { ...region, top: region.top + bytes, budget: region.budget + bytes };
}
