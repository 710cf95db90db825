// SPDX-License-Identifier: Apache-2.0
import { INPUTS_PER_REFUSED_OP } from "./limits.ts";
import { assignmentMicroseconds } from "../search/assignment.ts";
import type { OpEvaluator } from "../search/op_evaluator.ts";
import type { LayoutOptimizer, Optimum } from "./layout_optimizer.ts";

/**
 * For a function in which every assignment has refused ops: the best assignment, and a bound in µs over all
 * plans with as few refused ops. Refused ops stay as in the input, which is assumed to run.
 *
 * @param optimizerWith creates the function's optimizer for a charge in µs per refused op
 * (`ExplorationLimits.refusedUs`)
 * @param isSpent asked after every round: whether to stop
 * @returns `undefined` if the exploration was cut short
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
