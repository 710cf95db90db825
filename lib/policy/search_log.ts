// SPDX-License-Identifier: Apache-2.0
import type { MoveRecord } from "../improve/improvement_log.ts";
import type { WorkAccount } from "../search/work_account.ts";
import type { SearchStepName } from "./search_plan.ts";

/** Effect of one step of the search on a function, over all of its runs. */
export interface SearchStepRecord {
  /** The step, by its name in the table of steps. */
  readonly step: SearchStepName;
  /** The policy whose plan is the incumbent, if `other-policies` found it. */
  readonly policy?: string;
  /** Number of runs; a step may run again when it interrupts another one. */
  readonly runs: number;
  /** Why it did not run; `undefined` if it did. */
  readonly skipped: "does not apply" | "left out" | "budget spent" | undefined;
  /** Estimated µs of work, without the steps that interrupted it; `undefined` for `other-policies`, whose work is not counted. */
  readonly workUs: number | undefined;
  /** Predicted µs of the incumbent, with waits for the dispatcher, after its last run; `undefined` if there is none. */
  readonly incumbentUs: number | undefined;
  /** µs by which it lowered the incumbent; 0 for the first incumbent. */
  readonly savedUs: number;
  /** Lower bound in µs after its last run; `undefined` if there is none. */
  readonly boundUs: number | undefined;
  /** µs by which it raised the bound; 0 for the first bound. */
  readonly raisedUs: number;
}

/** The steps of the search for one function, in the order in which they first came up. */
export interface FunctionSearchLog {
  /** Name in the IR. */
  readonly function: string;
  /** How many it has. */
  readonly ops: number;
  /** In the order in which they first came up. */
  readonly steps: readonly SearchStepRecord[];
  /** Whether it ended because its budget was spent. */
  readonly isSpent: boolean;
  /** Effects of moves on the programs of these steps. */
  readonly moves: readonly MoveRecord[];
}

/** Gauges before and after each step: work done, incumbent and bound, all in µs. */
interface Gauges {
  readonly work: Pick<WorkAccount, "microseconds">;
  incumbentUs(): number | undefined;
  boundUs(): number | undefined;
}

interface SearchReading {
  readonly workUs: number;
  readonly incumbentUs: number | undefined;
  readonly boundUs: number | undefined;
}

/**
 * Attributes work and changes of incumbent and bound to the running step; nested steps are attributed to
 * themselves only.
 */
export class SearchLog {
  readonly #gauges: Gauges;
  readonly #records: Map<SearchStepName, SearchStepRecord> = new Map();
  #running: SearchStepName | undefined;
  #last: SearchReading;

  constructor(gauges: Gauges) {
    this.#gauges = gauges;
    this.#last = this.#read();
  }

  /** The records so far. */
  get steps(): readonly SearchStepRecord[] {
    return [...this.#records.values()];
  }

  /** Runs a step, possibly within another one. */
  during<Result>(step: SearchStepName, act: () => Result): Result {
    const interrupted = this.#running;
    this.#attribute();
    this.#running = step;
    const { runs } = this.#recordOf(step);
    this.#records.set(step, { ...this.#recordOf(step), runs: runs + 1, skipped: undefined });
    try {
      return act();
    } finally {
      this.#attribute();
      this.#running = interrupted;
    }
  }

  /** Records why a step does not run, unless it has run or has a reason already. */
  skip(step: SearchStepName, skipped: NonNullable<SearchStepRecord["skipped"]>): void {
    const record = this.#recordOf(step);
    if (record.runs === 0) this.#records.set(step, { ...record, skipped: record.skipped ?? skipped });
  }

  #attribute(): void {
    const now = this.#read();
    const before = this.#last;
    this.#last = now;
    if (this.#running === undefined) return;
    const record = this.#recordOf(this.#running);
    this.#records.set(this.#running, {
      ...record,
      workUs: (record.workUs ?? 0) + now.workUs - before.workUs,
      incumbentUs: now.incumbentUs,
      savedUs: record.savedUs + Math.max(0, difference(before.incumbentUs, now.incumbentUs)),
      boundUs: now.boundUs,
      raisedUs: record.raisedUs + Math.max(0, difference(now.boundUs, before.boundUs)),
    });
  }

  #recordOf(step: SearchStepName): SearchStepRecord {
    return this.#records.get(step) ?? {
      step,
      runs: 0,
      skipped: undefined,
      workUs: 0,
      incumbentUs: undefined,
      savedUs: 0,
      boundUs: undefined,
      raisedUs: 0,
    };
  }

  #read(): SearchReading {
    return {
      workUs: this.#gauges.work.microseconds,
      incumbentUs: this.#gauges.incumbentUs(),
      boundUs: this.#gauges.boundUs(),
    };
  }
}

function difference(more: number | undefined, less: number | undefined): number {
  return more === undefined || less === undefined ? 0 : more - less;
}
