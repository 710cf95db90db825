// SPDX-License-Identifier: Apache-2.0
import { isDecided } from "../lib/graph/function_role.ts";
import { identityPlan } from "../lib/plan/steps.ts";
import { isSharded } from "../lib/layout/ttnn_layout.ts";
import { isOverridden } from "../lib/overrides/overrides.ts";
import type { FunctionPlan, Plan } from "../lib/plan/plan.ts";
import type { PolicyOptions } from "../lib/policy/options.ts";
import type { Policy } from "../lib/policy/policy.ts";
import { simulateGraph } from "../sim/timeline/simulate.ts";
import type { Timeline } from "../sim/timeline/timeline.ts";
import { type DecidedGraph, isBetter, isFaultless } from "./decided_graph.ts";
import type { Workbench } from "./load.ts";

/**
 * Graph passes that add work which the backend does without the text stating it: conversions of results, reshapes of sliced
 * pools, preparation of weights. The prediction of a text that lacks them would leave that work out.
 */
const COMPLETING_PASSES: ReadonlySet<string> = new Set([
  "convert-returned",
  "flatten-pooled",
  "prepare-convolution-weights",
]);

/** Smaller savings are noise of floating-point sums. */
const LEAST_SHARE = 1e-9;

/**
 * The program as written if it runs, obeys the options and takes less predicted time than the decided one; otherwise the
 * decided one. Another optimizer, or an earlier run, may have found a plan that this search does not explore, and a graph
 * pass may cost more time than layouts save.
 */
export function orAsWritten(found: DecidedGraph, policy: Policy, options: PolicyOptions): DecidedGraph {
  const workbench = keptProgram(found, policy, options);
  if (workbench === undefined) return found;
  const { tensorL1UsageCap } = options;
  const { device, binding: { graph } } = workbench;
  // Legality checks of the caller are in the models for planning.
  const timeline = simulateGraph(graph, undefined, { ...workbench.planning(), device }, { tensorL1UsageCap });
  const saved = found.timeline.inference.totalUs - timeline.inference.totalUs;
  const wins = isFaultless(timeline) && timeline.unpriced.length === 0 &&
    (!isFaultless(found.timeline) || saved > LEAST_SHARE * found.timeline.inference.totalUs);
  if (!wins || !isBetter(timeline, found.timeline)) return found;
  const plan = planAsWritten(workbench, found.plan, timeline);
  return {
    workbench,
    plan,
    timeline: simulateGraph(graph, plan, workbench, { tensorL1UsageCap }),
    searchLogs: found.searchLogs,
    isAsWritten: true,
  };
}

/** The program as written, if the policy and its options allow to keep it. */
function keptProgram(
  { workbench }: DecidedGraph,
  policy: Policy,
  { overrides, enableL1ShardingLayouts, maxLegalLayouts }: PolicyOptions,
): Workbench | undefined {
  if (policy.ranksByTime !== true || isOverridden(overrides)) return undefined;
  if (workbench.graphChanges.some(({ pass }) => COMPLETING_PASSES.has(pass))) return undefined;
  const written = workbench.asWritten?.();
  if (written?.obeysPasses !== true) return undefined;
  const mayShard = enableL1ShardingLayouts && maxLegalLayouts > 0;
  return mayShard || !holdsShards(written.workbench) ? written.workbench : undefined;
}

function holdsShards({ binding }: Workbench): boolean {
  return binding.graph.functions.filter(isDecided).some(({ values }) =>
    values.some(({ layout }) => layout !== undefined && layout.bufferType === "l1" && isSharded(layout))
  );
}

/** The plan that changes nothing. Its lower bound is the search's, but at most its own time, which the search may not cover. */
function planAsWritten({ binding: { graph } }: Workbench, decided: Plan, timeline: Timeline): Plan {
  const functions = graph.functions.map((fn): FunctionPlan => {
    const bound = decided.functions.find(({ name }) => name === fn.name)?.lowerBoundUs;
    const own = timeline.functions.find(({ name }) => name === fn.name)?.totalUs;
    return {
      ...identityPlan(fn),
      ...(bound === undefined || own === undefined ? {} : { lowerBoundUs: Math.min(bound, own) }),
    };
  });
  return { ...decided, functions };
}
