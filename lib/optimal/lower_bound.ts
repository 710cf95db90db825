// SPDX-License-Identifier: Apache-2.0
import type { CostModel } from "../cost/cost_model.ts";
import { planMicroseconds } from "../cost/plan_runtime.ts";
import type { Graph, GraphFunction } from "../graph/graph.ts";
import { type L1Region, l1Region } from "../memory/l1_timeline.ts";
import type { OpModel } from "../opmodel/op_model.ts";
import { identityPlan } from "../plan/steps.ts";
import { DECIDED_KINDS } from "../policy/plan_graph.ts";
import type { PolicyOptions } from "../policy/policy.ts";
import { type Assignment, assignmentMicroseconds } from "../propagation/assignment.ts";
import { OpEvaluator } from "../propagation/op_evaluator.ts";
import { type OpRoles, opRoles } from "../propagation/op_roles.ts";
import { LayoutProblem } from "./layout_problem.ts";
import { LayoutSpace } from "./layout_space.ts";
import { eliminateVariables } from "./variable_elimination.ts";

/** A time that no plan over the explored layouts undercuts; see docs/optimality.md for what that means. */
export interface LowerBound {
  /** µs by the cost model that the search uses: no congestion, no host gaps. */
  readonly microseconds: number;
  /** The weaker bound that lets every op read and make what it likes: conversions free. */
  readonly withoutConversionsUs: number;
  /**
   * `exact`: an assignment was found that costs just this, L1 capacity left aside. `bound`: the least that an assignment
   * costs may lie higher, because readers share conversions or something was relaxed.
   */
  readonly status: "exact" | "bound";
  /** Ops that had too many combinations of operand layouts to explore; the bound gives them no time. */
  readonly relaxedOps: number;
  /** Ops whose result layout each reader was allowed to choose for itself, to keep the work bounded. */
  readonly splitOps: number;
}

/** The bound of one function, and the assignment that the bound was read from. */
export interface FunctionBound extends LowerBound {
  /** Layouts that are best when L1 never overflows; its predicted time may be above the bound. */
  readonly assignment: Assignment;
  /** Predicted µs of `assignment`, every shared conversion once; `Infinity` when a conversion needs several copies. */
  readonly assignmentUs: number;
}

/** Limits of the work of {@linkcode boundFunction}. Counts, not times: the same input gives the same bound. */
export interface BoundLimits {
  /** Combinations of operand layouts per op. */
  readonly combinations: number;
  /** Joint choices that elimination may look at per function. */
  readonly work: number;
}

/** Takes well under a second per function on the model zoo, a few seconds on models of a thousand ops. */
export const DEFAULT_BOUND_LIMITS: BoundLimits = { combinations: 20_000, work: 50_000_000 };

/** Relative slack within which two sums of the same times in another order count as equal. */
const ROUNDING = 1e-9;

/** Lower bound of the predicted time of a function, over the layouts of {@linkcode LayoutSpace}. */
export function boundFunction(
  evaluator: OpEvaluator,
  roles: OpRoles,
  region: L1Region,
  limits: BoundLimits = DEFAULT_BOUND_LIMITS,
): FunctionBound {
  const space = new LayoutSpace(evaluator, roles, {
    combinations: limits.combinations,
    l1Bytes: region.top - region.base,
  });
  const layouts = new LayoutProblem(space);
  const { bound, choice, splitVariables, width } = eliminateVariables(layouts.problem, limits);
  const assignment = layouts.assignment(choice, `exact without L1 capacity, width ${width}`);
  const assignmentUs = assignmentMicroseconds(evaluator, assignment);
  return {
    microseconds: bound * (1 - ROUNDING),
    withoutConversionsUs: evaluator.fn.ops.reduce((sum, op) => sum + space.table(op.id).least, 0),
    status: assignmentUs <= bound * (1 + ROUNDING) ? "exact" : "bound",
    relaxedOps: space.relaxedOps,
    splitOps: splitVariables.length,
    assignment,
    assignmentUs,
  };
}

/** What {@linkcode boundGraph} needs. */
export interface BoundContext {
  readonly graph: Graph;
  /** Its layout table is shared with `cost`. */
  readonly opModel: OpModel;
  readonly cost: CostModel;
  /** Those that decided the plan which is to be judged: they limit the layouts that are explored. */
  readonly options: PolicyOptions;
}

/**
 * Lower bound of the predicted time of one inference: the sum over its functions, those that no policy decides as the
 * input has them.
 *
 * @param runs which functions belong to an inference
 */
export function boundGraph(
  { graph, opModel, cost, options }: BoundContext,
  runs: (fn: GraphFunction) => boolean,
  limits: BoundLimits = DEFAULT_BOUND_LIMITS,
): LowerBound {
  const region = l1Region(opModel.chip, options.tensorL1UsageCap, graph.constEvalL1Bytes);
  const bounds = graph.functions.filter(runs).map((fn): LowerBound => {
    if (!DECIDED_KINDS.has(fn.kind)) {
      const microseconds = planMicroseconds(fn, identityPlan(fn), opModel, cost);
      return {
        microseconds,
        withoutConversionsUs: microseconds,
        status: "exact",
        relaxedOps: 0,
        splitOps: 0,
      };
    }
    const evaluator = new OpEvaluator(fn, opModel, cost, options);
    return boundFunction(evaluator, opRoles(evaluator), region, limits);
  });
  const sum = (pick: (bound: LowerBound) => number): number =>
    bounds.reduce((total, bound) => total + pick(bound), 0);
  return {
    microseconds: sum((bound) => bound.microseconds),
    withoutConversionsUs: sum((bound) => bound.withoutConversionsUs),
    status: bounds.every((bound) => bound.status === "exact") ? "exact" : "bound",
    relaxedOps: sum((bound) => bound.relaxedOps),
    splitOps: sum((bound) => bound.splitOps),
  };
}
