// SPDX-License-Identifier: Apache-2.0
import type { WorkAccount } from "../search/work_account.ts";

/** `act`, of which only the first call does anything. */
export function once(act: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    act();
  };
}

/** `isSpent`, but not before so many µs of work are done. */
export function afterwards(work: WorkAccount, microseconds: number, isSpent: () => boolean): () => boolean {
  const end = work.microseconds + microseconds;
  return () => work.microseconds >= end && isSpent();
}

/**
 * `isSpent`, which runs `act` once, when it is first asked after so many µs of work from now on, unless everything is spent
 * by then.
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
