// SPDX-License-Identifier: Apache-2.0
import { ADDRESS_SOLUTIONS, GUESSED_CONFLICT_SHARE, MOST_REORDERED_OPS } from "../limits.ts";
import type { OpId, ValueId } from "../../graph/graph.ts";
import type { LayoutId } from "../../layout/layout_table.ts";
import type { L1Region } from "../../memory/l1_schedule.ts";
import type { LayoutProgram } from "../../search/layout_program.ts";
import { type L1Caps, type L1Item, NO_CAPS, type Wait } from "../l1/l1_caps.ts";
import { PartSearch, type PartTrial } from "./part_search.ts";
import { type SpillableSolution, spillingWaits } from "./spilled_waits.ts";

/** Where programs are placed by address. */
export interface PlacementInput {
  readonly region: L1Region;
  /** Whether ops may run in another order than the input's. */
  readonly mayReorder: boolean;
}

/** A copy of a value. */
export interface Copied {
  readonly value: ValueId;
  readonly layout: LayoutId;
}

/** A copy made via an intermediate layout, so that it and the buffers after it get other L1 addresses. */
export interface Detour extends Copied {
  /** Layout of the intermediate copy. */
  readonly via: LayoutId;
}

/**
 * Restrictions of a solution: less L1 for some things, other addresses, another order of ops, other times of
 * copies.
 */
export interface Placing {
  readonly caps: L1Caps;
  readonly schedule: readonly OpId[];
  /** Copies placed directly after the producer of their source instead of before their first reader. */
  readonly early: readonly Copied[];
  readonly detours: readonly Detour[];
}

/** No restrictions. */
export function unplaced(schedule: readonly OpId[]): Placing {
  return { caps: NO_CAPS, schedule, early: [], detours: [] };
}

/**
 * The first step of a solution that does not fit by address, with the obstacles to its buffers. In a function
 * of repeated layers, every layer lacks the same room for the same reason; each obstacle is therefore listed
 * with its counterparts at all equivalent steps that do not fit either.
 */
export interface AddressConflict {
  readonly op: OpId;
  /** Missing bytes per core. */
  readonly shortBytes: number;
  /** Per step that does not fit, this one first: the part of the function that contains it. */
  readonly parts: readonly [number, ...number[]];
  /** Missing bytes per core at each of these steps. */
  readonly shortages: readonly number[];
  /** Possible causes; computed only for solutions that are followed. */
  obstacles(): Obstacles;
}

/** Possible causes why a step does not fit. */
export interface Obstacles {
  /** Contents of L1 at that step, and while its operands were produced. */
  readonly items: readonly (readonly L1Item[])[];
  /** Which of these values wait in the layout in which they were produced. */
  readonly waits: readonly (readonly Wait[])[];
  /** Copies in L1 at that step that could have been made earlier, at another address. */
  readonly copies: readonly Copied[];
  /** Detours that such copies could take, one list per kind of detour. */
  readonly detours: readonly (readonly Detour[])[];
}

export const NO_OBSTACLES: Obstacles = { items: [], waits: [], copies: [], detours: [] };

/** A solution with the addresses that follow from it. */
export interface PlacedSolution {
  /** Predicted µs; `Infinity` if the restrictions cannot be satisfied. */
  readonly microseconds: number;
  /** Equal for solutions that are the same program. */
  readonly key: string;
  /** `undefined` if everything fits. */
  readonly conflict: AddressConflict | undefined;
}

/** A solution with its program. */
export interface PlacedAssignment extends SpillableSolution {
  /** `undefined` if the restrictions cannot be satisfied. */
  readonly placed: { readonly program: LayoutProgram; readonly placing: Placing } | undefined;
}

/**
 * The least solution under restrictions. `isFollowed`: whether the search continues from the solution; its copies are then
 * priced with the congestion of the other flows, otherwise as if each had the NoC to itself.
 */
export type SolvePlacing<Solution> = (placing: Placing, isFollowed: boolean) => Solution;

/**
 * Searches for fast solutions that fit L1 by address. If a step of a solution does not fit, each obstacle to
 * it gives a further solution with one change: the obstacle is made smaller, moved to another address, or
 * copied at another time. This gives no bound: obstacles need not shrink by all missing bytes, since a
 * hole elsewhere may be enough.
 *
 * Parts of a function hardly affect each other. They are therefore searched in sequence; once a part fits,
 * its search continues for as long again. Afterwards every part is searched again while the others keep their
 * changes. Alternatives of several parts thus add up; a joint search was rejected because there they
 * multiply.
 *
 * @param input restrictions of every solution, apart from the changes
 * @param takesDetours whether copies may take detours, which multiplies the changes to try
 * @returns one item per solution: the solution if it fits and is cheaper than all before it, otherwise
 * `undefined`
 */
export function leastByAddress<Solution extends PlacedSolution>(
  input: Placing,
  solve: SolvePlacing<Solution>,
  takesDetours: boolean = false,
): Generator<Solution | undefined, void, void> {
  return new PartwiseSearch(input, solve, takesDetours).run();
}

/** The search of {@linkcode leastByAddress}. */
class PartwiseSearch<Solution extends PlacedSolution> {
  readonly #input: Placing;
  readonly #solve: SolvePlacing<Solution>;
  readonly #takesDetours: boolean;
  readonly #parts: PartSearch[] = [];
  /** Keys of solutions that were tried, and of those that were followed. */
  readonly #seen: Set<string> = new Set();
  readonly #followed: Set<string> = new Set();
  /** Solutions that may still be examined. */
  #left: number = ADDRESS_SOLUTIONS;

  constructor(
    input: Placing,
    solve: SolvePlacing<Solution>,
    takesDetours: boolean,
  ) {
    this.#input = input;
    this.#solve = solve;
    this.#takesDetours = takesDetours;
  }

  *run(): Generator<Solution | undefined, void, void> {
    const roomy = yield* this.#giveRoom();
    if (roomy === undefined) return;
    yield roomy;
    yield* this.#giveTurns(roomy);
  }

  /**
   * Makes the parts fit one after the other. @returns a solution in which all of them fit, `undefined` if none
   * is found
   */
  *#giveRoom(): Generator<undefined, Solution | undefined, void> {
    this.#left--;
    // Here and below: the cheapest solution with the changes chosen so far, whether it fits or not.
    let best = this.#solve(this.#input, true);
    if (best.microseconds === Infinity) return undefined;
    const guessUs = GUESSED_CONFLICT_SHARE * best.microseconds;
    while (best.conflict !== undefined) {
      const part = new PartSearch(best, best.conflict, guessUs, this.#takesDetours);
      this.#parts.push(part);
      let roomy: Solution | undefined;
      // After the part fits, as many further trials as that took.
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

  /** Searches every part for something cheaper while the others keep their changes. */
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

  /** Tries changes that may make a part fit. @returns the solution, if they do and it takes less than `mostUs` */
  #try(part: PartSearch, trial: PartTrial, mostUs: number): Solution | undefined {
    const first = this.#look(part, trial, mostUs);
    if (first === undefined) return undefined;
    const last = trial.isFollowed || !part.hasRoom(first) ? trial : { ...trial, isFollowed: true };
    const solution = last === trial ? first : this.#look(part, last, mostUs);
    if (solution === undefined) return undefined;
    if (part.hasRoom(solution)) part.choose(trial.changes, solution);
    else part.add(last, solution);
    return part.hasRoom(solution) ? solution : undefined;
  }

  /**
   * A solution with the chosen changes of all parts except one, whose changes are on trial; `undefined` if it
   * is too expensive or known.
   */
  #look(part: PartSearch, { changes, isFollowed }: PartTrial, mostUs: number): Solution | undefined {
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
 * Runs {@linkcode spillingWaits} from all orders of ops, {@linkcode leastByAddress} from the given one, and then, by
 * turns, with detours of copies and, in functions of up to {@linkcode MOST_REORDERED_OPS} ops, from the other orders.
 *
 * @param orders other orders of ops to start from
 * @returns as {@linkcode leastByAddress}
 */
export function* leastInAnyOrder<Solution extends SpillableSolution>(
  input: Placing,
  solve: SolvePlacing<Solution>,
  orders: readonly (readonly OpId[])[] = [],
): Generator<Solution | undefined, void, void> {
  const others = input.schedule.length <= MOST_REORDERED_OPS ? orders : [];
  const searches = [
    spillingWaits([input, ...orders.map((schedule) => ({ ...input, schedule }))], solve),
    leastByAddress(input, solve),
    inTurns([
      leastByAddress(input, solve, true),
      ...others.map((schedule) => leastByAddress({ ...input, schedule }, solve)),
    ]),
  ];
  let leastUs = Infinity;
  for (const found of searches.values().flatMap((search) => search)) {
    const isCheaper = found !== undefined && found.microseconds < leastUs;
    if (isCheaper) leastUs = found.microseconds;
    yield isCheaper ? found : undefined;
  }
}

/** Round-robin over iterators, until the last one ends. */
function* inTurns<Item>(all: readonly Iterator<Item, void>[]): Generator<Item, void, void> {
  for (let open = [...all]; open.length > 0;) {
    for (const each of [...open]) {
      const { done, value } = each.next();
      if (done === true) open = open.filter((other) => other !== each);
      else yield value;
    }
  }
}
