// SPDX-License-Identifier: Apache-2.0
import type { WorkAccount } from "../search/work_account.ts";

/** A budget check that answers `isSpent` only after so many µs of work from now on: a grace period. */
export function withGrace(work: WorkAccount, microseconds: number, isSpent: () => boolean): () => boolean {
  const end = work.microseconds + microseconds;
  return () => work.microseconds >= end && isSpent();
}
