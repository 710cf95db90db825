// SPDX-License-Identifier: Apache-2.0
import type { WorkAccount } from "../search/work_account.ts";

/** A stop check that calls `isSpent` only after a grace period of so many µs of work. */
export function withGrace(work: WorkAccount, microseconds: number, isSpent: () => boolean): () => boolean {
  const end = work.microseconds + microseconds;
  return () => work.microseconds >= end && isSpent();
}
