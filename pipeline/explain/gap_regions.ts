// SPDX-License-Identifier: Apache-2.0
import { isDecided } from "../../lib/graph/function_role.ts";
import type { Graph, GraphFunction } from "../../lib/graph/graph.ts";
import { describeLayoutOr } from "../../lib/layout/describe.ts";
import type { TtnnLayout } from "../../lib/layout/ttnn_layout.ts";
import {
  type FunctionTimeline,
  type StepTimeline,
  stepUs,
  type Timeline,
} from "../../sim/timeline/timeline.ts";

/** Cause of a region's difference from the optimum. */
export type GapLimit = "l1_capacity" | "search";

/** Connected ops that a plan runs differently from the best assignment with unlimited L1. */
export interface GapRegion {
  readonly function: string;
  /** Op ids, ascending; without `return`. */
  readonly ops: readonly number[];
  /** The plan's time minus the optimum's there, in µs, copies included; negative if the plan is faster. */
  readonly lostUs: number;
  /** `l1_capacity`: the optimum does not fit there. `search`: it fits, but the search did not find it. */
  readonly limit: GapLimit;
  /** Bytes per core that the optimum lacks there; 0 if it fits. */
  readonly shortBytes: number;
  /** The op with the largest loss (`return` is one past the last), its result layouts in plan and optimum. */
  readonly worst: {
    readonly op: number;
    readonly name: string;
    readonly plan: string;
    readonly optimum: string;
  };
}

/** Rounding differences of sums of the same times in another order, in µs. */
const ROUNDING_US = 1e-9;

/**
 * Regions in which two timelines of a graph differ, in the functions of an inference that policies decide;
 * largest loss first.
 *
 * @param own of the plan
 * @param best of the best plan with unlimited L1
 */
export function gapRegions(graph: Graph, own: Timeline, best: Timeline): readonly GapRegion[] {
  return graph.functions.flatMap((fn, index): readonly GapRegion[] => {
    const [ours, optimum] = [own.functions[index], best.functions[index]];
    if (ours === undefined || optimum === undefined || ours.role !== "inference") return [];
    return isDecided(fn) ? regionsOf(fn, ours, optimum) : [];
  }).sort((a, b) => b.lostUs - a.lostUs);
}

/** Time and layouts of one op with the copies before it, under a plan. */
interface OpSide {
  readonly us: number;
  readonly result: string;
  /** Configs and layouts of operands and results, copies included: equal if the plans agree. */
  readonly key: string;
  readonly shortBytes: number;
}

/** Maximal sets of differing ops that are connected by values. */
function regionsOf(fn: GraphFunction, own: FunctionTimeline, best: FunctionTimeline): GapRegion[] {
  const sides = [sidesOf(fn, own), sidesOf(fn, best)] as const;
  const count = fn.ops.length + 1;
  // An op that is equal in both may wait longer for the dispatcher after a shorter one.
  const differs = Array.from({ length: count }, (_, op) => {
    const [a, b] = [sides[0][op], sides[1][op]];
    return a?.key !== b?.key || Math.abs((a?.us ?? 0) - (b?.us ?? 0)) > ROUNDING_US;
  });
  const root = Array.from({ length: count }, (_, op) => op);
  const rootOf = (op: number): number => {
    let at = op;
    for (let next = root[at] ?? at; next !== at; next = root[at] ?? at) at = next;
    return at;
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

/** By op id; `return` follows the last op. */
function sidesOf(fn: GraphFunction, { steps }: FunctionTimeline): readonly OpSide[] {
  const byOp = Map.groupBy<number, StepTimeline>(steps, ({ op }) => op);
  return Array.from({ length: fn.ops.length + 1 }, (_, op): OpSide => {
    const own = byOp.get(op) ?? [];
    const last = own.findLast((step) => step.kind === "op");
    return {
      us: own.reduce((sum, step) => sum + stepUs(step), 0),
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
  return describeLayoutOr(layout, "");
}
