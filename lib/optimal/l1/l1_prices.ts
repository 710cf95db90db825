// SPDX-License-Identifier: Apache-2.0
import type { OpId } from "../../graph/graph.ts";
import { EXAMINED_OPS, LEAST_PRICE_GAIN, PRICED_OPS, PRICED_SOLUTIONS } from "../limits.ts";

/** Prices of L1 while ops run, in µs per byte of one core, above 0; other ops have none. */
export type L1Prices = ReadonlyMap<OpId, number>;

/** The least solution at some prices of L1. */
export interface PricedSolution {
  /** Its µs, with what is paid for L1. */
  readonly microseconds: number;
  /** Bytes per core that are paid for while an op runs, or would be if it had a price. */
  bytesDuring(op: OpId): number;
  /**
   * The op during which most bytes exceed the capacity in the order of the function, which may be more than must be paid
   * for; `undefined` if there is none.
   */
  scarcest(apart: ReadonlySet<OpId>): OpId | undefined;
}

/** A solution with the bound that follows from it. */
interface Bounded<Solution> {
  readonly prices: L1Prices;
  readonly solution: Solution;
  /** Lower bound in µs of all plans that fit. */
  readonly bound: number;
}

/**
 * A lower bound of the µs of all plans that fit L1 by byte sums. Capacity during a few ops is relaxed, and what is in L1
 * meanwhile pays for its bytes (Lagrangian relaxation). A plan that fits pays at most Σ price · capacity, so at any prices
 * its µs are at least those of the least solution minus this sum. The prices that raise this bound most are searched op by
 * op. Along one price it is concave and piecewise linear with slope bytes − capacity, so the next price to try is where
 * the lines of the two nearest solutions meet (Kelley's cutting planes), one of which exceeds the capacity.
 *
 * Where dozens of tensors wait at once, as long skip connections do, some ten solutions suffice. Where few large tensors
 * wait, prices cannot tell one and a half tensors from one; branch and bound, which can, changed no plan of 334 runs and
 * raised one bound.
 *
 * @param found the least solution without prices
 * @param solve the least solution at some prices
 * @param capacity bytes per core
 * @param isSpent asked before every solution: whether to stop
 */
export function leastAtPrices<Solution extends PricedSolution>(
  found: Solution,
  solve: (prices: L1Prices) => Solution,
  capacity: number,
  isSpent: () => boolean = () => false,
): { readonly bound: number; readonly solution: Solution } {
  let solutions = 0;
  const boundAt = (prices: L1Prices): Bounded<Solution> => {
    solutions++;
    const solution = solve(prices);
    const capacityUs = prices.values().reduce((us, price) => us + price * capacity, 0);
    return { prices, solution, bound: solution.microseconds - capacityUs };
  };
  let highest: Bounded<Solution> = { prices: new Map(), solution: found, bound: found.microseconds };
  // Of two solutions at the best prices the one that fits tells better where else L1 is short.
  let fitting = highest;
  const examined = new Set<OpId>();
  for (let priced = 0; priced < PRICED_OPS;) {
    const op = fitting.solution.scarcest(examined);
    if (op === undefined || examined.size >= EXAMINED_OPS) break;
    examined.add(op);
    const before = highest;
    let short = before;
    let fits: Bounded<Solution> | undefined;
    for (;;) {
      const price = nextPrice(op, capacity, short, fits, highest.bound);
      if (price === undefined || solutions >= PRICED_SOLUTIONS || isSpent()) break;
      const next = boundAt(new Map(before.prices).set(op, price));
      if (next.bound > highest.bound) highest = next;
      if (next.solution.bytesDuring(op) > capacity) short = next;
      else fits = next;
    }
    if (fits === undefined) continue;
    priced++;
    fitting = fits;
    if (highest.bound < before.bound * (1 + LEAST_PRICE_GAIN)) break;
  }
  return highest;
}

/** The next price to try for an op; `undefined` if none would raise the highest bound enough. */
function nextPrice<Solution extends PricedSolution>(
  op: OpId,
  capacity: number,
  short: Bounded<Solution>,
  fits: Bounded<Solution> | undefined,
  highest: number,
): number | undefined {
  const from = short.prices.get(op) ?? 0;
  const rise = short.solution.bytesDuring(op) - capacity;
  if (rise <= 0) return undefined;
  // At first, what exceeds the capacity costs an eighth of the time; most steps of this size end with a solution that fits.
  if (fits === undefined) return from === 0 ? short.bound / (8 * rise) : 8 * from;
  const to = fits.prices.get(op) ?? 0;
  const fall = capacity - fits.solution.bytesDuring(op);
  const price = (fits.bound + fall * to - short.bound + rise * from) / (rise + fall);
  const meeting = short.bound + rise * (price - from);
  return meeting > highest * (1 + LEAST_PRICE_GAIN) ? price : undefined;
}

/** The item with most bytes above a capacity; `undefined` if none has. */
export function mostAbove<Item>(
  capacity: number,
  items: Iterable<{ readonly item: Item; readonly bytes: number }>,
): Item | undefined {
  let [found, most]: [Item | undefined, number] = [undefined, capacity];
  for (const { item, bytes } of items) if (bytes > most) [found, most] = [item, bytes];
  return found;
}
