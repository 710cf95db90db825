// SPDX-License-Identifier: Apache-2.0
import { parseModule } from "../lib/ir/mod.ts";
import type { GraphPass } from "../lib/passes/graph_pass.ts";
import { DEFAULT_PASS_OPTIONS } from "../lib/passes/pass_options.ts";
import { runPasses } from "../lib/passes/run_passes.ts";
import type { Plan } from "../lib/plan/plan.ts";
import type { FunctionSearchLog } from "../lib/policy/search_log.ts";
import type { PolicyOptions } from "../lib/policy/options.ts";
import type { Timeline } from "../sim/timeline/timeline.ts";
import { withModelsOf, type Workbench } from "./load.ts";

/** A graph with its plan and the simulation of it. */
export interface DecidedGraph {
  /** The graph with its models. */
  readonly workbench: Workbench;
  /** Its plan. */
  readonly plan: Plan;
  /** Simulation of the plan. */
  readonly timeline: Timeline;
  /** Logs of the search behind the plan, one per decided function; empty for policies that do not search in steps. */
  readonly searchLogs: readonly FunctionSearchLog[];
  /** Present if the program as written is kept, because it is faster than what the search found. */
  readonly isAsWritten?: true;
}

/** Whether a timeline has fewer faulty steps (not fitting, refused or unchecked), or equally many and less time. */
export function isBetter(one: Timeline, other: Timeline): boolean {
  const [faults, otherFaults] = [faultsOf(one), faultsOf(other)];
  return faults === otherFaults ? one.inference.totalUs < other.inference.totalUs : faults < otherFaults;
}

/** Whether every step fits, runs and can be checked. */
export function isFaultless(timeline: Timeline): boolean {
  return faultsOf(timeline) === 0;
}

function faultsOf({ functions }: Timeline): number {
  return functions.reduce(
    (sum, { steps }) =>
      sum +
      steps.filter(({ shortage, refused, unchecked }) =>
        shortage !== undefined || refused !== undefined || unchecked !== undefined
      ).length,
    0,
  );
}

/** The graph after further passes; `undefined` if they change nothing. */
export function afterPasses(
  workbench: Workbench,
  passes: readonly GraphPass[],
  options: PolicyOptions,
): Workbench | undefined {
  const { module, chip, graphChanges } = workbench;
  const { text, changes } = runPasses(module, chip, DEFAULT_PASS_OPTIONS, { passes });
  if (text === module.text) return undefined;
  return {
    ...withModelsOf(workbench, parseModule(text, module.fileName), options),
    graphChanges: [...graphChanges, ...changes],
  };
}
