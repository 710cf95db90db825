// SPDX-License-Identifier: Apache-2.0
import type { OpId, ValueId } from "../graph/graph.ts";
import type { OpEvaluator } from "../search/op_evaluator.ts";

/**
 * Prices of L1 while each op runs, in µs per byte and core: multipliers of one capacity row per op, in the input's order.
 * A plan that fits pays for no byte more than there is, so that its time is at least the least cost with these prices
 * less the price of all of L1 (Lagrangian relaxation, derived:exact-layouts).
 */
export class L1Prices {
  readonly #evaluator: OpEvaluator;
  readonly #prices: Float64Array;
  /** By op, the sum over all before it. */
  readonly #before: Float64Array;

  constructor(evaluator: OpEvaluator, prices: Float64Array) {
    this.#evaluator = evaluator;
    this.#prices = prices;
    this.#before = new Float64Array(prices.length + 1);
    prices.forEach((price, op) => this.#before[op + 1] = (this.#before[op] ?? 0) + price);
  }

  /** µs per byte that is needed while the op runs. */
  at(op: OpId): number {
    return this.#prices[op] ?? 0;
  }

  /** Sum over all ops: µs that a byte of L1 costs. */
  get sum(): number {
    return this.#before.at(-1) ?? 0;
  }

  /**
   * µs per byte that a value lies in for each reader (every use, then `return`): while the ops run between that reader and
   * the one before it, or the op that makes the value.
   */
  untilReaders(value: ValueId): readonly number[] {
    return intervalsOf(this.#evaluator, value).map(([from, to]) =>
      from < to ? (this.#before[to] ?? 0) - (this.#before[from] ?? 0) : 0
    );
  }
}

/** Per reader of a value, the ops during which it waits for that reader and no earlier one: first, and one past the last. */
export function intervalsOf(
  evaluator: OpEvaluator,
  value: ValueId,
): readonly (readonly [OpId, OpId])[] {
  const { definition, uses, returned } = evaluator.value(value);
  const ends = uses.map(({ op }) => op);
  if (returned > 0) ends.push(evaluator.fn.ops.length);
  let after = definition.kind === "result" ? definition.op + 1 : 0;
  return ends.map((end): readonly [OpId, OpId] => {
    const interval = [after, end] as const;
    after = Math.max(after, end + 1);
    return interval;
  });
}

/** Rounds of {@linkcode raiseL1Prices}; each solves the problem once. */
const ROUNDS = 40;

/** Rounds without a higher bound after which steps get half as long. */
const PATIENCE = 3;

/**
 * The highest lower bound that prices of L1 give, by the subgradient method with Polyak's step length.
 *
 * @param solve least µs under some prices, what L1 costs in them taken off, and the bytes that the solution needs while
 * each op runs
 * @param capacity bytes per core
 * @param targetUs time of a plan that fits
 * @returns `undefined` when a solution without prices fits
 */
export function raiseL1Prices(
  solve: (prices: Float64Array) => { readonly bound: number; readonly usage: Float64Array },
  ops: number,
  capacity: number,
  targetUs: number,
): number | undefined {
  let prices = new Float64Array(ops);
  let best: number | undefined;
  let step = 1;
  let patience = PATIENCE;
  for (let round = 0; round < ROUNDS; round++) {
    const { bound, usage } = solve(prices);
    const slopes = usage.map((bytes, op) => bytes > capacity || (prices[op] ?? 0) > 0 ? bytes - capacity : 0);
    const square = slopes.reduce((sum, slope) => sum + slope * slope, 0);
    if (round === 0 && square === 0) return undefined;
    if (best === undefined || bound > best) {
      best = bound;
      patience = PATIENCE;
    } else if (--patience === 0) {
      step /= 2;
      patience = PATIENCE;
    }
    const distance = step * (targetUs - bound);
    if (square === 0 || distance <= 0) break;
    prices = prices.map((price, op) => Math.max(0, price + distance * (slopes[op] ?? 0) / square));
  }
  return best;
}
