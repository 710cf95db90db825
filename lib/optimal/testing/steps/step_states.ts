// SPDX-License-Identifier: Apache-2.0
import type { ValueId } from "../../../graph/graph.ts";
import type { LayoutId } from "../../../layout/layout_table.ts";
import type { BankMemory } from "../../../memory/bank_memory.ts";
import type { TimedProgram } from "../../../cost/dispatcher.ts";
import type { ClockState, StepClock } from "./step_clock.ts";
import type { SearchStep } from "./stepped_program.ts";

/** A tensor that exists in one layout. */
export interface Instance {
  readonly value: ValueId;
  readonly layout: LayoutId;
  /** Id of its buffer, which results of views share with the viewed tensor. */
  readonly buffer: number;
}

/** The steps of a plan, last first. */
export interface Trail {
  readonly step: SearchStep;
  readonly before: Trail | undefined;
}

/** Instances between two steps, without addresses. */
export interface Next {
  /** Bit per op that has run. */
  readonly done: number;
  readonly clock: ClockState;
  /** By instance id. Instances in L1 are read by a later step. */
  readonly instances: ReadonlyMap<number, Instance>;
}

/** Instances between two steps, with addresses and with the steps that led there. */
export interface State extends Next {
  readonly memory: BankMemory;
  /** A time in µs that no plan through this state beats. */
  readonly atLeast: number;
  readonly steps: number;
  readonly trail: Trail | undefined;
}

/**
 * A step from a state, with its time as far as known, and the time with congestion, which is computed only when
 * it matters.
 */
export interface Taken {
  readonly state: State;
  readonly step: SearchStep;
  readonly program: TimedProgram;
  congested(): TimedProgram;
}

/** A state that is not placed in L1 yet. */
export interface Open {
  /** The step that led to it; `undefined` before the first one. */
  readonly from: Taken | undefined;
  /** Buffers of the step's results have ids below 0 until they are placed. */
  readonly next: Next;
  /** A remaining time in µs that no continuation beats. */
  readonly restUs: number;
  /** A time in µs that no plan through this state beats. */
  readonly atLeast: number;
}

/** The state with its last step priced with congestion; the same object if it already is. */
export function pricedWithCongestion(entry: Open, clock: StepClock): Open {
  const { from, next, restUs, atLeast } = entry;
  if (from === undefined) return entry;
  const program = from.congested();
  if (program.microseconds === from.program.microseconds) return entry;
  const congested = clock.after(from.state.clock, program);
  return {
    from: { ...from, program },
    next: { ...next, clock: congested },
    restUs,
    atLeast: Math.max(atLeast, congested.microseconds + restUs),
  };
}

/** The steps that led to a state, in order. */
export function stepsOf(trail: Trail | undefined): readonly SearchStep[] {
  const steps: SearchStep[] = [];
  for (let at = trail; at !== undefined; at = at.before) steps.push(at.step);
  return steps.reverse();
}
