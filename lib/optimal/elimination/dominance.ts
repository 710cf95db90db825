// SPDX-License-Identifier: Apache-2.0
import { COMPARISONS_PER_CHOICE } from "../limits.ts";
import { type Factor, strideOf } from "./factor.ts";

/** Values of a variable that may be best, and the work of finding them. */
export interface Undominated {
  /** Ascending; at least one. */
  readonly kept: readonly number[];
  /** In joint choices. */
  readonly work: number;
}

/**
 * The values of a variable that no other value is found to dominate. Value a dominates b if Σ_f f(a, x) ≤ Σ_f f(b, x)
 * for every choice x of the other variables. The test is sufficient only, so some dominated values stay: Σ_f max_x
 * (f(a, x) − f(b, x)) ≤ 0. Of equal values the lowest stays, so that dropping the others changes no choice (dead-end
 * elimination, derived:exact-layouts).
 */
export function undominated(
  factors: readonly Factor[],
  variable: number,
  domains: readonly number[],
): Undominated {
  const values = domains[variable] ?? 1;
  // Small tables show soonest that a value is not dominated.
  const columns = factors.toSorted((a, b) => a.table.length - b.table.length).map((factor) =>
    new Columns(factor, variable, domains)
  );
  const kept: boolean[] = new Array(values).fill(true);
  for (let value = 0; value < values; value++) {
    for (let other = 0; other < values; other++) {
      if (other === value || kept[other] !== true) continue;
      let above = 0;
      for (let index = 0; index < columns.length && above < Infinity; index++) {
        const limit = index === columns.length - 1 ? -above : Infinity;
        above += columns[index]?.mostAbove(other, value, limit) ?? 0;
      }
      if (above > 0 || (above === 0 && other > value)) continue;
      kept[value] = false;
      break;
    }
  }
  const compared = columns.reduce((sum, { compared }) => sum + compared, 0);
  return {
    kept: kept.flatMap((isKept, value) => isKept ? [value] : []),
    work: Math.ceil(compared / COMPARISONS_PER_CHOICE),
  };
}

/** A factor viewed by the values of one variable. */
class Columns {
  /** Number of compared pairs of costs. */
  compared = 0;
  readonly #table: Float64Array;
  readonly #inner: number;
  readonly #values: number;

  constructor(factor: Factor, variable: number, domains: readonly number[]) {
    this.#table = factor.table;
    this.#inner = strideOf(factor, variable, domains);
    this.#values = domains[variable] ?? 1;
  }

  /**
   * The most by which a value costs more than another one, over all choices in which the other is possible;
   * `Infinity` if that exceeds a limit.
   */
  mostAbove(value: number, other: number, limit: number): number {
    const table = this.#table;
    const inner = this.#inner;
    const block = inner * this.#values;
    let most = -Infinity;
    let compared = 0;
    for (let start = 0; start < table.length && most <= limit; start += block) {
      const from = start + value * inner;
      const against = start + other * inner;
      for (let at = 0; at < inner && most <= limit; at++) {
        compared++;
        const cost = table[against + at] ?? Infinity;
        if (cost === Infinity) continue;
        const above = (table[from + at] ?? Infinity) - cost;
        if (above > most) most = above;
      }
    }
    this.compared += compared;
    return most > limit ? Infinity : most;
  }
}

/** A factor restricted to some values of a variable. */
export function withValues(
  { scope, table }: Factor,
  variable: number,
  domains: readonly number[],
  kept: readonly number[],
): Factor {
  const inner = strideOf({ scope, table }, variable, domains);
  const block = inner * (domains[variable] ?? 1);
  const fewer = new Float64Array(table.length / block * inner * kept.length);
  let to = 0;
  for (let start = 0; start < table.length; start += block) {
    for (const value of kept) {
      const end = start + (value + 1) * inner;
      // Most runs are a few numbers, for which creating a view would take longer than copying.
      for (let at = start + value * inner; at < end; at++) fewer[to++] = table[at] ?? Infinity;
    }
  }
  return { scope, table: fewer };
}
