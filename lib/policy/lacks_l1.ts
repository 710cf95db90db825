// SPDX-License-Identifier: Apache-2.0
import { simulateL1Schedule } from "../memory/l1_timeline.ts";
import { LayoutProgram } from "../search/layout_program.ts";
import type { Assignment } from "../search/impls.ts";
import type { FunctionContext } from "./function_context.ts";

/** Whether some step of an assignment does not fit L1 by address before pass 2. */
export function lacksL1({ evaluator, region }: FunctionContext, assignment: Assignment): boolean {
  const program = LayoutProgram.fromAssignment(evaluator, assignment);
  const schedule = program.l1Schedule(program.steps());
  return simulateL1Schedule(schedule, region, undefined, "failures").failures.some(({ shortBytes }) =>
    shortBytes > 0
  );
}
