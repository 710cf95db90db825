// SPDX-License-Identifier: Apache-2.0
import type { L1Region } from "../memory/l1_timeline.ts";
import { assignmentMicroseconds } from "../search/assignment.ts";
import type { OpEvaluator } from "../search/op_evaluator.ts";
import type { OpRoles } from "../search/op_roles.ts";
import { LayoutOptimizer, type OptimizerLimits, type Optimum } from "./layout_optimizer.ts";
import type { Freedom } from "./way_table.ts";

/** How much more than the whole input takes an op is charged for that the op model refuses: more than any plan without. */
const REFUSED_SHARE = 100;

/**
 * The best assignment where none is without ops that the op model refuses, and a bound in µs that no plan undercuts with as
 * few of them. As the input has them they run all the same, for all that anybody knows.
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
  const refusedUs = REFUSED_SHARE * assignmentMicroseconds(evaluator, asInput);
  const optimizer = new LayoutOptimizer(evaluator, roles, region, freedom, { ...limits, refusedUs });
  if (optimizer.isCut) return undefined;
  const optimum = optimizer.tighten(reason, isSpent);
  return { ...optimum, bound: optimum.bound - optimizer.refusedUs(optimum.assignment) };
}
