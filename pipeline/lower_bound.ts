// SPDX-License-Identifier: Apache-2.0
import { l1Region } from "../lib/memory/l1_schedule.ts";
import type { OptimizerLimits } from "../lib/optimal/layout_optimizer.ts";
import { DEFAULT_OPTIMIZER_LIMITS } from "../lib/optimal/limits.ts";
import type { PlanKind } from "../lib/optimal/exploration/impl_table.ts";
import { addBounds, boundFunction, type LowerBound, withWaits } from "../lib/optimal/lower_bound.ts";
import { identityPlan } from "../lib/plan/steps.ts";
import { NO_OVERRIDES } from "../lib/overrides/overrides.ts";
import { hintConfigsOf } from "../lib/policy/free.ts";
import type { PolicyOptions } from "../lib/policy/options.ts";
import { OpEvaluator } from "../lib/search/op_evaluator.ts";
import { opRoles } from "../lib/search/op_roles.ts";
import { isDecided, roleOf } from "../lib/graph/function_role.ts";
import { planTimer } from "../sim/timeline/simulate.ts";
import type { Workbench } from "./load.ts";

/**
 * A lower bound of the time of one inference for plans over the explored layouts: the sum over the functions that run
 * in it, with undecided functions as in the input. docs/optimality.md explains what the bound means.
 *
 * @example
 * ```ts
 * import { DEFAULT_POLICY_OPTIONS, getPolicy, loadModule, lowerBoundOf, optimizeModule } from "@tilewright/tilewright";
 * import { assert } from "@std/assert";
 *
 * const ttir = `func.func @main(%x: tensor<1024x1024xbf16>) -> tensor<1024x1024xbf16> {
 *   %0 = "ttir.relu"(%x) : (tensor<1024x1024xbf16>) -> tensor<1024x1024xbf16>
 *   return %0 : tensor<1024x1024xbf16>
 * }`;
 * const workbench = loadModule(ttir, { device: "n150" });
 * const policy = getPolicy("dram");
 * const bound = lowerBoundOf(workbench, DEFAULT_POLICY_OPTIONS, policy.planKind);
 * const { timeline } = optimizeModule(workbench, policy, DEFAULT_POLICY_OPTIONS);
 * assert(bound.microseconds > 0 && bound.microseconds <= timeline.inference.totalUs);
 * ```
 *
 * @param planKind of the compared plans; each policy states its own
 * @param options those that the policies were given: they limit the layouts that are explored, and where `free` names
 *   configs, these have more of them; configs chosen for a finished plan are not bounded
 */
export function lowerBoundOf(
  loaded: Workbench,
  options: PolicyOptions,
  planKind: PlanKind,
  limits: OptimizerLimits = DEFAULT_OPTIMIZER_LIMITS,
): LowerBound {
  const { binding: { graph }, planning, device } = loaded.toDecide?.() ?? loaded;
  const { opModel, cost } = planning();
  const region = l1Region(opModel.chip, options.tensorL1UsageCap, graph.constEvalL1Bytes);
  const timeOf = planTimer(graph, { device, opModel, cost });
  const running = graph.functions.filter((fn) => roleOf(fn.kind) === "inference");
  return addBounds(running.map((fn): LowerBound => {
    if (isDecided(fn)) {
      const configs = hintConfigsOf({}, options);
      const evaluator = new OpEvaluator(fn, opModel, cost, options, undefined, configs);
      return withWaits(boundFunction(evaluator, opRoles(evaluator), region, planKind, limits));
    }
    const microseconds = timeOf(fn, identityPlan(fn));
    return { microseconds, withoutConversionsUs: microseconds, status: "exact", relaxedOps: 0, splitOps: 0 };
  }));
}

/**
 * Like {@linkcode lowerBoundOf}, for plans that need not follow the overrides.
 *
 * @param workbench with the element formats and pages of the input, which overrides may change
 */
export function freeLowerBoundOf(
  workbench: Workbench,
  options: PolicyOptions,
  planKind: PlanKind,
): LowerBound {
  return lowerBoundOf(workbench, { ...options, overrides: NO_OVERRIDES }, planKind);
}
