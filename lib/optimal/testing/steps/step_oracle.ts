// SPDX-License-Identifier: Apache-2.0
import { simulateL1Schedule } from "../../../memory/l1_timeline.ts";
import type { L1Region } from "../../../memory/l1_schedule.ts";
import type { LayoutProgram } from "../../../search/layout_program.ts";
import { opsBefore } from "../../../search/op_order.ts";
import type { OpRoles } from "../../../search/op_roles.ts";
import { Conversions } from "../../exploration/conversions.ts";
import type { LayoutSpace } from "../../exploration/layout_space.ts";
import { RemainingBound } from "./remaining_bound.ts";
import { MOST_STEP_OPS, searchSteps } from "./step_search.ts";
import { type SearchStep, steppedProgram } from "./stepped_program.ts";

/** The input of {@linkcode leastPlanBySteps}. */
export interface StepOracleQuestion {
  /** L1 per core; plans may fill its budget. */
  readonly region: L1Region;
  /** Whether ops run in the input's order; otherwise in any that their operands allow. */
  readonly keepsOrder: boolean;
  /** µs; only faster plans are searched for. */
  readonly limitUs: number;
  /** Most states that are examined. */
  readonly mostStates: number;
  /** µs of a program that fits L1. */
  priceOf(program: LayoutProgram): number;
}

/** The result of {@linkcode leastPlanBySteps}. */
export interface StepOracleAnswer {
  /** µs of the fastest plan that was found; the limit if none is faster. */
  readonly leastUs: number;
  /** µs that no plan over the explored layouts beats; `leastUs` if the search was completed. */
  readonly boundUs: number;
  /** Whether every state was examined, so that no plan is faster than `leastUs`. */
  readonly isComplete: boolean;
}

/** Relative distance within which two sums of the same times are equal. */
const EQUAL = 1e-6;

/**
 * The least time of any plan that fits L1 by address, with the device clock of the cost model: an oracle for functions
 * of up to {@linkcode MOST_STEP_OPS} ops. It shares the tables of candidates, their prices and elimination
 * (for the bound of the remaining ops) with the optimizer, and neither its branching nor its search by address.
 *
 * @throws {RangeError} for longer functions
 */
export function leastPlanBySteps(
  space: LayoutSpace,
  roles: OpRoles,
  { region, keepsOrder, limitUs, mostStates, priceOf }: StepOracleQuestion,
): StepOracleAnswer {
  const { evaluator } = space;
  const { ops } = evaluator.fn;
  if (ops.length > MOST_STEP_OPS) {
    throw new RangeError(`Cannot search ${ops.length} ops step by step: at most ${MOST_STEP_OPS}`);
  }
  const conversions = new Conversions(evaluator, region.budget);
  let leastUs = limitUs;
  const offer = (steps: readonly SearchStep[]): number => {
    const program = steppedProgram(evaluator, steps);
    const { withinBudget } = simulateL1Schedule(program.l1Schedule(program.steps()), region);
    if (!withinBudget || program.faults(roles) > 0) return Infinity;
    const microseconds = priceOf(program);
    leastUs = Math.min(leastUs, microseconds);
    return microseconds;
  };
  const { boundUs } = searchSteps(space, conversions, new RemainingBound(space, conversions, new Map()), {
    region,
    before: keepsOrder
      ? ops.map(({ id }) => new Set(ops.slice(0, id).map((op) => op.id)))
      : opsBefore(evaluator, roles),
    pinned: roles.pinned,
    limitUs,
    mostStates,
    offer,
  });
  return { leastUs, boundUs, isComplete: boundUs >= leastUs * (1 - EQUAL) };
}
