// SPDX-License-Identifier: Apache-2.0
import type { OpId } from "../graph/graph.ts";
import type { ValueId } from "../graph/graph.ts";
import type { LayoutId } from "../layout/layout_table.ts";
import type { L1Region } from "../memory/l1_timeline.ts";
import type { LayoutProgram } from "../search/layout_program.ts";
import { type L1Caps, type L1Item, NO_CAPS, type Wait, withCap, withMove } from "./l1_branching.ts";

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

/** What makes a solution keep to less, or to something else, than another one. */
type Change = (placing: Placing) => Placing;

/** Solutions that {@linkcode leastByAddress} looks at. */
const MOST_SOLUTIONS = 400;

/** Ops of all solutions together: functions of many ops get fewer. */
const MOST_SOLVED_OPS = 60_000;

/** Share of a function's time that resolving a conflict is guessed to cost, as long as none is known. */
const GUESSED_SHARE = 0.05;

/** Solutions of a part none of which gives it room after which that guess is doubled. */
const DOUBLED_AFTER = 24;

/** Ops of functions in which the searches by either distance take turns. */
const MOST_OPS_IN_TURNS = 100;

/** Where bytes count, what a step without room counts for besides, as a share of one that lacks as much as the first ones do. */
const STEP_SHARE = 0.3;

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
export function* leastByAddress<Solution extends PlacedSolution>(
  input: Placing,
  solve: (placing: Placing, isFollowed: boolean) => Solution,
  distance: Distance = "steps",
): Generator<Solution | undefined, void, void> {
  const parts: PartSearch[] = [];
  const [seen, followed] = [new Set<string>(), new Set<string>()];
  let left = Math.min(MOST_SOLUTIONS, Math.ceil(MOST_SOLVED_OPS / Math.max(1, input.schedule.length)));
  /** A solution with what is chosen for all parts but one, which is tried otherwise; `undefined` for a dear or known one. */
  const look = (part: PartSearch, { changes, isFollowed }: Trial, mostUs: number): Solution | undefined => {
    left--;
    const all = parts.flatMap((other) => other === part ? changes : other.chosen);
    const solution = solve(all.reduce((placing, change) => change(placing), input), isFollowed);
    const { microseconds, key } = solution;
    const known = isFollowed ? followed : seen;
    if (microseconds >= mostUs || known.has(key)) return undefined;
    known.add(key);
    return solution;
  };
  /** Tries what may give room to a part: the solution, if it does. */
  const tryOne = (part: PartSearch, trial: Trial, mostUs: number): Solution | undefined => {
    const first = look(part, trial, mostUs);
    if (first === undefined) return undefined;
    const last = trial.isFollowed || !part.hasRoom(first) ? trial : { ...trial, isFollowed: true };
    const solution = last === trial ? first : look(part, last, mostUs);
    if (solution === undefined) return undefined;
    if (part.hasRoom(solution)) part.choose(trial.changes, solution);
    else part.add(last, solution);
    return part.hasRoom(solution) ? solution : undefined;
  };

  left--;
  // As all later ones, the cheapest that keeps to what is chosen so far, whether it has room or not.
  let best = solve(input, true);
  if (best.microseconds === Infinity) return;
  const guessUs = GUESSED_SHARE * best.microseconds;
  while (best.conflict !== undefined) {
    const part = new PartSearch(best, best.conflict, guessUs, distance);
    parts.push(part);
    let roomy: Solution | undefined;
    // Once room is found, as many trials more as that took.
    for (let more = Infinity; more > 0 && left > 0; more--) {
      const trial = part.next();
      if (trial === undefined) break;
      const better = tryOne(part, trial, roomy?.microseconds ?? Infinity);
      if (better !== undefined && roomy === undefined) more = part.trials;
      roomy = better ?? roomy;
      yield undefined;
    }
    if (roomy === undefined) return;
    best = roomy;
  }
  yield best;
  for (const part of parts) part.othersHaveRoom = true;
  while (left > 0 && parts.some((part) => !part.isDone)) {
    for (const part of parts) {
      const trial = left > 0 ? part.next() : undefined;
      if (trial === undefined) continue;
      part.rebase(best);
      const better = tryOne(part, trial, best.microseconds);
      best = better ?? best;
      yield better;
    }
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

/** Changes that may give room to a part. */
interface Trial {
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
class PartSearch {
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
