// SPDX-License-Identifier: Apache-2.0
import { simulateL1Schedule } from "../../memory/l1_timeline.ts";
import type { L1Region } from "../../memory/l1_schedule.ts";
import { LayoutProgram } from "../../search/layout_program.ts";
import type { OpEvaluator } from "../../search/op_evaluator.ts";

/**
 * Bytes of L1 per core that the plan of a function may fill: the allowed share, or everything if the input
 * itself exceeds that share.
 */
export function l1Capacity(evaluator: OpEvaluator, region: L1Region): number {
  const asInput = evaluator.fn.ops.map(({ id }) => evaluator.asInput(id));
  const program = LayoutProgram.fromAssignment(evaluator, asInput);
  const { withinBudget } = simulateL1Schedule(
    program.l1Schedule(program.steps()),
    region,
    undefined,
    "failures",
  );
  return withinBudget ? region.budget : region.top - region.base;
}
