// SPDX-License-Identifier: Apache-2.0
import type { DispatcherTimes } from "../../cost/cost_model.ts";
import { dispatchedAfter } from "../../cost/dispatcher.ts";
import { isOp, type OpId } from "../../graph/graph.ts";
import type { LayoutProgram } from "../../search/layout_program.ts";
import { copyAt } from "../../search/program.ts";

/** A program of an op, or of a copy before it, that takes time. */
export interface Kernel {
  readonly op: OpId;
  readonly microseconds: number;
}

/** Programs that take time, in execution order, without copies of returned values. */
export function kernelsOf(program: LayoutProgram): readonly Kernel[] {
  return program.steps().flatMap((step): Kernel[] => {
    const op = step.kind === "op" ? step.op : copyAt(program, step.copy).before;
    const us = step.kind === "op" ? program.opMicroseconds(step.op) : program.copyMicroseconds(step.copy);
    return us > 0 && isOp(program, op) ? [{ op, microseconds: us }] : [];
  });
}

/**
 * Start times of consecutive programs: one after the other, and each not before it was dispatched
 * (`dispatchedAfter`). Launches and work on the host are not counted.
 */
export class DispatchClock {
  /** Start time of each program. */
  readonly starts: number[] = [];
  /** When the dispatcher had dispatched each program. */
  readonly dispatched: number[] = [];
  readonly #dispatch: DispatcherTimes;
  #end = 0;

  constructor(dispatch: DispatcherTimes) {
    this.#dispatch = dispatch;
  }

  /** When the last one ended. */
  get end(): number {
    return this.#end;
  }

  /**
   * Number of programs that are dispatched but not started when the last one ends; at most as many as the
   * cores keep.
   */
  get readyPrograms(): number {
    const { readyPrograms: most } = this.#dispatch;
    let ready = 0;
    let dispatched = this.dispatched.at(-1) ?? 0;
    while (ready < most) {
      dispatched = dispatchedAfter(this.#dispatch, dispatched, this.starts, this.starts.length + ready);
      if (dispatched > this.#end) break;
      ready++;
    }
    return ready;
  }

  /** Runs the next program. */
  run(microseconds: number): void {
    const dispatched = dispatchedAfter(
      this.#dispatch,
      this.dispatched.at(-1) ?? 0,
      this.starts,
      this.starts.length,
    );
    const start = Math.max(this.#end, dispatched);
    this.dispatched.push(dispatched);
    this.starts.push(start);
    this.#end = start + microseconds;
  }
}
