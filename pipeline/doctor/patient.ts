// SPDX-License-Identifier: Apache-2.0
import { roleOf } from "../../lib/graph/function_role.ts";
import type { GraphFunction, OpId } from "../../lib/graph/graph.ts";
import {
  type L1Failure,
  type L1StepUsage,
  type L1Timeline,
  simulateL1Schedule,
} from "../../lib/memory/l1_timeline.ts";
import { type L1Region, l1Region, type L1Schedule } from "../../lib/memory/l1_schedule.ts";
import type { PolicyOptions } from "../../lib/policy/options.ts";
import { OpEvaluator } from "../../lib/search/op_evaluator.ts";
import { type OpRoles, opRoles } from "../../lib/search/op_roles.ts";
import { LayoutProgram } from "../../lib/search/layout_program.ts";
import type { Assignment } from "../../lib/search/impls.ts";
import type { Workbench } from "../load.ts";

/** A function as written, ready for trials: its program, its changeable ops, and its L1 timeline. */
export interface Patient {
  readonly fn: GraphFunction;
  readonly roles: OpRoles;
  readonly region: L1Region;
  readonly assignment: Assignment;
  readonly program: LayoutProgram;
  /** The L1 events of the program. */
  readonly schedule: L1Schedule;
  readonly timeline: L1Timeline;
}

/** Every function that runs in an inference, as written. */
export function patientsOf(workbench: Workbench, options: PolicyOptions): readonly Patient[] {
  const { binding, opModel, cost, chip } = workbench;
  const { graph } = binding;
  const region = l1Region(chip, options.tensorL1UsageCap, graph.constEvalL1Bytes);
  return graph.functions
    .filter((fn) => roleOf(fn.kind) === "inference" && fn.ops.length > 0)
    .map((fn) => {
      const evaluator = new OpEvaluator(fn, opModel, cost, options);
      const assignment = fn.ops.map(({ id }) => evaluator.asInput(id));
      const program = LayoutProgram.fromAssignment(evaluator, assignment);
      const schedule = program.l1Schedule(program.steps());
      const timeline = simulateL1Schedule(schedule, region);
      return { fn, roles: opRoles(evaluator), region, assignment, program, schedule, timeline };
    });
}

/** Everything that does not fit, in step order. */
export function shortagesOf({ failures, oversized }: L1Timeline): readonly L1Failure[] {
  return [...failures, ...oversized].sort((a, b) => a.position - b.position);
}

/** Replays L1 by address for a program. */
export function simulateL1(program: LayoutProgram, region: L1Region): L1Timeline {
  return simulateL1Schedule(program.l1Schedule(program.steps()), region);
}

/** L1 while an op runs; `undefined` for ops that are not in the program. */
export function usageOfOp(
  program: LayoutProgram,
  timeline: L1Timeline,
  op: OpId,
): { readonly position: number; readonly usage: L1StepUsage } | undefined {
  const position = program.steps().findIndex((step) => step.kind === "op" && step.op === op);
  const usage = timeline.usage[position];
  return usage === undefined ? undefined : { position, usage };
}
