// SPDX-License-Identifier: Apache-2.0
import type { GraphFunction } from "../graph/graph.ts";
import { type L1Region, l1Region } from "../memory/l1_schedule.ts";
import { type PlanMemory, simulateMemory } from "../memory/plan_memory.ts";
import type { FunctionPlan } from "../plan/plan.ts";
import type { PolicyContext } from "./policy.ts";

/** What the plans of a graph are placed in L1 with. */
type PlacedIn = Pick<PolicyContext, "graph" | "opModel" | "options">;

/** The L1 that the plans of a graph may fill. */
export function regionOf({ graph, opModel, options }: PlacedIn): L1Region {
  return l1Region(opModel.chip, options.tensorL1UsageCap, graph.constEvalL1Bytes);
}

/** A plan of a function, placed in L1 by address. */
export function memoryOf(
  { graph, opModel, options }: PlacedIn,
  fn: GraphFunction,
  plan: FunctionPlan,
  record: "all" | "failures" = "failures",
): PlanMemory {
  const { constEvalL1Bytes } = graph;
  return simulateMemory(fn, plan, opModel, { cap: options.tensorL1UsageCap, constEvalL1Bytes, record });
}

/** Steps that do not fit, do not run, or cannot be checked. */
export function faultsOf({ verdict: { misfits, refusedOps, uncheckedOps } }: PlanMemory): number {
  return misfits.length + refusedOps.length + uncheckedOps.length;
}
