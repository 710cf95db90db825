// SPDX-License-Identifier: Apache-2.0
import { isDecided, roleOf } from "../../lib/graph/function_role.ts";
import type { GraphFunction } from "../../lib/graph/graph.ts";
import { describeLayout } from "../../lib/layout/describe.ts";
import type { TtnnLayout } from "../../lib/layout/ttnn_layout.ts";
import { type L1Region, l1Region } from "../../lib/memory/l1_timeline.ts";
import { boundFunction, withWaits } from "../../lib/optimal/lower_bound.ts";
import type { Freedom } from "../../lib/optimal/way_table.ts";
import { isOverridden } from "../../lib/overrides/overrides.ts";
import { withLiveActivationsKept } from "../../lib/plan/live_activations.ts";
import type { FunctionPlan, Plan } from "../../lib/plan/plan.ts";
import { identityPlan } from "../../lib/plan/steps.ts";
import type { PolicyOptions } from "../../lib/policy/options.ts";
import { LayoutProgram } from "../../lib/search/layout_program.ts";
import { OpEvaluator } from "../../lib/search/op_evaluator.ts";
import { opRoles } from "../../lib/search/op_roles.ts";
import { simulateGraph } from "../../sim/timeline/simulate.ts";
import type { FunctionTimeline, StepTimeline } from "../../sim/timeline/timeline.ts";
import type { Workbench } from "../load.ts";
import { freeLowerBoundOf } from "../lower_bound.ts";
import { besideOverrides, comparedFreedom, gapAbove, gapOfPlan, type PlanGap } from "../plan_gap.ts";

/** What keeps a region from being as the optimum has it. */
export type GapLimit = "l1_capacity" | "search";

/** Ops next to one another that a plan runs otherwise than the best assignment without L1 capacity does. */
export interface GapRegion {
  /** Function that they are in. */
  readonly function: string;
  /** Op ids, ascending. */
  readonly ops: readonly number[];
  /** µs that the plan takes longer there, copies included; below 0 where it is faster. */
  readonly lostUs: number;
  /** `l1_capacity`: the optimum does not fit there. `search`: it does, and nobody found it. */
  readonly limit: GapLimit;
  /** Bytes per core that the optimum lacks there; 0 where it fits. */
  readonly shortBytes: number;
  /** The op at which most is lost, and its result as the plan and as the optimum have it. */
  readonly worst: {
    readonly op: number;
    readonly name: string;
    readonly plan: string;
    readonly optimum: string;
  };
}

/** A thing whose change would save time. */
export interface GapHelp {
  /** More L1, or the absence of a rule of the op model that forces copies. */
  readonly kind: "l1" | "rule";
  /** The op that lacks L1, or the rule with its op. */
  readonly what: string;
  /** µs that it would save at most. */
  readonly us: number;
  /** Bytes per core for `l1`; copies that the rule forces for `rule`. */
  readonly amount: number;
}

/**
 * Where the time between a plan and its lower bound goes: `congestionUs`, `slackUs` and what the regions lose, less
 * `unavoidableUs`, add up to `predictedUs − lowerBoundUs`.
 */
export interface GapReport extends PlanGap {
  /** Predicted time of one inference, in µs. */
  readonly predictedUs: number;
  /** µs that congestion of the network adds beyond what it adds to the optimum of the regions. */
  readonly congestionUs: number;
  /**
   * µs between the bound without L1 capacity and what the optimum of the regions takes: copies that readers share; 0
   * without that bound.
   */
  readonly slackUs: number;
  /** µs of the regions that no plan gets back, because L1 is limited. */
  readonly unavoidableUs: number;
  /** What is lost most first. */
  readonly regions: readonly GapRegion[];
  /** The five things that would help most. */
  readonly wouldHelp: readonly GapHelp[];
}

/** Differences of sums of the same times in another order, in µs. */
const ROUNDING_US = 1e-9;

/** Helps that are listed. */
const HELPS = 5;

/** What the explored layouts allow a function, as far as L1 goes and beyond. */
interface FreeOptimum {
  /** The best assignment with L1 enough; `undefined` where the op model confirms none. */
  readonly plan: FunctionPlan | undefined;
  /** Its µs; `Infinity` without one. */
  readonly freeUs: number;
  /** µs that no plan undercuts in the L1 that there is. */
  readonly boundUs: number;
  /** The same with so many bytes per core more. */
  readonly boundWith: (more: number) => number;
  /** Copies in it that rules of the op model force. */
  readonly forcedCopies: readonly GapHelp[];
}

function freeOptimum(
  fn: GraphFunction,
  { opModel, cost }: Workbench,
  options: PolicyOptions,
  region: L1Region,
  freedom: Freedom,
): FreeOptimum {
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

/**
 * Says where a plan loses time against the best assignment of the explored layouts that ignores L1 capacity, and why.
 *
 * @param plan of the workbench's graph
 * @param input where overrides change element formats or pages: the workbench before they did
 */
export function gapReport(
  workbench: Workbench,
  plan: Plan,
  options: PolicyOptions,
  input: Workbench = workbench,
): GapReport {
  const { binding: { graph }, opModel } = workbench;
  const region = l1Region(opModel.chip, options.tensorL1UsageCap, graph.constEvalL1Bytes);
  let lowerBoundUs = 0;
  let freeUs = 0;
  let unavoidableUs = 0;
  const optima = new Map<string, FreeOptimum>();
  const freedom = comparedFreedom(plan);
  const planOf = ({ name }: GraphFunction) => plan.functions.find((other) => other.name === name);
  for (const fn of graph.functions.filter(isDecided)) {
    const optimum = freeOptimum(fn, workbench, options, region, freedom);
    optima.set(fn.name, optimum);
    if (roleOf(fn.kind) !== "inference") continue;
    // What the search for the plan found is what its summary says.
    const boundUs = planOf(fn)?.lowerBoundUs ?? optimum.boundUs;
    const functionFreeUs = Math.min(optimum.freeUs, boundUs);
    lowerBoundUs += boundUs;
    freeUs += functionFreeUs;
    // Without a bound nothing of the explored layouts fits, and nobody knows what that costs.
    if (Number.isFinite(boundUs)) unavoidableUs += boundUs - functionFreeUs;
  }
  const functions = graph.functions.map((fn): FunctionPlan =>
    optima.get(fn.name)?.plan ?? planOf(fn) ?? identityPlan(fn)
  );
  const limits = { tensorL1UsageCap: options.tensorL1UsageCap };
  const forcedCopies = [...optima.values()].flatMap((optimum) => optimum.forcedCopies);
  const finished = simulateGraph(graph, plan, workbench, limits);
  const predicted = finished.inference.totalUs;
  const ours = simulateGraph(graph, plan, workbench, { ...limits, network: "analytic" });
  const optimum = { ...plan, functions };
  const best = simulateGraph(graph, optimum, workbench, { ...limits, network: "analytic" });
  const bestUs = simulateGraph(graph, optimum, workbench, limits).inference.totalUs;
  const regions: GapRegion[] = [];
  for (const [index, fn] of graph.functions.entries()) {
    const [own, optimum] = [ours.functions[index], best.functions[index]];
    if (own === undefined || optimum === undefined || own.role !== "inference") continue;
    if (isDecided(fn)) regions.push(...regionsOf(fn, own, optimum));
    else {
      lowerBoundUs += own.totalUs;
      freeUs += own.totalUs;
    }
  }
  regions.sort((a, b) => b.lostUs - a.lostUs);
  /** What more L1 saves at most is what the function's plan lies above its bound with that much. */
  const gainOf = (name: string, more: number): number => {
    const timeline = finished.functions.find((fn) => fn.name === name);
    const optimum = optima.get(name);
    if (timeline === undefined || optimum === undefined) {
      throw new RangeError(`Cannot tell what more L1 saves in @${name}: it has no bound`);
    }
    return timeline.totalUs - optimum.boundWith(more);
  };
  const found = gapOfPlan(plan, finished);
  const overridden = isOverridden(options.overrides);
  return {
    ...besideOverrides(
      found.certificate === undefined ? gapAbove(lowerBoundUs, predicted) : found,
      overridden,
      predicted,
      overridden ? freeLowerBoundOf(input, options, freedom).microseconds : undefined,
    ),
    predictedUs: predicted,
    congestionUs: predicted - ours.inference.totalUs - (bestUs - best.inference.totalUs),
    slackUs: Number.isFinite(freeUs) ? bestUs - freeUs : 0,
    unavoidableUs,
    regions,
    wouldHelp: [...helpsOfCapacity(regions, gainOf), ...sumByRule(forcedCopies)]
      .filter(({ us }) => us > 0).sort((a, b) => b.us - a.us).slice(0, HELPS),
  };
}

/** A region of L1 with more bytes; what a single op may need the op model says by itself. */
function withMore(region: L1Region, bytes: number): L1Region {
  return { ...region, top: region.top + bytes, budget: region.budget + bytes };
}

/** What one op with the copies before it takes and is, under a plan. */
interface OpSide {
  readonly us: number;
  readonly result: string;
  /** Layouts read and made, copies included: equal where the plans agree. */
  readonly key: string;
  readonly shortBytes: number;
}

/** Maximal sets of ops that differ and hang together by the values that they pass on. */
function regionsOf(fn: GraphFunction, own: FunctionTimeline, best: FunctionTimeline): GapRegion[] {
  const sides = [sidesOf(fn, own), sidesOf(fn, best)] as const;
  const count = fn.ops.length + 1;
  // An op that is the same in both may wait longer for the dispatcher behind a shorter one.
  const differs = Array.from({ length: count }, (_, op) => {
    const [a, b] = [sides[0][op], sides[1][op]];
    return a?.key !== b?.key || Math.abs((a?.us ?? 0) - (b?.us ?? 0)) > ROUNDING_US;
  });
  const root = Array.from({ length: count }, (_, op) => op);
  const rootOf = (op: number): number => {
    const next = root[op] ?? op;
    return next === op ? op : rootOf(next);
  };
  for (const value of fn.values) {
    const ends: number[] = value.uses.map(({ op }) => op);
    if (value.definition.kind === "result") ends.push(value.definition.op);
    if (value.returned > 0) ends.push(fn.ops.length);
    const [first, ...others] = ends.filter((op) => differs[op] === true);
    if (first === undefined) continue;
    for (const other of others) root[rootOf(other)] = rootOf(first);
  }
  const groups = Map.groupBy(root.keys().filter((op) => differs[op] === true), rootOf);
  return [...groups.values()].map((members) => regionOf(fn, members.toSorted((a, b) => a - b), sides));
}

function regionOf(
  fn: GraphFunction,
  members: readonly number[],
  [own, best]: readonly [readonly OpSide[], readonly OpSide[]],
): GapRegion {
  const lostAt = (op: number): number => (own[op]?.us ?? 0) - (best[op]?.us ?? 0);
  const shortBytes = members.reduce((most, op) => Math.max(most, best[op]?.shortBytes ?? 0), 0);
  const worst = members.reduce((most, op) => lostAt(op) > lostAt(most) ? op : most, members[0] ?? 0);
  return {
    function: fn.name,
    ops: members.filter((op) => op < fn.ops.length),
    lostUs: members.reduce((sum, op) => sum + lostAt(op), 0),
    limit: shortBytes > 0 ? "l1_capacity" : "search",
    shortBytes,
    worst: {
      op: worst,
      name: fn.ops[worst]?.name ?? "return",
      plan: own[worst]?.result ?? "",
      optimum: best[worst]?.result ?? "",
    },
  };
}

/** By op id, `return` behind the last op. */
function sidesOf(fn: GraphFunction, { steps }: FunctionTimeline): readonly OpSide[] {
  const byOp = Map.groupBy<number, StepTimeline>(steps, ({ op }) => op);
  return Array.from({ length: fn.ops.length + 1 }, (_, op): OpSide => {
    const own = byOp.get(op) ?? [];
    const last = own.findLast((step) => step.kind === "op");
    return {
      us: own.reduce((sum, { deviceUs, gapUs }) => sum + deviceUs + gapUs, 0),
      result: (last?.outputLayouts ?? []).map(nameOf).join(", "),
      key: own.map(keyOf).join(";"),
      shortBytes: own.reduce((most, { shortage }) => Math.max(most, shortage?.shortBytes ?? 0), 0),
    };
  });
}

function keyOf({ kind, inputLayouts, outputLayouts, config }: StepTimeline): string {
  return JSON.stringify([kind, inputLayouts.map(nameOf), outputLayouts.map(nameOf), config]);
}

function nameOf(layout: TtnnLayout | undefined): string {
  return layout === undefined ? "" : describeLayout(layout);
}

function helpsOfCapacity(
  regions: readonly GapRegion[],
  gainOf: (fn: string, more: number) => number,
): readonly GapHelp[] {
  return regions.filter(({ limit, lostUs }) => limit === "l1_capacity" && lostUs > 0).slice(0, HELPS)
    .map((region): GapHelp => ({
      kind: "l1",
      what: `${region.worst.name} (op ${region.worst.op})`,
      us: Math.min(region.lostUs, gainOf(region.function, region.shortBytes)),
      amount: region.shortBytes,
    }));
}

/**
 * Copies of the optimum that are made because the reader refuses its operand as it is born, by the rule that says so; for
 * want of memory alone, by the L1 that is missing.
 */
function copiesByRule(evaluator: OpEvaluator, program: LayoutProgram, budget: number): readonly GapHelp[] {
  return program.steps().flatMap((step): GapHelp[] => {
    const copy = step.kind === "copy" ? program.copies[step.copy] : undefined;
    const readers = copy === undefined
      ? []
      : evaluator.value(copy.value).uses.filter(({ op, operand }) =>
        program.ops[op]?.sources[operand] === (step.kind === "copy" ? step.copy : undefined)
      );
    const [reader] = readers;
    if (copy === undefined || step.kind !== "copy" || reader === undefined) return [];
    const born = program.layoutOf(copy.value, copy.source);
    const inputs = program.inputsOf(reader.op).map((layout, operand) =>
      operand === reader.operand ? born : layout
    );
    const { outputs = [], config } = program.ops[reader.op] ?? {};
    const { refusal, ownPeakBytes } = evaluator.footprint(reader.op, inputs, { outputs, config });
    if (refusal === undefined) return [];
    const us = program.copyMicroseconds(step.copy);
    if (refusal.failure !== "out_of_memory") return [{ kind: "rule", what: refusal.rule, us, amount: 1 }];
    const { id, name } = evaluator.op(reader.op);
    const missing = evaluator.operandL1Bytes(reader.op, inputs) + ownPeakBytes - budget;
    return missing > 0 ? [{ kind: "l1", what: `${name} (op ${id})`, us, amount: missing }] : [];
  });
}

function sumByRule(copies: readonly GapHelp[]): readonly GapHelp[] {
  return [...Map.groupBy(copies, ({ what }) => what).values()].flatMap((group): GapHelp[] => {
    const [first] = group;
    if (first === undefined) return [];
    const amount = first.kind === "rule"
      ? group.length
      : group.reduce((most, { amount }) => Math.max(most, amount), 0);
    return [{ ...first, us: group.reduce((sum, { us }) => sum + us, 0), amount }];
  });
}
