// SPDX-License-Identifier: Apache-2.0
import { type Factor, strideOf } from "./factor.ts";

/** Costs that are compared in the time in which one joint choice is looked at. */
const COMPARED = 4;

/** Values of a variable that may be best, and the work of finding them. */
export interface Undominated {
  /** Ascending; at least one. */
  readonly kept: readonly number[];
  /** In joint choices. */
  readonly work: number;
}

/**
 * Values of a variable that no other one dominates: whatever the other variables choose, that one costs no more by all
 * factors together. Of values that cost the same the lowest is kept, so that leaving the others out changes no choice
 * (dead-end elimination, derived:exact-layouts).
 */
export function undominated(
  factors: readonly Factor[],
  variable: number,
  domains: readonly number[],
): Undominated {
  const values = domains[variable] ?? 1;
  // Small tables say soonest that a value is not dominated.
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
    work: Math.ceil(compared / COMPARED),
  };
}

/** A factor by the values of one variable. */
class Columns {
  /** Pairs of costs that were compared. */
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
   * The most that a value costs more than another one, of all choices in which that one is possible; `Infinity` where it is
   * more than a limit.
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

/** A factor with some values of a variable only. */
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
      // Most are a few numbers, for which a view takes longer than they do.
      for (let at = start + value * inner; at < end; at++) fewer[to++] = table[at] ?? Infinity;
    }
  }
  return { scope, table: fewer };
}
