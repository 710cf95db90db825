// SPDX-License-Identifier: Apache-2.0
import type { ValueId } from "../graph/graph.ts";
import type { LayoutId } from "../layout/layout_table.ts";
import type { BankMemory } from "../memory/bank_memory.ts";
import type { PlanStep } from "./stepped_program.ts";

/** A tensor that exists in one layout. */
export interface Instance {
  readonly value: ValueId;
  readonly layout: LayoutId;
  /** Id of its buffer, which results of views share with what they look at. */
  readonly buffer: number;
}

/** The steps of a plan, the last first. */
export interface Trail {
  readonly step: PlanStep;
  readonly before: Trail | undefined;
}

/** What exists between two steps, wherever it lies. */
export interface Next {
  /** Bit per op that has run. */
  readonly done: number;
  readonly microseconds: number;
  /** By instance id. Those in L1 are read by a later step. */
  readonly instances: ReadonlyMap<number, Instance>;
}

/** What exists between two steps, with what led there. */
export interface State extends Next {
  readonly memory: BankMemory;
  /** µs that no plan over this state undercuts. */
  readonly atLeast: number;
  readonly steps: number;
  readonly trail: Trail | undefined;
}

/** A step from a state, with the µs that are known of it and those with congestion, which are asked for once it matters. */
export interface Taken {
  readonly state: State;
  readonly step: PlanStep;
  readonly microseconds: number;
  congestedUs(): number;
}

/** A state that is not laid out in L1 yet. */
export interface Open {
  /** Where it comes from; `undefined` before the first step. */
  readonly from: Taken | undefined;
  /** Buffers of what the step makes have ids below 0 until it is laid out. */
  readonly next: Next;
  /** µs that nothing that may follow undercuts. */
  readonly restUs: number;
  /** µs that no plan over this state undercuts. */
  readonly atLeast: number;
}

/** The state with its last step priced with congestion; itself where it is. */
export function withCongestion(entry: Open): Open {
  const { from, next, restUs, atLeast } = entry;
  if (from === undefined) return entry;
  const congestedUs = from.congestedUs();
  if (congestedUs === from.microseconds) return entry;
  const microseconds = from.state.microseconds + congestedUs;
  return {
    from: { ...from, microseconds: congestedUs },
    next: { ...next, microseconds },
    restUs,
    atLeast: Math.max(atLeast, microseconds + restUs),
  };
}

/** The steps that led to a state, in order. */
export function stepsOf(trail: Trail | undefined): readonly PlanStep[] {
  const steps: PlanStep[] = [];
  for (let at = trail; at !== undefined; at = at.before) steps.push(at.step);
  return steps.reverse();
}
