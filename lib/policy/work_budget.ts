// SPDX-License-Identifier: Apache-2.0
import type { WorkAccount } from "../search/work_account.ts";

interface Sized {
  readonly ops: readonly unknown[];
}

/** Work that searches may still do, in estimated µs as the account counts it. */
export class WorkBudget {
  readonly #account: WorkAccount;
  readonly #start: number;
  /** µs from the start. */
  readonly #microseconds: number;

  /**
   * @param microseconds that may be spent from `start` on; `Infinity` for a search that ends by itself
   * @param start µs of the account, by default those of now
   */
  constructor(
    account: WorkAccount,
    microseconds: number = Infinity,
    start: number = account.microseconds,
  ) {
    this.#account = account;
    this.#start = start;
    this.#microseconds = microseconds;
  }

  /** µs that may still be spent. At 0, running work finishes and nothing new starts. */
  get leftUs(): number {
    return Math.max(0, this.#microseconds - (this.#account.microseconds - this.#start));
  }

  /** µs that were spent beyond the budget. */
  get overdrawnUs(): number {
    return Math.max(0, this.#account.microseconds - this.#start - this.#microseconds);
  }

  /** The same budget, spent since the same beginning, with so many µs more. */
  extendedBy(microseconds: number): WorkBudget {
    return new WorkBudget(this.#account, this.#microseconds + microseconds, this.#start);
  }

  /** The function's share of the remaining budget, in proportion to its ops among all waiting functions. */
  shareFor(fn: Sized, waiting: readonly Sized[]): WorkBudget {
    return new WorkBudget(this.#account, this.leftUs * shareOf(fn, waiting));
  }
}

/** A stop check that lets so many µs of work be done from now on before it asks `mustStop`. */
export function afterAllowance(
  account: WorkAccount,
  microseconds: number,
  mustStop: () => boolean,
): () => boolean {
  const allowance = new WorkBudget(account, microseconds);
  return () => allowance.leftUs === 0 && mustStop();
}

/** A function's share of the ops of all waiting functions. */
export function shareOf(fn: Sized, waiting: readonly Sized[]): number {
  const ops = waiting.reduce((sum, other) => sum + other.ops.length, 0);
  return fn.ops.length / Math.max(1, ops);
}
