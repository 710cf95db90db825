// SPDX-License-Identifier: Apache-2.0
import { SIZE_CLASSES } from "../../search/limits.ts";
import { ADDRESS_SOLUTIONS } from "../limits.ts";
import type { OpId, ValueId } from "../../graph/graph.ts";
import type { LayoutId } from "../../layout/layout_table.ts";
import type { L1Region } from "../../memory/l1_schedule.ts";
import type { LayoutProgram } from "../../search/layout_program.ts";
import { type L1Caps, type L1Item, NO_CAPS, type Wait } from "../l1/l1_caps.ts";
import { ConflictSearch, type ConflictTrial } from "./conflict_search.ts";
import { type SpillableSolution, spillingWaits } from "./spilled_waits.ts";

/** Where programs are placed by address. */
export interface PlacementInput {
  readonly region: L1Region;
  /** Whether ops may run in another order than the input's. */
  readonly mayReorder: boolean;
}

/** A copy made via an intermediate layout, so that it and the buffers after it get other L1 addresses. */
export interface Detour {
  readonly value: ValueId;
  readonly layout: LayoutId;
  /** Layout of the intermediate copy. */
  readonly via: LayoutId;
}

/** Restrictions of a solution: less L1 for some things, other addresses, another order of ops. */
export interface Placing {
  readonly caps: L1Caps;
  readonly schedule: readonly OpId[];
  readonly detours: readonly Detour[];
}

/** No restrictions. */
export function unplaced(schedule: readonly OpId[]): Placing {
  return { caps: NO_CAPS, schedule, detours: [] };
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
  /** Missing bytes per core at each step that does not fit, this one first. */
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
  /** Detours that copies in L1 at that step could take, one list per kind of detour. */
  readonly detours: readonly (readonly Detour[])[];
}

export const NO_OBSTACLES: Obstacles = { items: [], waits: [], detours: [] };

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
 * The least solution under restrictions. `isFollowed`: whether the search continues from the solution; its copies are
 * then priced with the congestion of the other flows, otherwise as if each had the NoC to itself.
 */
export type SolvePlacing<Solution> = (placing: Placing, isFollowed: boolean) => Solution;

/**
 * Searches for fast solutions that fit L1 by address. If a step of a solution does not fit, each obstacle to it gives a
 * further solution with one change: the obstacle is made smaller, or moved to another address. This gives no bound:
 * obstacles need not shrink by all missing bytes, since a hole elsewhere may be enough. Rejected: a search of its own
 * for each part of a function between single live values (200 lines), which changed none of 58 plans: conflicts of
 * equal layers are resolved together.
 *
 * @param input restrictions of every solution, apart from the changes
 * @param takesDetours whether copies may take detours, which multiplies the changes to try
 * @returns one item per solution: the solution if it fits and is cheaper than all before it, otherwise
 * `undefined`
 */
export function* leastByAddress<Solution extends PlacedSolution>(
  input: Placing,
  solve: SolvePlacing<Solution>,
  takesDetours: boolean = false,
): Generator<Solution | undefined, void, void> {
  const first = solve(input, true);
  if (first.microseconds === Infinity) return;
  if (first.conflict === undefined) return yield first;
  const search = new ConflictSearch(first, first.conflict, takesDetours);
  /** Keys of solutions that were tried, and of those that were followed. */
  const [seen, followed] = [new Set<string>(), new Set<string>()];
  let leastUs = Infinity;
  let left = ADDRESS_SOLUTIONS - 1;
  /** A solution under some changes; `undefined` if it is too expensive or known. */
  const look = (trial: ConflictTrial): Solution | undefined => {
    left--;
    const solution = solve(
      trial.changes.reduce((placing, change) => change(placing), input),
      trial.isFollowed,
    );
    const tried = trial.isFollowed ? followed : seen;
    if (solution.microseconds >= leastUs || tried.has(solution.key)) return undefined;
    tried.add(solution.key);
    return solution;
  };
  while (left > 0) {
    let trial = search.next();
    if (trial === undefined) return;
    let solution = look(trial);
    // What fits is priced with the congestion of its copies.
    if (solution !== undefined && solution.conflict === undefined && !trial.isFollowed) {
      trial = { ...trial, isFollowed: true };
      solution = look(trial);
    }
    if (solution?.conflict !== undefined) search.add(trial, solution, solution.conflict);
    if (solution === undefined || solution.conflict !== undefined) {
      yield undefined;
      continue;
    }
    leastUs = solution.microseconds;
    search.found(leastUs);
    yield solution;
  }
}

/**
 * Runs {@linkcode spillingWaits} from all orders of ops, {@linkcode leastByAddress} from the given one, and then, by
 * turns, with detours of copies and, in functions of up to {@linkcode SIZE_CLASSES.reordered} ops, from the other
 * orders.
 *
 * @param orders other orders of ops to start from
 * @returns as {@linkcode leastByAddress}
 */
export function* leastInAnyOrder<Solution extends SpillableSolution>(
  input: Placing,
  solve: SolvePlacing<Solution>,
  orders: readonly (readonly OpId[])[] = [],
): Generator<Solution | undefined, void, void> {
  const others = input.schedule.length <= SIZE_CLASSES.reordered ? orders : [];
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
