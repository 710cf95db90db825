// SPDX-License-Identifier: Apache-2.0
import type { WorkAccount } from "../search/work_account.ts";

/** `act`, of which only the first call has an effect. */
export function once(act: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    act();
  };
}

/** `isSpent`, but `false` until so many µs of work are done. */
export function afterwards(work: WorkAccount, microseconds: number, isSpent: () => boolean): () => boolean {
  const end = work.microseconds + microseconds;
  return () => work.microseconds >= end && isSpent();
}

/**
 * `isSpent`, which also runs `act` once: on the first call after so many µs of work from now, unless everything
 * is spent by then.
 */
export function makingWay(
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
