// SPDX-License-Identifier: Apache-2.0
import { DOUBLED_AFTER, GUESSED_CONFLICT_SHARE, STEP_SHARE } from "../limits.ts";
import type { AddressConflict, PlacedSolution, Placing } from "./address_search.ts";
import { withCaps, withMoves } from "../l1/l1_caps.ts";

/** Adds a restriction to a solution. */
type Restriction = (placing: Placing) => Placing;

/** Changes that may resolve all conflicts. */
export interface ConflictTrial {
  readonly changes: readonly Restriction[];
  /** Whether they were tried before and are now the most promising. */
  readonly isFollowed: boolean;
}

/** Changes that leave steps without room. */
interface Attempt {
  readonly changes: readonly Restriction[];
  /** Their cost. */
  readonly microseconds: number;
  /** Steps without room that they leave. */
  readonly steps: number;
  /** Further possible changes; `undefined` until the attempt is followed. */
  readonly branches: Iterator<Restriction> | undefined;
}

/** Best-first search for changes that make a solution fit. */
export class ConflictSearch {
  /** µs without any change. */
  readonly #baseUs: number;
  /** Steps without room if nothing is changed. */
  readonly #steps: number;
  /** s̄ of {@linkcode STEP_SHARE}. */
  readonly #stepBytes: number;
  readonly #takesDetours: boolean;
  readonly #open: Attempt[] = [];
  #trials = 0;
  /** Cost of the cheapest changes so far after which everything fits. */
  #leastUs = Infinity;

  /** @param base the solution without any change */
  constructor({ microseconds }: PlacedSolution, conflict: AddressConflict, takesDetours: boolean) {
    this.#takesDetours = takesDetours;
    this.#baseUs = microseconds;
    this.#steps = conflict.shortages.length;
    this.#stepBytes = sum(conflict.shortages) / this.#steps;
    this.#open.push({
      changes: [],
      microseconds: 0,
      steps: this.#steps,
      branches: branches(conflict, takesDetours),
    });
  }

  /** The untried changes that promise to resolve all conflicts at the least cost; `undefined` if nothing is left. */
  next(): ConflictTrial | undefined {
    for (let attempt = this.#first(); attempt !== undefined; attempt = this.#first()) {
      const { changes, branches } = attempt;
      const branch = branches?.next();
      if (branch?.done === false) {
        this.#trials++;
        return { changes: [...changes, branch.value], isFollowed: false };
      }
      this.#open.splice(this.#open.indexOf(attempt), 1);
      if (branch === undefined) return { changes, isFollowed: true };
    }
    return undefined;
  }

  #first(): Attempt | undefined {
    const price = this.#priceOfStep();
    let first: Attempt | undefined;
    let least = Infinity;
    for (const attempt of this.#open) {
      const { microseconds, steps } = attempt;
      const us = microseconds + price * steps;
      if (microseconds < this.#leastUs && us < least) [first, least] = [attempt, us];
    }
    return first;
  }

  /**
   * Assumed µs for making one step fit. Until something fits, the assumption grows, so that attempts with few
   * steps left are followed to their end.
   */
  #priceOfStep(): number {
    const guessUs = GUESSED_CONFLICT_SHARE * this.#baseUs;
    if (this.#leastUs === Infinity) return guessUs * 2 ** Math.floor(this.#trials / DOUBLED_AFTER);
    return Math.max(0, Math.min(guessUs, this.#leastUs / this.#steps));
  }

  /** Records changes that leave a conflict. */
  add(
    { changes, isFollowed }: ConflictTrial,
    { microseconds }: PlacedSolution,
    conflict: AddressConflict,
  ): void {
    const { shortages } = conflict;
    const steps = STEP_SHARE * shortages.length + (1 - STEP_SHARE) * sum(shortages) / this.#stepBytes;
    this.#open.push({
      changes,
      microseconds: microseconds - this.#baseUs,
      steps,
      branches: isFollowed ? branches(conflict, this.#takesDetours) : undefined,
    });
  }

  /** Records µs of a solution that fits. */
  found(microseconds: number): void {
    this.#leastUs = microseconds - this.#baseUs;
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, each) => all + each, 0);
}

/**
 * Changes that may resolve a conflict, one at a time. A cap on an L1 item is tried twice: 1 byte and `shortBytes` below
 * its present size. Rejected: copies made as soon as their source exists (80 lines), which changed one of 52 plans, by
 * 0.6 %.
 */
function* branches(
  { obstacles, shortBytes }: AddressConflict,
  takesDetours: boolean,
): Generator<Restriction> {
  const { items, waits, detours } = obstacles();
  for (const tensors of items) {
    for (const fewer of [1, shortBytes]) {
      yield (placing) => ({ ...placing, caps: withCaps(placing.caps, tensors, fewer) });
    }
  }
  for (const equivalent of waits) {
    yield (placing) => ({ ...placing, caps: withMoves(placing.caps, equivalent) });
  }
  for (const equivalent of takesDetours ? detours : []) {
    yield (placing) => ({ ...placing, detours: [...placing.detours, ...equivalent] });
  }
}
