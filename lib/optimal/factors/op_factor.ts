// SPDX-License-Identifier: Apache-2.0
import type { OpId } from "../../graph/graph.ts";
import { MAX_ENTRIES } from "../limits.ts";
import { type Merge, type RowMerges, rowMerges } from "./row_merges.ts";
import type { ImplTable } from "../exploration/impl_table.ts";

/** How the cost of one operand of an op depends on its producer's choice. */
export interface OperandCostTable {
  /** Variable of the producer; `undefined` if the operand is produced in one layout only. */
  readonly variable: number | undefined;
  /** Number of choices of the producer; 1 without a variable. */
  readonly choices: number;
  /** µs by the producer's choice (varies slowly) and the layout in which the operand may be read (varies fast). */
  readonly microseconds: Float64Array;
}

/** µs of an op including the conversions of its operands, by the choices of its producers and its own. */
export interface OpFactor {
  /**
   * Producers in ascending order, as ranks among the distinct variables of the operands; the op's own choice is
   * the last axis of the table. With ranks, ops of a repeated layer share one factor.
   */
  readonly axes: readonly number[];
  readonly table: Float64Array;
}

export interface NewOpFactor extends OpFactor {
  /** Number of elementary steps: merge entries × price lists, prices examined, and table entries written. */
  readonly work: number;
}

/**
 * Whether the factor of an op would have more entries than a table may have.
 *
 * @param most greatest number of entries allowed
 */
export function isTooWide(
  { outputs }: ImplTable,
  operandCosts: readonly OperandCostTable[],
  most: number = MAX_ENTRIES,
): boolean {
  const choices = new Map(
    operandCosts.map((operandCost) => [operandCost.variable ?? -1, operandCost.choices]),
  );
  choices.delete(-1);
  return [...choices.values()].reduce((product, count) => product * count, outputs.length) > most;
}

/**
 * Minimizes the rows of an op's table over the layouts in which it reads its operands, one operand after the
 * other: the axis of the operand's reads becomes an axis of its producer's choices. If that axis would make more
 * than {@linkcode MAX_ENTRIES} entries, each read costs the least over the producer's choices, without an axis.
 *
 * @param mergesFor cached {@linkcode rowMerges} of the table
 */
export function opFactor(
  table: ImplTable,
  operandCosts: readonly OperandCostTable[],
  mergesFor: (order: readonly number[]) => RowMerges = (order) => rowMerges(table, order),
): NewOpFactor {
  const order = operandCosts.map((_, operand) => operand)
    .sort((a, b) => (operandCosts[a]?.variable ?? -1) - (operandCosts[b]?.variable ?? -1) || a - b);
  const { microseconds, merges, columnOf } = mergesFor(order);
  let level: Level = { rows: 1, columns: microseconds.length, costs: microseconds };
  const producers: number[] = [];
  const extents: number[] = [];
  let work = 0;
  order.forEach((operand, at) => {
    const operandCost = operandCosts[operand];
    const merge = merges[at];
    if (operandCost === undefined || merge === undefined) return;
    const reads = table.reads[operand]?.length ?? 1;
    const { variable } = operandCost;
    const repeats = variable !== undefined && producers.at(-1) === variable;
    const isLeast = variable === undefined ||
      level.rows * operandCost.choices * table.outputs.length > MAX_ENTRIES;
    if (!repeats && !isLeast) {
      producers.push(variable);
      extents.push(operandCost.choices);
    }
    const prices = setPrices(repeats || !isLeast ? operandCost : cheapest(operandCost, reads), reads, merge);
    work += merge.columns.length * (repeats ? level.rows : level.rows * prices.different);
    level = repeats ? alongChoice(level, merge, prices, extents.at(-1) ?? 1) : byChoice(level, merge, prices);
    work += prices.work + level.costs.length;
  });
  const outputs = table.outputs.length;
  const { rows, columns, costs } = level;
  const result = new Float64Array(rows * outputs).fill(Infinity);
  for (let row = 0; row < rows; row++) {
    for (let output = 0; output < outputs; output++) {
      const column = columnOf[output] ?? -1;
      if (column >= 0) result[row * outputs + output] = costs[row * columns + column] ?? Infinity;
    }
  }
  const ranks = [...new Set(operandCosts.flatMap(({ variable }) => variable === undefined ? [] : [variable]))]
    .sort((a, b) => a - b);
  return {
    axes: producers.map((variable) => ranks.indexOf(variable)),
    table: result,
    work: work + result.length,
  };
}

/** Costs by row (choices of the producers so far) and column of {@linkcode RowMerges}. */
interface Level {
  readonly rows: number;
  readonly columns: number;
  readonly costs: Float64Array;
}

/** The costs of supplying an operand. */
interface SetPrices {
  readonly choices: number;
  /** Per choice of the producer: the index of its price list. */
  readonly priceOf: Int32Array;
  /** Number of distinct price lists among the choices. */
  readonly different: number;
  /** µs by set of reads (varies slowly) and price list (varies fast): the cheapest read of the set. */
  readonly microseconds: Float64Array;
  /** Prices that were examined. */
  readonly work: number;
}

function setPrices({ choices, microseconds }: OperandCostTable, reads: number, { sets }: Merge): SetPrices {
  const priceOf = new Int32Array(choices);
  const first: number[] = [];
  for (let choice = 0; choice < choices; choice++) {
    let price = first.findIndex((other) => areEqual(microseconds, other * reads, choice * reads, reads));
    if (price < 0) price = first.push(choice) - 1;
    priceOf[choice] = price;
  }
  const different = first.length;
  const prices = new Float64Array(sets.length * different);
  let work = choices * reads;
  sets.forEach((set, index) => {
    first.forEach((choice, price) => {
      let least = Infinity;
      for (let at = 0; at < set.length; at++) {
        const us = microseconds[choice * reads + (set[at] ?? 0)] ?? 0;
        if (us < least) least = us;
      }
      prices[index * different + price] = least;
    });
    work += set.length * different;
  });
  return { choices, priceOf, different, microseconds: prices, work };
}

/** Whether two ranges of so many numbers are equal. */
function areEqual(numbers: Float64Array, a: number, b: number, count: number): boolean {
  for (let at = 0; at < count; at++) if (numbers[a + at] !== numbers[b + at]) return false;
  return true;
}

/** Replaces an operand's reads by the choices of its producer, which become the fast-varying part of the rows. */
function byChoice(level: Level, { starts, columns: earlier, reads }: Merge, prices: SetPrices): Level {
  const { choices, priceOf, different, microseconds } = prices;
  const columns = starts.length - 1;
  const costs = new Float64Array(level.rows * choices * columns);
  const best = new Float64Array(different);
  for (let row = 0; row < level.rows; row++) {
    const from = row * level.columns;
    for (let column = 0; column < columns; column++) {
      best.fill(Infinity);
      const end = starts[column + 1] ?? 0;
      for (let entry = starts[column] ?? 0; entry < end; entry++) {
        const before = level.costs[from + (earlier[entry] ?? 0)] ?? Infinity;
        const price = (reads[entry] ?? 0) * different;
        for (let at = 0; at < different; at++) {
          const cost = before + (microseconds[price + at] ?? 0);
          if (cost < (best[at] ?? 0)) best[at] = cost;
        }
      }
      const to = row * choices * columns + column;
      for (let choice = 0; choice < choices; choice++) {
        costs[to + choice * columns] = best[priceOf[choice] ?? 0] ?? Infinity;
      }
    }
  }
  return { rows: level.rows * choices, columns, costs };
}

/** As {@linkcode byChoice}, for a producer whose choices already are the fast-varying part of the rows. */
function alongChoice(
  level: Level,
  { starts, columns: earlier, reads }: Merge,
  { priceOf, different, microseconds }: SetPrices,
  choices: number,
): Level {
  const columns = starts.length - 1;
  const costs = new Float64Array(level.rows * columns);
  for (let row = 0; row < level.rows; row++) {
    const price = priceOf[row % choices] ?? 0;
    for (let column = 0; column < columns; column++) {
      let best = Infinity;
      const end = starts[column + 1] ?? 0;
      for (let entry = starts[column] ?? 0; entry < end; entry++) {
        const cost = (level.costs[row * level.columns + (earlier[entry] ?? 0)] ?? Infinity) +
          (microseconds[(reads[entry] ?? 0) * different + price] ?? 0);
        if (cost < best) best = cost;
      }
      costs[row * columns + column] = best;
    }
  }
  return { rows: level.rows, columns, costs };
}

/** Per read, the least over the choices of the producer. */
function cheapest({ choices, microseconds }: OperandCostTable, reads: number): OperandCostTable {
  const least = new Float64Array(reads).fill(Infinity);
  for (let choice = 0; choice < choices; choice++) {
    for (let read = 0; read < reads; read++) {
      least[read] = Math.min(least[read] ?? Infinity, microseconds[choice * reads + read] ?? Infinity);
    }
  }
  return { variable: undefined, choices: 1, microseconds: least };
}

/** The scope of an op's factor: the producers that the (possibly shared) table has axes for, then the op. */
export function scopeOf(
  operandCosts: readonly { readonly costs: OperandCostTable }[],
  axes: readonly number[],
  op: OpId,
): readonly number[] {
  const variables = operandCosts.flatMap(({ costs }) => costs.variable === undefined ? [] : [costs.variable]);
  const ascending = [...new Set(variables)].sort((a, b) => a - b);
  const axis = (rank: number): number => {
    const variable = ascending[rank];
    if (variable === undefined) throw new RangeError(`Cannot place a factor: it has no producer ${rank}`);
    return variable;
  };
  return [...axes.map(axis), op];
}
