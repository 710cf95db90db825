// SPDX-License-Identifier: Apache-2.0
import { isDecided, roleOf } from "../../lib/graph/function_role.ts";
import type { Graph, GraphFunction } from "../../lib/graph/graph.ts";
import { type L1Region, l1Region } from "../../lib/memory/l1_schedule.ts";
import type { PlanKind } from "../../lib/optimal/exploration/impl_table.ts";
import { boundFunction, withWaits } from "../../lib/optimal/lower_bound.ts";
import { isOverridden } from "../../lib/overrides/overrides.ts";
import { withLiveActivationsKept } from "../../lib/plan/live_activations.ts";
import { beforeConfigs, type FunctionPlan, type Plan } from "../../lib/plan/plan.ts";
import { identityPlan } from "../../lib/plan/steps.ts";
import { hintConfigsOf } from "../../lib/policy/free.ts";
import type { PolicyOptions } from "../../lib/policy/options.ts";
import { LayoutProgram } from "../../lib/search/layout_program.ts";
import { OpEvaluator } from "../../lib/search/op_evaluator.ts";
import { opRoles } from "../../lib/search/op_roles.ts";
import { simulateGraph } from "../../sim/timeline/simulate.ts";
import type { Timeline } from "../../sim/timeline/timeline.ts";
import type { Workbench } from "../load.ts";
import { freeLowerBoundOf } from "../lower_bound.ts";
import {
  besideOverrides,
  comparedPlanKind,
  decidedWith,
  gapOfLayouts,
  gapOfPlan,
  type PlanGap,
} from "../plan_gap.ts";
import { copiesByRule, type GapHelp, greatestHelps } from "./gap_helps.ts";
import { type GapRegion, gapRegions } from "./gap_regions.ts";

/**
 * Breakdown of the time between a plan and its lower bound: `congestionUs + slackUs + Σ lostUs of regions −
 * unavoidableUs = predictedUs + configsSavedUs − lowerBoundUs`.
 */
export interface GapReport extends PlanGap {
  /** Predicted time of one inference, in µs. */
  readonly predictedUs: number;
  /** The plan's µs of network congestion minus those of the regions' optimum. */
  readonly congestionUs: number;
  /**
   * The optimum's µs minus the bound without L1 capacity, caused by copies that readers share and by waits for the
   * dispatcher that the bound does not know; 0 without that bound.
   */
  readonly slackUs: number;
  /** µs that the programs of the optimum wait for the dispatcher. */
  readonly waitsUs: number;
  /** The µs of the regions that every plan loses, because L1 is limited. */
  readonly unavoidableUs: number;
  /** Largest loss first. */
  readonly regions: readonly GapRegion[];
  /** The five changes that would help most. */
  readonly wouldHelp: readonly GapHelp[];
}
type FreeOptima = ReadonlyMap<string, FreeOptimum>;

/** Evaluators that functions were decided with, by function. */
export type KnownEvaluators = ReadonlyMap<GraphFunction, OpEvaluator>;

/**
 * Explains where and why a plan loses time compared with the best assignment of the explored layouts,
 * ignoring L1 capacity.
 *
 * @param plan of the workbench's graph
 * @param input the workbench before overrides changed element formats or pages
 * @param evaluators those that the plan was decided with, if they are known: they have most answers already
 */
export function gapReport(
  workbench: Workbench,
  plan: Plan,
  given: PolicyOptions,
  input: Workbench = workbench,
  evaluators: KnownEvaluators = new Map(),
): GapReport {
  const { graph } = workbench.binding;
  const options = decidedWith(plan, given);
  const planKind = comparedPlanKind(plan);
  const optima = freeOptima(workbench, options, planKind, evaluators);
  const layouts = { ...plan, functions: plan.functions.map(beforeConfigs) };
  const { finished, own, best, bestUs } = timelinesOf(workbench, layouts, optima, options);
  const { lowerBoundUs, freeUs, unavoidableUs } = sumOfBounds(graph, plan, optima, own);
  const { tensorL1UsageCap } = options;
  const timeline = simulateGraph(graph, plan, workbench, { tensorL1UsageCap });
  const predictedUs = timeline.inference.totalUs;
  const regions = gapRegions(graph, own, best);
  const forcedCopies = [...optima.values()].flatMap((optimum) => optimum.forcedCopies);
  const found = gapOfPlan(plan, timeline);
  const overridden = isOverridden(options.overrides);
  return {
    ...besideOverrides(
      found.certificate === undefined ? gapOfLayouts(plan, timeline, lowerBoundUs) : found,
      overridden,
      predictedUs,
      overridden ? freeLowerBoundOf(input, options, planKind).microseconds : undefined,
    ),
    predictedUs,
    congestionUs: finished.inference.totalUs - own.inference.totalUs - (bestUs - best.inference.totalUs),
    slackUs: Number.isFinite(freeUs) ? bestUs - freeUs : 0,
    waitsUs: best.inference.gapUs,
    unavoidableUs,
    regions,
    wouldHelp: greatestHelps(regions, (name, more) => gainOf(finished, optima, name, more), forcedCopies),
  };
}

function planOf(plan: Plan, { name }: GraphFunction): FunctionPlan | undefined {
  return plan.functions.find((other) => other.name === name);
}

/** Timelines of a plan and of its functions' optimum: `own` and `best` without congestion, `finished` and `bestUs` with it. */
function timelinesOf(
  workbench: Workbench,
  plan: Plan,
  optima: FreeOptima,
  { tensorL1UsageCap }: PolicyOptions,
) {
  const { graph } = workbench.binding;
  const functions = graph.functions.map((fn): FunctionPlan =>
    optima.get(fn.name)?.plan ?? planOf(plan, fn) ?? identityPlan(fn)
  );
  const optimum = { ...plan, functions };
  const calm = { tensorL1UsageCap, network: "analytic" } as const;
  return {
    finished: simulateGraph(graph, plan, workbench, { tensorL1UsageCap }),
    own: simulateGraph(graph, plan, workbench, calm),
    best: simulateGraph(graph, optimum, workbench, calm),
    bestUs: simulateGraph(graph, optimum, workbench, { tensorL1UsageCap }).inference.totalUs,
  };
}

/**
 * Sums the bounds of the decided functions, for plans that fit L1 and with unlimited L1 (`freeUs`); the others take the
 * same time in every plan. What limited L1 costs every plan is 0 for functions without a known bound.
 */
function sumOfBounds(graph: Graph, plan: Plan, optima: FreeOptima, own: Timeline) {
  let lowerBoundUs = 0;
  let freeUs = 0;
  let unavoidableUs = 0;
  for (const fn of graph.functions) {
    const optimum = optima.get(fn.name);
    if (optimum === undefined || roleOf(fn.kind) !== "inference") continue;
    // The summary reports the bound that the search found.
    const boundUs = planOf(plan, fn)?.lowerBoundUs ?? optimum.boundWith(0);
    const functionFreeUs = Math.min(optimum.freeUs, boundUs);
    lowerBoundUs += boundUs;
    freeUs += functionFreeUs;
    // Without a finite bound none of the explored layouts fits, and its cost is unknown.
    if (Number.isFinite(boundUs)) unavoidableUs += boundUs - functionFreeUs;
  }
  for (const [index, fn] of graph.functions.entries()) {
    const timeline = own.functions[index];
    if (timeline === undefined || timeline.role !== "inference" || isDecided(fn)) continue;
    lowerBoundUs += timeline.totalUs;
    freeUs += timeline.totalUs;
  }
  return { lowerBoundUs, freeUs, unavoidableUs };
}

/**
 * Upper limit of the saving by more L1 in a function: the distance of its plan from the bound with that much
 * L1.
 */
function gainOf({ functions }: Timeline, optima: FreeOptima, name: string, more: number): number {
  const timeline = functions.find((fn) => fn.name === name);
  const optimum = optima.get(name);
  if (timeline === undefined || optimum === undefined) {
    throw new RangeError(`Cannot tell what more L1 saves in @${name}: it has no bound`);
  }
  return timeline.totalUs - optimum.boundWith(more);
}

/** The optimum of a function over the explored layouts, with the actual L1 and with more. */
export interface FreeOptimum {
  /** The best assignment with unlimited L1; `undefined` if the op model confirms none. */
  readonly plan: FunctionPlan | undefined;
  /** Its µs; `Infinity` without one. */
  readonly freeUs: number;
  /** Lower bound in µs with so many more bytes of L1 per core. */
  readonly boundWith: (more: number) => number;
  /** Its copies that rules of the op model force. */
  readonly forcedCopies: readonly GapHelp[];
}

/**
 * Optima over the explored layouts, by name of the functions that policies decide.
 *
 * @param planKind of the plans
 */
export function freeOptima(
  workbench: Workbench,
  options: PolicyOptions,
  planKind: PlanKind,
  evaluators: KnownEvaluators,
): ReadonlyMap<string, FreeOptimum> {
  const { binding: { graph }, opModel } = workbench;
  const region = l1Region(opModel.chip, options.tensorL1UsageCap, graph.constEvalL1Bytes);
  const { cost, opModel: planned } = workbench.planning();
  return new Map(
    graph.functions.filter(isDecided).map((fn) => {
      const evaluator = evaluators.get(fn) ??
        new OpEvaluator(fn, planned, cost, options, undefined, hintConfigsOf({}, options));
      return [fn.name, freeOptimum(evaluator, region, planKind)];
    }),
  );
}

function freeOptimum(evaluator: OpEvaluator, region: L1Region, planKind: PlanKind): FreeOptimum {
  const roles = opRoles(evaluator);
  const boundIn = (l1: L1Region) => withWaits(boundFunction(evaluator, roles, l1, planKind));
  const free = boundIn(withMore(region, Number.MAX_SAFE_INTEGER - region.top));
  const program = LayoutProgram.fromAssignment(evaluator, free.assignment);
  const isPossible = Number.isFinite(free.microseconds);
  return {
    plan: isPossible ? withLiveActivationsKept(evaluator, program.toPlan()) : undefined,
    freeUs: free.microseconds,
    boundWith: (more) => boundIn(withMore(region, more)).microseconds,
    forcedCopies: isPossible ? copiesByRule(evaluator, program, region.budget) : [],
  };
}
/** An L1 region with additional bytes; the op model's own limit per op is unchanged. */
function withMore(region: L1Region, bytes: number): L1Region {
  return { ...region, top: region.top + bytes, budget: region.budget + bytes };
}
