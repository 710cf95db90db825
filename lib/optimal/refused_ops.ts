// SPDX-License-Identifier: Apache-2.0
import { assignmentMicroseconds } from "../search/assignment.ts";
import type { OpEvaluator } from "../search/op_evaluator.ts";
import type { LayoutOptimizer, Optimum } from "./layout_optimizer.ts";

/** Times what the whole input takes that a refused op is charged: more than any plan without one takes. */
const INPUTS_PER_REFUSED_OP = 100;

/**
 * The best assignment of a function all of whose assignments have ops that the op model refuses, and a bound in µs that no
 * plan with as few of them undercuts. Such ops stay as the input has them: for all that anybody knows they run that way.
 *
 * @param optimizerWith the optimizer of the function that charges a refused op so many µs (`ExplorationLimits.refusedUs`)
 * @param isSpent asked after every round: whether it is the last one
 * @returns `undefined` where the exploration was cut short
 */
export function boundWithRefusedOps(
  evaluator: OpEvaluator,
  optimizerWith: (refusedUs: number) => LayoutOptimizer,
  reason: string,
  isSpent?: () => boolean,
): Optimum | undefined {
  const asInput = evaluator.fn.ops.map(({ id }) => evaluator.kept(id));
  const refusedUs = INPUTS_PER_REFUSED_OP * assignmentMicroseconds(evaluator, asInput);
  const optimizer = optimizerWith(refusedUs);
  if (optimizer.isCut) return undefined;
  const optimum = optimizer.tighten(reason, isSpent);
  return { ...optimum, bound: optimum.bound - optimizer.refusedUs(optimum.assignment) };
}
