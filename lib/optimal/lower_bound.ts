// SPDX-License-Identifier: Apache-2.0
import type { L1Region } from "../memory/l1_schedule.ts";
import { LayoutProgram } from "../search/layout_program.ts";
import type { OpEvaluator } from "../search/op_evaluator.ts";
import type { OpRoles } from "../search/op_roles.ts";
import type { Assignment } from "../search/impls.ts";
import { ROUNDING } from "./elimination/factor.ts";
import { DEFAULT_OPTIMIZER_LIMITS } from "./limits.ts";
import { LayoutOptimizer, type OptimizerLimits, WITHOUT_CAPACITY } from "./layout_optimizer.ts";
import type { PlanKind } from "./exploration/impl_table.ts";

/** A time that no plan over the explored layouts beats; see docs/optimality.md. */
export interface LowerBound {
  /** µs as finished plans are priced: layout changes with congestion, no host gaps. */
  readonly microseconds: number;
  /** The weaker bound in which every op reads and produces any layouts: conversions are free. */
  readonly withoutConversionsUs: number;
  /**
   * `exact`: an assignment that costs exactly this was found, and it fits L1 by address. `bound`: the best
   * assignment may cost more, because readers share conversions, L1 binds, or something was relaxed.
   */
  readonly status: "exact" | "bound";
  /** Ops that had too many combinations of operand layouts to explore; in the bound they take no time. */
  readonly relaxedOps: number;
  /** Ops whose readers may choose its result layout independently, to limit the work. */
  readonly splitOps: number;
}

/** The bound of one function, and the assignment behind it. */
export interface FunctionBound extends LowerBound {
  /** The best layouts if L1 were unlimited; their predicted time may be above the bound. */
  readonly assignment: Assignment;
  /**
   * A time in µs that no plan beats because its programs have to be dispatched; only finished plans are
   * priced with these waits. 0 if nothing waits.
   */
  readonly dispatchedUs: number;
  /** Predicted µs of `assignment`, every shared conversion once; `Infinity` if a conversion needs several copies. */
  readonly assignmentUs: number;
}

/** Lower bound of the predicted time of a function, over the layouts of {@linkcode LayoutSpace}. */
export function boundFunction(
  evaluator: OpEvaluator,
  roles: OpRoles,
  region: L1Region,
  planKind: PlanKind,
  limits: OptimizerLimits = DEFAULT_OPTIMIZER_LIMITS,
): FunctionBound {
  const optimizer = new LayoutOptimizer(evaluator, roles, region, planKind, limits);
  const optimum = optimizer.tighten(WITHOUT_CAPACITY);
  const { bound, assignment, splitOps } = optimum;
  const { withoutConversionsUs, relaxedOps } = optimizer;
  const solved = { withoutConversionsUs, relaxedOps, splitOps, assignment };
  if (bound === Infinity) {
    // The op model refuses some op in every assignment.
    return {
      ...solved,
      microseconds: withoutConversionsUs,
      dispatchedUs: 0,
      status: "bound",
      assignmentUs: Infinity,
    };
  }
  const assignmentUs = optimizer.microseconds(assignment);
  const { failures } = LayoutProgram.fromAssignment(evaluator, assignment).l1Failures(region);
  const dispatched = optimizer.solveWithDispatch("exact, with dispatch times", roles, optimum);
  return {
    ...solved,
    microseconds: bound,
    dispatchedUs: Math.max(0, ...dispatched.map((other) => other.bound)),
    status: failures.length === 0 && assignmentUs <= bound * (1 + 3 * ROUNDING) ? "exact" : "bound",
    assignmentUs,
  };
}

/** The bound of a function including waits for the dispatcher. */
export function withWaits<Bound extends FunctionBound>(bound: Bound): Bound {
  const { microseconds, dispatchedUs } = bound;
  return dispatchedUs <= microseconds ? bound : { ...bound, microseconds: dispatchedUs, status: "bound" };
}

/** The bound of functions that run one after another. */
export function addBounds(bounds: readonly LowerBound[]): LowerBound {
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
