// SPDX-License-Identifier: Apache-2.0
import type { OpId } from "../../graph/graph.ts";
import type { AddressConflict, Advance, Distance, PlacedSolution, Placing } from "./address_search.ts";
import { type L1Caps, type L1Item, withCap, withMove } from "../l1/l1_branching.ts";

/** Solutions of a part, none of which gives it room, after which the guessed price of a step is doubled. */
const DOUBLED_AFTER = 24;

/** Where bytes count, what a step without room counts for besides, as a share of one that lacks as much as the first ones do. */
const STEP_SHARE = 0.3;

/** What makes a solution keep to less, or to something else, than another one. */
type Change = (placing: Placing) => Placing;

/** Changes that may give room to a part. */
export interface Trial {
  readonly changes: readonly Change[];
  /** Whether they were tried before, and promise more than everything else. */
  readonly isFollowed: boolean;
  /** They must leave fewer steps without room than that. */
  readonly mostSteps: number;
}

/** Changes that do not give room to a part yet. */
interface Attempt {
  readonly changes: readonly Change[];
  /** What they cost. */
  readonly microseconds: number;
  /** Steps without room that they leave. */
  readonly steps: number;
  /** What may be changed besides; `undefined` until they are followed. */
  readonly branches: Iterator<Branch> | undefined;
}

/** The search for what gives room to one part of a function. */
export class PartSearch {
  readonly #part: number;
  /** µs without any change. */
  #baseUs: number;
  /** Steps without room where nothing is changed. */
  readonly #steps: number;
  /** Bytes that count as much as a step; 0 where steps alone count. */
  readonly #stepBytes: number;
  readonly #guessUs: number;
  readonly #open: Attempt[] = [];
  #trials = 0;
  #chosen: readonly Change[] = [];
  #chosenUs = Infinity;
  /** Whether all other parts have room, which this one must not take away. */
  othersHaveRoom = false;

  /**
   * @param base the solution without any change
   * @param guessUs µs that a step without room is guessed to cost
   */
  constructor(
    { microseconds }: PlacedSolution,
    conflict: AddressConflict,
    guessUs: number,
    distance: Distance,
  ) {
    [this.#part] = conflict.parts;
    this.#baseUs = microseconds;
    this.#guessUs = guessUs;
    this.#steps = this.#presentOf(conflict).length;
    this.#stepBytes = distance === "steps" ? 0 : sum(this.#presentOf(conflict)) / this.#steps;
    this.#open.push({ changes: [], microseconds: 0, steps: this.#steps, branches: branches(conflict) });
  }

  /** The cheapest changes so far that give room; none as long as there are none. */
  get chosen(): readonly Change[] {
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

  /** Whether this part has room in a solution, and all before it. */
  hasRoom({ conflict }: PlacedSolution): boolean {
    return conflict === undefined || this.#stepsOf(conflict) === 0;
  }

  /** What promises to give room for the least, of all that was not tried; `undefined` where nothing is left. */
  next(): Trial | undefined {
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
   * µs that room for one step is guessed to cost. As long as nothing gives room the guess grows, so that what leaves few
   * steps is followed to its end.
   */
  #priceOfStep(): number {
    if (this.#chosenUs === Infinity) return this.#guessUs * 2 ** Math.floor(this.#trials / DOUBLED_AFTER);
    return Math.max(0, Math.min(this.#guessUs, this.#chosenUs / this.#steps));
  }

  /** Notes that changes do not give room. */
  add({ changes, isFollowed, mostSteps }: Trial, { microseconds, conflict }: PlacedSolution): void {
    const steps = conflict === undefined ? 0 : this.#stepsOf(conflict);
    if (conflict === undefined || steps >= mostSteps) return;
    this.#open.push({
      changes,
      microseconds: microseconds - this.#baseUs,
      steps,
      branches: isFollowed ? branches(conflict) : undefined,
    });
  }

  /** Keeps to changes that give room. */
  choose(changes: readonly Change[], { microseconds }: PlacedSolution): void {
    this.#chosen = changes;
    this.#chosenUs = microseconds - this.#baseUs;
  }

  /** Told what the best solution is, as other parts may keep to other changes by now. */
  rebase({ microseconds }: PlacedSolution): void {
    this.#baseUs = microseconds - this.#chosenUs;
  }

  /** How far a solution is from having room, in steps. */
  #stepsOf(conflict: AddressConflict): number {
    const shortages = this.#presentOf(conflict);
    if (this.#stepBytes === 0) return shortages.length;
    return STEP_SHARE * shortages.length + (1 - STEP_SHARE) * sum(shortages) / this.#stepBytes;
  }

  /** What steps lack: as long as later parts have no room yet, those of this part and of all before it. */
  #presentOf({ parts, shortages }: AddressConflict): readonly number[] {
    return this.othersHaveRoom
      ? shortages
      : shortages.filter((_, index) => (parts[index] ?? 0) <= this.#part);
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, each) => all + each, 0);
}

interface Branch {
  readonly change: Change;
  /** Whether it only makes copies earlier. */
  readonly isEarlier: boolean;
}

/** What may resolve the conflict of a solution: one change each, a small and a large one of sizes. */
function* branches({ obstacles, shortBytes }: AddressConflict): Generator<Branch> {
  const { advances, copies, items, waits } = obstacles();
  for (const advance of advances) {
    yield {
      change: (placing) => ({ ...placing, schedule: advanced(placing.schedule, advance) }),
      isEarlier: false,
    };
  }
  if (copies.length > 0) {
    yield {
      change: (placing) => ({ ...placing, early: [...placing.early, ...copies] }),
      isEarlier: true,
    };
  }
  for (const alike of items) {
    for (const fewer of [1, shortBytes]) {
      const smaller = (all: L1Caps, item: L1Item): L1Caps =>
        withCap(all, item, Math.max(0, item.bytes - fewer));
      yield {
        change: (placing) => ({ ...placing, caps: alike.reduce(smaller, placing.caps) }),
        isEarlier: false,
      };
    }
  }
  for (const alike of waits) {
    yield {
      change: (placing) => ({ ...placing, caps: alike.reduce(withMove, placing.caps) }),
      isEarlier: false,
    };
  }
}

/** A schedule with an op before one that came before it. */
function advanced(schedule: readonly OpId[], { op, before }: Advance): readonly OpId[] {
  const others = schedule.filter((other) => other !== op);
  const at = others.indexOf(before);
  return [...others.slice(0, at), op, ...others.slice(at)];
}
