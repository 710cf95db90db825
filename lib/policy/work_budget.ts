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

  /** @param microseconds that may be spent from now on; `Infinity` for a search that ends by itself */
  constructor(account: WorkAccount, microseconds: number = Infinity) {
    this.#account = account;
    this.#start = account.microseconds;
    this.#microseconds = microseconds;
  }

  /** µs that may still be spent. At 0, running work finishes and nothing new starts. */
  get leftUs(): number {
    return Math.max(0, this.#microseconds - (this.#account.microseconds - this.#start));
  }

  /** What is left, and so many µs more. */
  extendedBy(microseconds: number): WorkBudget {
    return new WorkBudget(this.#account, this.leftUs + microseconds);
  }

  /** The function's share of the remaining budget, in proportion to its ops among all waiting functions. */
  shareFor(fn: Sized, waiting: readonly Sized[]): WorkBudget {
    const ops = waiting.reduce((sum, other) => sum + other.ops.length, 0);
    return new WorkBudget(this.#account, this.leftUs * fn.ops.length / Math.max(1, ops));
  }
}
