// SPDX-License-Identifier: Apache-2.0
import type { WorkAccount } from "../search/work_account.ts";

/** A function, as far as its size goes. */
interface Sized {
  readonly ops: readonly unknown[];
}

/** Work that searches may still do, in µs of processor time as their account reckons it. */
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

  get #used(): number {
    return this.#account.microseconds - this.#start;
  }

  /** Whether nothing more should be begun; what runs is finished. */
  get isSpent(): boolean {
    return this.#used >= this.#microseconds;
  }

  /** A part of what is left: as large as the function's part of the ops that wait. */
  shareFor(fn: Sized, waiting: readonly Sized[]): WorkBudget {
    const ops = waiting.reduce((sum, other) => sum + other.ops.length, 0);
    const left = Math.max(0, this.#microseconds - this.#used);
    return new WorkBudget(this.#account, left * fn.ops.length / Math.max(1, ops));
  }
}
