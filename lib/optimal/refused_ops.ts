// SPDX-License-Identifier: Apache-2.0
import type { L1Region } from "../memory/l1_timeline.ts";
import { assignmentMicroseconds } from "../search/assignment.ts";
import type { OpEvaluator } from "../search/op_evaluator.ts";
import type { OpRoles } from "../search/op_roles.ts";
import { LayoutOptimizer, type OptimizerLimits, type Optimum } from "./layout_optimizer.ts";
import type { Freedom } from "./way_table.ts";

/** Times what the whole input takes that a refused op is charged: more than any plan without one takes. */
const INPUTS_PER_REFUSED_OP = 100;

/**
 * The best assignment of a function all of whose assignments have ops that the op model refuses, and a bound in µs that no
 * plan with as few of them undercuts. Such ops stay as the input has them: for all that anybody knows they run that way.
 *
 * @param isSpent asked after every round: whether it is the last one
 * @returns `undefined` where the exploration was cut short
 */
export function boundWithRefusedOps(
  evaluator: OpEvaluator,
  roles: OpRoles,
  region: L1Region,
  freedom: Freedom,
  limits: OptimizerLimits,
  reason: string,
  isSpent?: () => boolean,
): Optimum | undefined {
  const asInput = evaluator.fn.ops.map(({ id }) => evaluator.kept(id));
  const refusedUs = INPUTS_PER_REFUSED_OP * assignmentMicroseconds(evaluator, asInput);
  const optimizer = new LayoutOptimizer(evaluator, roles, region, freedom, { ...limits, refusedUs });
  if (optimizer.isCut) return undefined;
  const optimum = optimizer.tighten(reason, isSpent);
  return { ...optimum, bound: optimum.bound - optimizer.refusedUs(optimum.assignment) };
}
