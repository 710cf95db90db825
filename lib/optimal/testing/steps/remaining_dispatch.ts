// SPDX-License-Identifier: Apache-2.0
import type { OpId } from "../../../graph/graph.ts";
import type { LayoutSpace } from "../../exploration/layout_space.ts";
import { runsOnHost } from "../../dispatch/dispatch_paths.ts";
import type { ClockState, StepClock } from "./step_clock.ts";

/** An op that is a dispatched program in all of its implementations. */
interface DispatchedOp {
  /** Bit per op that is dispatched and precedes it in every order, itself included. */
  readonly upTo: number;
  /** Bit per op that follows it in every order, itself included. */
  readonly from: number;
}

/**
 * A lower bound on the remaining time of a function because its programs must be dispatched: an op cannot
 * start before all ops that precede it in every order were dispatched, and all ops that follow it in every
 * order run after it (derived:sent-before).
 */
export class RemainingDispatch {
  readonly #clock: StepClock;
  readonly #dispatched: readonly DispatchedOp[];
  /** Least µs of each op. */
  readonly #least: readonly number[];
  readonly #gapUs: number;

  /** @param before per op: a bit for every op that directly precedes it in every order */
  constructor(space: LayoutSpace, clock: StepClock, before: readonly number[]) {
    const { fn: { ops }, cost: { dispatch } } = space.evaluator;
    this.#clock = clock;
    this.#least = ops.map(({ id }) => space.table(id).least);
    this.#gapUs = dispatch?.gapMicroseconds ?? 0;
    const isDispatched = (op: OpId): boolean =>
      dispatch !== undefined && (this.#least[op] ?? 0) > 0 && !runsOnHost(space.evaluator, op);
    const dispatched = ops.reduce((mask, { id }) => isDispatched(id) ? mask | 1 << id : mask, 0);
    const upTo: number[] = [];
    // Definitions come before uses, so the masks of earlier ops are known.
    before.forEach((direct, op) => {
      upTo.push(bitsOf(direct).reduce((mask, earlier) => mask | (upTo[earlier] ?? 0), 1 << op));
    });
    this.#dispatched = ops.filter(({ id }) => isDispatched(id)).map(({ id }) => ({
      upTo: (upTo[id] ?? 0) & dispatched,
      from: upTo.reduce((mask, earlier, op) => (earlier & 1 << id) === 0 ? mask : mask | 1 << op, 0),
    }));
  }

  /**
   * A time in µs before which no continuation ends.
   *
   * @param done bit per op that has run
   */
  microseconds(done: number, state: ClockState): number {
    let most = 0;
    for (const { upTo, from } of this.#dispatched) {
      const count = bitsOf(upTo & ~done).length;
      if ((from & done) !== 0) continue;
      const runs = bitsOf(from).reduce((sum, op) => sum + (this.#least[op] ?? 0), 0);
      // It may have been dispatched while the previous one ended.
      most = Math.max(most, this.#clock.dispatchedUs(state, count) + runs - this.#gapUs);
    }
    return most;
  }
}

/** Indices of the bits that are set. */
function bitsOf(mask: number): number[] {
  const bits: number[] = [];
  for (let bit = 0; mask >>> bit > 0; bit++) if ((mask >>> bit & 1) === 1) bits.push(bit);
  return bits;
}
