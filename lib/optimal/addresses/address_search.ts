// SPDX-License-Identifier: Apache-2.0
import type { OpId } from "../../graph/graph.ts";
import type { ValueId } from "../../graph/graph.ts";
import type { LayoutId } from "../../layout/layout_table.ts";
import type { L1Region } from "../../memory/l1_timeline.ts";
import type { LayoutProgram } from "../../search/layout_program.ts";
import { type L1Caps, type L1Item, NO_CAPS, type Wait } from "../l1/l1_branching.ts";
import { PartSearch, type Trial } from "./part_search.ts";

/** What programs are laid out in by address. */
export interface Placement {
  readonly region: L1Region;
  /** Whether ops may run in another order than the input's. */
  readonly mayReorder: boolean;
}

/** A copy of a value. */
export interface Copied {
  readonly value: ValueId;
  readonly layout: LayoutId;
}

/** What a solution keeps to: less L1 for some things, other addresses, another order of ops, another moment of copies. */
export interface Placing {
  readonly caps: L1Caps;
  readonly schedule: readonly OpId[];
  /** Copies that are made as soon as there is what they are made from, and not when the first reader comes. */
  readonly early: readonly Copied[];
}

/** Everything as it comes. */
export function unplaced(schedule: readonly OpId[]): Placing {
  return { caps: NO_CAPS, schedule, early: [] };
}

/** An op that comes before another one that came before it. */
export interface Advance {
  readonly op: OpId;
  readonly before: OpId;
}

/**
 * The first step of a solution that finds no room by address, and what may be in its way. In a function of repeated layers
 * every layer lacks the same room for the same reason. What may be in the way is therefore listed together with its likes, at
 * all steps that are alike and find no room either.
 */
export interface AddressConflict {
  readonly op: OpId;
  /** Bytes per core that are missing. */
  readonly shortBytes: number;
  /** By step that finds no room, this one first: the part of the function that it is in. */
  readonly parts: readonly [number, ...number[]];
  /** Bytes per core that are missing at each of them. */
  readonly shortages: readonly number[];
  /** What may be in its way; only solutions that are followed are asked for that. */
  obstacles(): Obstacles;
}

/** What may be in the way of a step that finds no room. */
export interface Obstacles {
  /** What lies in L1 then, and what lay there while the operands were made. */
  readonly items: readonly (readonly L1Item[])[];
  /** What of it waits where it is born. */
  readonly waits: readonly (readonly Wait[])[];
  /** Copies that lie there then and could have been made earlier, at another address. */
  readonly copies: readonly Copied[];
  /** Ops that read what waits and could run earlier. */
  readonly advances: readonly Advance[];
}

/** A solution with the addresses that follow from it. */
export interface PlacedSolution {
  /** Predicted µs; `Infinity` where nothing keeps to what it should. */
  readonly microseconds: number;
  /** Equal for solutions that are the same program. */
  readonly key: string;
  /** `undefined` where everything finds its place. */
  readonly conflict: AddressConflict | undefined;
}

/** A solution with the program that it is. */
export interface Placed extends PlacedSolution {
  /** `undefined` where nothing keeps to what it should. */
  readonly placed: { readonly program: LayoutProgram; readonly placing: Placing } | undefined;
}

/** What says how far a solution is from having room: the steps that have none, or the bytes that these lack as well. */
export type Distance = "steps" | "bytes";

/** Solutions that {@linkcode leastByAddress} looks at. */
const MOST_SOLUTIONS = 400;

/** Ops of all solutions together: functions of many ops get fewer. */
const MOST_SOLVED_OPS = 60_000;

/** Share of a function's time that resolving a conflict is guessed to cost, as long as none is known. */
const GUESSED_SHARE = 0.05;

/** Ops of functions in which the searches by either distance take turns. */
const MOST_OPS_IN_TURNS = 100;

/**
 * Looks for cheap solutions that fit L1 by address. Where a step of a solution finds no room, each thing that may be in its
 * way is changed in one respect: it is made smaller, moved to another address, or run or copied at another time. Every change
 * gives a further solution, which is looked at in the same way.
 * This gives no bound. What is in the way need not become smaller by all that is missing, as a hole elsewhere may do.
 *
 * What gives room to one part of a function hardly touches the others. So parts are given room one after the other, and once
 * a part has room the search in it goes on for as long again. Afterwards every part has another turn, in which the others keep
 * what was found for them. That way the alternatives of several parts are added and not multiplied.
 *
 * @param input what every solution keeps to but for what is changed
 * @param solve told whether a solution is followed, so that it pays to price its copies closely
 * @param distance by which is guessed what promises to have room for the least
 * @returns goes on by one solution at a time: what fits and is cheaper than all before it, `undefined` for what is not
 */
export function leastByAddress<Solution extends PlacedSolution>(
  input: Placing,
  solve: (placing: Placing, isFollowed: boolean) => Solution,
  distance: Distance = "steps",
): Generator<Solution | undefined, void, void> {
  return new PartwiseSearch(input, solve).run(distance);
}

/** The search of {@linkcode leastByAddress}. */
class PartwiseSearch<Solution extends PlacedSolution> {
  readonly #input: Placing;
  readonly #solve: (placing: Placing, isFollowed: boolean) => Solution;
  readonly #parts: PartSearch[] = [];
  /** Keys of solutions that were tried, and of those that were followed. */
  readonly #seen: Set<string> = new Set();
  readonly #followed: Set<string> = new Set();
  /** Solutions that may still be looked at. */
  #left: number;

  constructor(input: Placing, solve: (placing: Placing, isFollowed: boolean) => Solution) {
    this.#input = input;
    this.#solve = solve;
    this.#left = Math.min(MOST_SOLUTIONS, Math.ceil(MOST_SOLVED_OPS / Math.max(1, input.schedule.length)));
  }

  *run(distance: Distance): Generator<Solution | undefined, void, void> {
    const roomy = yield* this.#giveRoom(distance);
    if (roomy === undefined) return;
    yield roomy;
    yield* this.#giveTurns(roomy);
  }

  /** Gives room to one part after the other. @returns a solution in which all have room, `undefined` where none is found */
  *#giveRoom(distance: Distance): Generator<undefined, Solution | undefined, void> {
    this.#left--;
    // As all later ones, the cheapest that keeps to what is chosen so far, whether it has room or not.
    let best = this.#solve(this.#input, true);
    if (best.microseconds === Infinity) return undefined;
    const guessUs = GUESSED_SHARE * best.microseconds;
    while (best.conflict !== undefined) {
      const part = new PartSearch(best, best.conflict, guessUs, distance);
      this.#parts.push(part);
      let roomy: Solution | undefined;
      // Once room is found, as many trials more as that took.
      for (let more = Infinity; more > 0 && this.#left > 0; more--) {
        const trial = part.next();
        if (trial === undefined) break;
        const better = this.#try(part, trial, roomy?.microseconds ?? Infinity);
        if (better !== undefined && roomy === undefined) more = part.trials;
        roomy = better ?? roomy;
        yield undefined;
      }
      if (roomy === undefined) return undefined;
      best = roomy;
    }
    return best;
  }

  /** Looks for something cheaper in every part, while the others keep to what was found for them. */
  *#giveTurns(roomy: Solution): Generator<Solution | undefined, void, void> {
    let best = roomy;
    for (const part of this.#parts) part.othersHaveRoom = true;
    while (this.#left > 0 && this.#parts.some((part) => !part.isDone)) {
      for (const part of this.#parts) {
        const trial = this.#left > 0 ? part.next() : undefined;
        if (trial === undefined) continue;
        part.rebase(best);
        const better = this.#try(part, trial, best.microseconds);
        best = better ?? best;
        yield better;
      }
    }
  }

  /** Tries what may give room to a part. @returns the solution, if it does and takes less than `mostUs` */
  #try(part: PartSearch, trial: Trial, mostUs: number): Solution | undefined {
    const first = this.#look(part, trial, mostUs);
    if (first === undefined) return undefined;
    const last = trial.isFollowed || !part.hasRoom(first) ? trial : { ...trial, isFollowed: true };
    const solution = last === trial ? first : this.#look(part, last, mostUs);
    if (solution === undefined) return undefined;
    if (part.hasRoom(solution)) part.choose(trial.changes, solution);
    else part.add(last, solution);
    return part.hasRoom(solution) ? solution : undefined;
  }

  /** A solution with what is chosen for all parts but one, which is tried otherwise; `undefined` for a dear or known one. */
  #look(part: PartSearch, { changes, isFollowed }: Trial, mostUs: number): Solution | undefined {
    this.#left--;
    const all = this.#parts.flatMap((other) => other === part ? changes : other.chosen);
    const solution = this.#solve(all.reduce((placing, change) => change(placing), this.#input), isFollowed);
    const { microseconds, key } = solution;
    const known = isFollowed ? this.#followed : this.#seen;
    if (microseconds >= mostUs || known.has(key)) return undefined;
    known.add(key);
    return solution;
  }
}

/**
 * Searches as {@linkcode leastByAddress} does by either distance: neither finds the cheaper solutions everywhere. In short
 * functions they take turns. In longer ones, of which many parts may lack room, there is seldom time for more than the first
 * one, by bytes.
 *
 * @returns as {@linkcode leastByAddress} does
 */
export function* leastByEitherDistance<Solution extends PlacedSolution>(
  input: Placing,
  solve: (placing: Placing, isFollowed: boolean) => Solution,
): Generator<Solution | undefined, void, void> {
  const byBytes = leastByAddress(input, solve, "bytes");
  const bySteps = leastByAddress(input, solve, "steps");
  const searches = input.schedule.length <= MOST_OPS_IN_TURNS
    ? inTurns([bySteps, byBytes])
    : [byBytes, bySteps].values().flatMap((search) => search);
  let leastUs = Infinity;
  for (const found of searches) {
    const isCheaper = found !== undefined && found.microseconds < leastUs;
    if (isCheaper) leastUs = found.microseconds;
    yield isCheaper ? found : undefined;
  }
}

/** One of each, until the last one ends. */
function* inTurns<Item>(all: readonly Iterator<Item, void>[]): Generator<Item, void, void> {
  for (let open = [...all]; open.length > 0;) {
    for (const each of [...open]) {
      const { done, value } = each.next();
      if (done === true) open = open.filter((other) => other !== each);
      else yield value;
    }
  }
}
