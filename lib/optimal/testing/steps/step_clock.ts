// SPDX-License-Identifier: Apache-2.0
import type { DispatcherTimes } from "../../../cost/cost_model.ts";
import { dispatchedAfter, startAfter, type TimedProgram } from "../../../cost/dispatcher.ts";

/** The state of device and dispatcher between two steps. */
export interface ClockState {
  /** µs at which the last program ended. */
  readonly microseconds: number;
  /** µs at which the dispatcher has dispatched the next program. */
  readonly dispatchedUs: number;
  /** µs at which the dispatched programs started; empty if the dispatcher's times are unknown. */
  readonly starts: readonly number[];
}

/** Relative difference between two sums of the same times; far below what distinguishes plans. */
const SAME_SUM = 1e-12;

/**
 * The clock by which finished plans are priced (`lib/cost/dispatcher.ts`), one step at a time and with
 * comparable states. What takes no time is not a program. If the dispatcher's times are unknown, it is just a
 * sum of times.
 */
export class StepClock {
  readonly start: ClockState = { microseconds: 0, dispatchedUs: 0, starts: [] };
  readonly #dispatch: DispatcherTimes | undefined;

  constructor(dispatch: DispatcherTimes | undefined) {
    this.#dispatch = dispatch;
  }

  /** The state after one more program. */
  after(state: ClockState, program: TimedProgram): ClockState {
    const { microseconds, dispatchedUs, starts } = state;
    if (program.microseconds === 0) return state;
    if (this.#dispatch === undefined) return { ...state, microseconds: microseconds + program.microseconds };
    const { bound, terms: { launch } } = program;
    const startUs = startAfter(this.#dispatch, program, microseconds, dispatchedUs);
    const endUs = startUs + Math.max(0, program.microseconds - launch);
    if (bound === "HOST") return { ...state, microseconds: endUs };
    const started = [...starts, startUs];
    return {
      microseconds: endUs,
      dispatchedUs: dispatchedAfter(this.#dispatch, dispatchedUs, started, started.length),
      starts: started,
    };
  }

  /**
   * Whether one state ends no later than another for every continuation. The clock only adds times and takes
   * maxima, so this holds if no state variable that still matters is later: the end of the last program, and
   * the dispatch times of the next programs in the queue, unless these are before that end.
   */
  isNoLater(state: ClockState, other: ClockState): boolean {
    const latest = other.microseconds * (1 + SAME_SUM);
    if (state.microseconds > latest) return false;
    if (this.#dispatch === undefined) return true;
    let dispatched = state.dispatchedUs;
    let otherDispatched = other.dispatchedUs;
    for (let ahead = 0; ahead < this.#dispatch.readyPrograms; ahead++) {
      if (ahead > 0) {
        dispatched = this.#dispatchedAhead(state, dispatched, ahead);
        otherDispatched = this.#dispatchedAhead(other, otherDispatched, ahead);
      }
      if (dispatched > Math.max(latest, otherDispatched * (1 + SAME_SUM))) return false;
    }
    return true;
  }

  /**
   * µs at which the dispatcher has dispatched the `count`-th of the following programs, which cannot start
   * earlier.
   *
   * @param count from 1
   */
  dispatchedUs(state: ClockState, count: number): number {
    if (this.#dispatch === undefined) return 0;
    const { readyPrograms, dispatchMicroseconds } = this.#dispatch;
    let dispatched = state.dispatchedUs;
    for (let ahead = 1; ahead < Math.min(count, readyPrograms); ahead++) {
      dispatched = this.#dispatchedAhead(state, dispatched, ahead);
    }
    // Further ones wait for following programs to start, and none of those starts before the last one ended.
    return count <= readyPrograms
      ? dispatched
      : Math.max(dispatched, state.microseconds) + (count - readyPrograms) * dispatchMicroseconds;
  }

  #dispatchedAhead({ starts }: ClockState, before: number, ahead: number): number {
    return this.#dispatch === undefined
      ? 0
      : dispatchedAfter(this.#dispatch, before, starts, starts.length + ahead);
  }
}
