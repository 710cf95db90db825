// SPDX-License-Identifier: Apache-2.0
import type { OpId } from "../graph/graph.ts";
import { type L1Caps, type L1Item, NO_CAPS, type Wait, withCap, withMove } from "./l1_branching.ts";

/** What a solution keeps to: less L1 for some things, other addresses, another order of ops. */
export interface Placing {
  readonly caps: L1Caps;
  readonly schedule: readonly OpId[];
}

/** The first step of a solution that finds no room by address, and what may be in its way. */
export interface AddressConflict {
  readonly op: OpId;
  /** Bytes per core that are missing. */
  readonly shortBytes: number;
  /** What lies in L1 then, and what lay there while the operands were made. */
  readonly items: readonly L1Item[];
  /** What of it waits where it is born. */
  readonly waits: readonly Wait[];
  /** Orders in which something else would wait. */
  readonly schedules: readonly (readonly OpId[])[];
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

interface Node<Solution> {
  readonly placing: Placing;
  readonly solution: Solution;
}

/** Solutions that {@linkcode leastByAddress} looks at. */
const MOST_SOLUTIONS = 400;

/** Ops of all solutions together: functions of many ops get fewer. */
const MOST_SOLVED_OPS = 60_000;

/**
 * Looks for a cheap solution that fits L1 by address. Where a step of a solution finds no room, each of the things that may
 * be in its way is made smaller, moved to another address or run at another time, and the cheapest of what follows from
 * that are looked at again, conflict by conflict in the order of ops. No bound: what is in the way need not be smaller by
 * as much as is missing, a hole elsewhere may do.
 *
 * @returns the cheapest that was found; `undefined` where a bounded number of solutions held none that fits
 */
export function leastByAddress<Solution extends PlacedSolution>(
  schedule: readonly OpId[],
  solve: (placing: Placing) => Solution,
): Solution | undefined {
  const open: Node<Solution>[][] = schedule.map(() => []);
  const branched = schedule.map(() => 0);
  const seen = new Set<string>();
  let best: Solution | undefined;
  let left = Math.min(MOST_SOLUTIONS, Math.ceil(MOST_SOLVED_OPS / Math.max(1, schedule.length)));
  const visit = (placing: Placing): void => {
    if (left <= 0) return;
    left--;
    const solution = solve(placing);
    const { microseconds, key, conflict } = solution;
    if (microseconds >= (best?.microseconds ?? Infinity) || seen.has(key)) return;
    seen.add(key);
    if (conflict === undefined) best = solution;
    else open[placing.schedule.indexOf(conflict.op)]?.push({ placing, solution });
  };
  visit({ caps: NO_CAPS, schedule });
  // Solutions that are branched from per conflict: few at first, so that one that fits is soon found.
  let width = 1;
  while (left > 0 && open.some((nodes) => nodes.length > 0)) {
    const position = open.findIndex((nodes, at) => nodes.length > 0 && (branched[at] ?? 0) < width);
    if (position < 0) width++;
    const node = takeCheapest(open[position]);
    if (node === undefined) continue;
    branched[position] = (branched[position] ?? 0) + 1;
    for (const placing of branches(node)) visit(placing);
  }
  return best;
}

function takeCheapest<Solution extends PlacedSolution>(
  nodes: Node<Solution>[] = [],
): Node<Solution> | undefined {
  const cheapest = nodes.reduce(
    (least, { solution }, index) =>
      solution.microseconds < (nodes[least]?.solution.microseconds ?? Infinity) ? index : least,
    0,
  );
  return nodes.splice(cheapest, 1)[0];
}

/** What may resolve the conflict of a solution: one change each, a small and a large one of sizes. */
function* branches<Solution extends PlacedSolution>(
  { placing, solution: { conflict } }: Node<Solution>,
): Generator<Placing> {
  if (conflict === undefined) return;
  for (const schedule of conflict.schedules) yield { ...placing, schedule };
  for (const item of conflict.items) {
    for (const fewer of [1, conflict.shortBytes]) {
      yield { ...placing, caps: withCap(placing.caps, item, Math.max(0, item.bytes - fewer)) };
    }
  }
  for (const wait of conflict.waits) yield { ...placing, caps: withMove(placing.caps, wait) };
}
