// SPDX-License-Identifier: Apache-2.0
import type { WorkAccount } from "../search/work_account.ts";

/** An action that runs on its first call only. */
export function once(act: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    act();
  };
}

/** A budget check that answers `isSpent` only after so many µs of work from now on: a grace period. */
export function withGrace(work: WorkAccount, microseconds: number, isSpent: () => boolean): () => boolean {
  const end = work.microseconds + microseconds;
  return () => work.microseconds >= end && isSpent();
}

/**
 * A budget check that also runs `act` once, the first time it is asked after so many µs of work from now on, unless
 * the budget is spent by then: a long step that asks it lets a cheap one run in between.
 */
export function interruptedAfter(
  work: WorkAccount,
  microseconds: number,
  act: () => void,
  isSpent: () => boolean,
): () => boolean {
  const start = work.microseconds;
  const actOnce = once(act);
  return () => {
    if (!isSpent() && work.microseconds - start >= microseconds) actOnce();
    return isSpent();
  };
}
