// SPDX-License-Identifier: Apache-2.0
import type { DispatcherTimes } from "../../cost/cost_model.ts";
import { sentAfter, startAfter, type TimedProgram } from "../../cost/dispatcher.ts";

/** Where device and dispatcher stand between two steps. */
export interface ClockState {
  /** µs at which the last program ended. */
  readonly microseconds: number;
  /** µs at which the dispatcher has sent the next program. */
  readonly sentUs: number;
  /** µs at which the programs that were sent started; empty where nobody knows what the dispatcher needs. */
  readonly starts: readonly number[];
}

/** Share of a time by which two sums of the same times may differ; far less than plans are told apart by. */
const SAME_SUM = 1e-12;

/**
 * The clock that finished plans are priced by (`lib/cost/dispatcher.ts`), a step at a time and over states that can be compared:
 * what takes no time is no program, and a sum of times where nobody knows what the dispatcher needs.
 */
export class StepClock {
  readonly start: ClockState = { microseconds: 0, sentUs: 0, starts: [] };
  readonly #dispatch: DispatcherTimes | undefined;

  constructor(dispatch: DispatcherTimes | undefined) {
    this.#dispatch = dispatch;
  }

  /** The state after one more program. */
  after(state: ClockState, program: TimedProgram): ClockState {
    const { microseconds, sentUs, starts } = state;
    if (program.microseconds === 0) return state;
    if (this.#dispatch === undefined) return { ...state, microseconds: microseconds + program.microseconds };
    const { bound, terms: { launch } } = program;
    const startUs = startAfter(this.#dispatch, program, microseconds, sentUs);
    const endUs = startUs + Math.max(0, program.microseconds - launch);
    if (bound === "HOST") return { ...state, microseconds: endUs };
    const started = [...starts, startUs];
    return {
      microseconds: endUs,
      sentUs: sentAfter(this.#dispatch, sentUs, started, started.length),
      starts: started,
    };
  }

  /**
   * Whether one state ends no later than another, whatever follows. The clock only adds times and takes the later of two, so
   * that this holds where nothing that it still depends on is later: the end of the last program, and the times at which the
   * next programs that the cores keep ready were sent. The latter say nothing where they lie before that end.
   */
  isNoLater(state: ClockState, other: ClockState): boolean {
    const latest = other.microseconds * (1 + SAME_SUM);
    if (state.microseconds > latest) return false;
    if (this.#dispatch === undefined) return true;
    let sent = state.sentUs;
    let otherSent = other.sentUs;
    for (let ahead = 0; ahead < this.#dispatch.readyPrograms; ahead++) {
      if (ahead > 0) {
        sent = this.#sentAhead(state, sent, ahead);
        otherSent = this.#sentAhead(other, otherSent, ahead);
      }
      if (sent > Math.max(latest, otherSent * (1 + SAME_SUM))) return false;
    }
    return true;
  }

  /**
   * µs at which the dispatcher has sent the `count`-th of the programs to come, no earlier than which that one starts.
   *
   * @param count from 1
   */
  sentUs(state: ClockState, count: number): number {
    if (this.#dispatch === undefined) return 0;
    const { readyPrograms, sendMicroseconds } = this.#dispatch;
    let sent = state.sentUs;
    for (let ahead = 1; ahead < Math.min(count, readyPrograms); ahead++) {
      sent = this.#sentAhead(state, sent, ahead);
    }
    // Further ones wait for programs to come, none of which starts before the last one ended.
    return count <= readyPrograms
      ? sent
      : Math.max(sent, state.microseconds) + (count - readyPrograms) * sendMicroseconds;
  }

  #sentAhead({ starts }: ClockState, before: number, ahead: number): number {
    return this.#dispatch === undefined
      ? 0
      : sentAfter(this.#dispatch, before, starts, starts.length + ahead);
  }
}
