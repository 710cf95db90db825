// SPDX-License-Identifier: Apache-2.0
import { DOUBLED_AFTER, STEP_SHARE } from "../limits.ts";
import type { AddressConflict, PlacedSolution, Placing } from "./address_search.ts";
import { withCaps, withMoves } from "../l1/l1_caps.ts";

/** Adds a restriction to a solution. */
type Restriction = (placing: Placing) => Placing;

/** Changes that may make a part fit. */
export interface PartTrial {
  readonly changes: readonly Restriction[];
  /** Whether they were tried before and are now the most promising. */
  readonly isFollowed: boolean;
  /** They must leave fewer steps without room than this. */
  readonly mostSteps: number;
}

/** Changes that do not make a part fit yet. */
interface Attempt {
  readonly changes: readonly Restriction[];
  /** Their cost. */
  readonly microseconds: number;
  /** Steps without room that they leave. */
  readonly steps: number;
  /** Further possible changes; `undefined` until the attempt is followed. */
  readonly branches: Iterator<ConflictChange> | undefined;
}

/** The search for changes that make one part of a function fit. */
export class PartSearch {
  readonly #part: number;
  /** µs without any change. */
  #baseUs: number;
  /** Steps without room if nothing is changed. */
  readonly #steps: number;
  /** s̄ of {@linkcode STEP_SHARE}. */
  readonly #stepBytes: number;
  readonly #guessUs: number;
  readonly #takesDetours: boolean;
  readonly #open: Attempt[] = [];
  #trials = 0;
  #chosen: readonly Restriction[] = [];
  #chosenUs = Infinity;
  /** Whether all other parts fit, which this part's changes must not undo. */
  othersHaveRoom = false;

  /**
   * @param base the solution without any change
   * @param guessUs assumed µs that a step without room costs
   */
  constructor(
    { microseconds }: PlacedSolution,
    conflict: AddressConflict,
    guessUs: number,
    takesDetours: boolean,
  ) {
    this.#takesDetours = takesDetours;
    [this.#part] = conflict.parts;
    this.#baseUs = microseconds;
    this.#guessUs = guessUs;
    this.#steps = this.#shortagesOf(conflict).length;
    this.#stepBytes = sum(this.#shortagesOf(conflict)) / this.#steps;
    this.#open.push({
      changes: [],
      microseconds: 0,
      steps: this.#steps,
      branches: branches(conflict, takesDetours),
    });
  }

  /** The cheapest changes so far that make the part fit; empty if none are known. */
  get chosen(): readonly Restriction[] {
    return this.#chosen;
  }

  /** How many changes were tried. */
  get trials(): number {
    return this.#trials;
  }

  /** Whether nothing is left to try. */
  get isDone(): boolean {
    return this.#first() === undefined;
  }

  /** Whether this part, and all parts before it, fit in a solution. */
  hasRoom({ conflict }: PlacedSolution): boolean {
    return conflict === undefined || this.#stepsOf(conflict) === 0;
  }

  /** The untried changes that promise to make the part fit at the least cost; `undefined` if nothing is left. */
  next(): PartTrial | undefined {
    for (let attempt = this.#first(); attempt !== undefined; attempt = this.#first()) {
      const { changes, branches, steps } = attempt;
      const branch = branches?.next();
      if (branch?.done === false) {
        this.#trials++;
        const { change, isEarlier } = branch.value;
        return { changes: [...changes, change], isFollowed: false, mostSteps: isEarlier ? steps : Infinity };
      }
      this.#open.splice(this.#open.indexOf(attempt), 1);
      if (branch === undefined) return { changes, isFollowed: true, mostSteps: Infinity };
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
      if (microseconds < this.#chosenUs && us < least) [first, least] = [attempt, us];
    }
    return first;
  }

  /**
   * Assumed µs for making one step fit. Until something fits, the assumption grows, so that attempts with few
   * steps left are followed to their end.
   */
  #priceOfStep(): number {
    if (this.#chosenUs === Infinity) return this.#guessUs * 2 ** Math.floor(this.#trials / DOUBLED_AFTER);
    return Math.max(0, Math.min(this.#guessUs, this.#chosenUs / this.#steps));
  }

  /** Records changes that do not make the part fit. */
  add({ changes, isFollowed, mostSteps }: PartTrial, { microseconds, conflict }: PlacedSolution): void {
    const steps = conflict === undefined ? 0 : this.#stepsOf(conflict);
    if (conflict === undefined || steps >= mostSteps) return;
    this.#open.push({
      changes,
      microseconds: microseconds - this.#baseUs,
      steps,
      branches: isFollowed ? branches(conflict, this.#takesDetours) : undefined,
    });
  }

  /** Chooses changes that make the part fit. */
  choose(changes: readonly Restriction[], { microseconds }: PlacedSolution): void {
    this.#chosen = changes;
    this.#chosenUs = microseconds - this.#baseUs;
  }

  /** Updates the best solution after other parts chose other changes. */
  rebase({ microseconds }: PlacedSolution): void {
    this.#baseUs = microseconds - this.#chosenUs;
  }

  /** The distance of a solution from fitting, in steps. */
  #stepsOf(conflict: AddressConflict): number {
    const shortages = this.#shortagesOf(conflict);
    return STEP_SHARE * shortages.length + (1 - STEP_SHARE) * sum(shortages) / this.#stepBytes;
  }

  /** Missing bytes per step: as long as later parts do not fit, only of this part and all before it. */
  #shortagesOf({ parts, shortages }: AddressConflict): readonly number[] {
    return this.othersHaveRoom
      ? shortages
      : shortages.filter((_, index) => (parts[index] ?? 0) <= this.#part);
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, each) => all + each, 0);
}

interface ConflictChange {
  readonly change: Restriction;
  /** Whether it only makes copies earlier. */
  readonly isEarlier: boolean;
}

/**
 * Changes that may resolve a conflict, one at a time. A cap on an L1 item is tried twice: 1 byte and
 * `shortBytes` below its present size.
 */
function* branches(
  { obstacles, shortBytes }: AddressConflict,
  takesDetours: boolean,
): Generator<ConflictChange> {
  const { items, waits, copies, detours } = obstacles();
  if (copies.length > 0) {
    yield {
      change: (placing) => ({ ...placing, early: [...placing.early, ...copies] }),
      isEarlier: true,
    };
  }
  for (const tensors of items) {
    for (const fewer of [1, shortBytes]) {
      yield {
        change: (placing) => ({ ...placing, caps: withCaps(placing.caps, tensors, fewer) }),
        isEarlier: false,
      };
    }
  }
  for (const equivalent of waits) {
    yield {
      change: (placing) => ({ ...placing, caps: withMoves(placing.caps, equivalent) }),
      isEarlier: false,
    };
  }
  for (const equivalent of takesDetours ? detours : []) {
    yield {
      change: (placing) => ({ ...placing, detours: [...placing.detours, ...equivalent] }),
      isEarlier: false,
    };
  }
}
