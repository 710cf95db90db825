// SPDX-License-Identifier: Apache-2.0
import type { OpId } from "../graph/graph.ts";
import type { ValueId } from "../graph/graph.ts";
import type { LayoutId } from "../layout/layout_table.ts";
import { type L1Caps, type L1Item, NO_CAPS, type Wait, withCap, withMove } from "./l1_branching.ts";

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

/**
 * The first step of a solution that finds no room by address, and what may be in its way. Layers that repeat lack the same
 * for the same reason: what may be in the way is listed with its likes at steps that are alike and find no room either.
 */
export interface AddressConflict {
  readonly op: OpId;
  /** Bytes per core that are missing. */
  readonly shortBytes: number;
  /** How many steps find no room. */
  readonly steps: number;
  /** What lies in L1 then, and what lay there while the operands were made. */
  readonly items: readonly (readonly L1Item[])[];
  /** What of it waits where it is born. */
  readonly waits: readonly (readonly Wait[])[];
  /** Copies that lie there then and could have been made earlier, at another address. */
  readonly copies: readonly Copied[];
  /** Orders in which something else would wait. */
  readonly schedules: readonly (readonly OpId[])[];
}

/** A solution with the addresses that follow from it. */
export interface PlacedSolution {
  /** Predicted µs; `Infinity` where nothing keeps to what it should. */
  readonly microseconds: number;
  /** Equal for solutions that are the same program. */
  readonly key: string;
  /** Asked once, of a solution that may lead to a better one: `undefined` where everything finds its place. */
  conflict(): AddressConflict | undefined;
}

interface Node<Solution> {
  readonly placing: Placing;
  readonly solution: Solution;
  readonly conflict: AddressConflict;
}

/** Solutions that {@linkcode leastByAddress} looks at. */
const MOST_SOLUTIONS = 400;

/** Ops of all solutions together: functions of many ops get fewer. */
const MOST_SOLVED_OPS = 60_000;

/** Share of a function's time that resolving a conflict is guessed to cost, as long as none is known. */
const GUESSED_SHARE = 0.05;

/** Solutions of which none fits after which that guess is doubled. */
const DOUBLED_AFTER = 24;

/**
 * Looks for a cheap solution that fits L1 by address. Where a step of a solution finds no room, each of the things that may
 * be in its way is made smaller, moved to another address or run or copied at another time; what follows is looked at again, first
 * what promises the cheapest one after all steps that still find no room. No bound: what is in the way need not be smaller
 * by as much as is missing, a hole elsewhere may do.
 *
 * @param isSpent asked after every solution: whether it is the last one
 * @returns those that were cheaper than all found before them, the cheapest one last; none where a bounded number of
 * solutions held none that fits
 */
export function leastByAddress<Solution extends PlacedSolution>(
  schedule: readonly OpId[],
  solve: (placing: Placing) => Solution,
  isSpent: () => boolean = () => false,
): readonly Solution[] {
  const found: Solution[] = [];
  const open: Node<Solution>[] = [];
  const seen = new Set<string>();
  let best: Solution | undefined;
  let left = Math.min(MOST_SOLUTIONS, Math.ceil(MOST_SOLVED_OPS / Math.max(1, schedule.length)));
  const visit = (placing: Placing, from?: Node<Solution>): void => {
    left--;
    const solution = solve(placing);
    const { microseconds, key } = solution;
    if (microseconds >= (best?.microseconds ?? Infinity) || seen.has(key)) return;
    seen.add(key);
    const conflict = solution.conflict();
    if (conflict === undefined) found.push(best = solution);
    else if (from === undefined || !isVain(placing, conflict, from)) {
      open.push({ placing, solution, conflict });
    }
  };
  visit({ caps: NO_CAPS, schedule, early: [] });
  const [start] = open;
  if (start === undefined) return found;
  while (left > 0 && !isSpent()) {
    const price = priceOfConflicts(start, best, seen.size);
    const node = takeFirst(open, price);
    if (node === undefined) break;
    if (node.solution.microseconds >= (best?.microseconds ?? Infinity)) continue;
    for (const placing of branches(node)) {
      if (left > 0 && !isSpent()) visit(placing, node);
    }
  }
  return found;
}

/** Whether copies were made earlier, which costs nothing, and gave room to no step: what follows would be tried twice. */
function isVain(
  { early }: Placing,
  { steps }: AddressConflict,
  { placing, conflict }: Node<PlacedSolution>,
): boolean {
  return early !== placing.early && steps >= conflict.steps;
}

/**
 * µs that resolving one conflict is guessed to cost. As long as nothing fits the guess grows, so that what has few conflicts
 * left is followed to its end.
 *
 * @param solutions different ones that were looked at
 */
function priceOfConflicts(
  start: Node<PlacedSolution>,
  best: PlacedSolution | undefined,
  solutions: number,
): number {
  const { microseconds } = start.solution;
  const guess = GUESSED_SHARE * microseconds;
  if (best === undefined) return guess * 2 ** Math.floor(solutions / DOUBLED_AFTER);
  return Math.max(0, Math.min(guess, (best.microseconds - microseconds) / start.conflict.steps));
}

/** Takes out the solution that is guessed to lead to the cheapest one. */
function takeFirst<Solution extends PlacedSolution>(
  open: Node<Solution>[],
  price: number,
): Node<Solution> | undefined {
  const guess = ({ solution: { microseconds }, conflict: { steps } }: Node<Solution>): number =>
    microseconds + price * steps;
  let [first, least] = [0, Infinity];
  open.forEach((node, index) => {
    const us = guess(node);
    if (us < least) [first, least] = [index, us];
  });
  return open.splice(first, 1)[0];
}

/** What may resolve the conflict of a solution: one change each, a small and a large one of sizes. */
function* branches<Solution extends PlacedSolution>(
  { placing, conflict }: Node<Solution>,
): Generator<Placing> {
  for (const schedule of conflict.schedules) yield { ...placing, schedule };
  const { caps, early } = placing;
  if (conflict.copies.length > 0) yield { ...placing, early: [...early, ...conflict.copies] };
  for (const alike of conflict.items) {
    for (const fewer of [1, conflict.shortBytes]) {
      const smaller = (all: L1Caps, item: L1Item): L1Caps =>
        withCap(all, item, Math.max(0, item.bytes - fewer));
      yield { ...placing, caps: alike.reduce(smaller, caps) };
    }
  }
  for (const alike of conflict.waits) yield { ...placing, caps: alike.reduce(withMove, caps) };
}
