// SPDX-License-Identifier: Apache-2.0
import type { WayTable } from "./way_table.ts";

/** How one operand of an op depends on what its producer chooses. */
export interface FeedCosts {
  /** Variable of the producer; `undefined` when the operand is born in one layout only. */
  readonly variable: number | undefined;
  /** Number of choices of the producer; 1 without a variable. */
  readonly choices: number;
  /** µs per choice of the producer (slow) and layout that the operand may be read in (fast). */
  readonly microseconds: Float64Array;
}

/** µs of an op with the conversions of its operands, over the choices of its producers and its own. */
export interface OpFactor {
  /**
   * Producers in ascending order, by rank among the distinct variables of the operands; the op's own choice is the last
   * axis of the table. Ranks, so that ops of a repeated layer share one factor.
   */
  readonly axes: readonly number[];
  readonly table: Float64Array;
}

/** Entries that the table of one op may have; beyond, operands are fed for the least that any choice costs. */
const MAX_ENTRIES = 1_000_000;

/** Numbers below {@linkcode KEY_RADIX} that one key holds exactly. */
const KEY_PARTS = 4;
const KEY_RADIX = 2 ** 12;

/**
 * Minimises the rows of an op's table over the layouts in which it reads its operands, operand by operand: after an operand, its
 * reads are replaced by the choices of its producer. Rows that share the reads of the operands still to come are merged.
 */
export function opFactor(table: WayTable, feeds: readonly FeedCosts[]): OpFactor {
  const order = feeds.map((_, operand) => operand)
    .sort((a, b) => (feeds[a]?.variable ?? -1) - (feeds[b]?.variable ?? -1) || a - b);
  let level = firstLevel(table, order);
  const producers: number[] = [];
  const extents: number[] = [];
  let rows = 1;
  for (const operand of order) {
    const feed = feeds[operand];
    if (feed === undefined) continue;
    const next = nextLevel(level);
    const reads = table.reads[operand]?.length ?? 1;
    const { variable } = feed;
    const repeats = variable !== undefined && producers.at(-1) === variable;
    const last = extents.at(-1) ?? 1;
    if (repeats) {
      level = advance(level, next, rows, 1, (row) => row % last, reads, feed);
    } else if (variable === undefined || rows * feed.choices * table.outputs.length > MAX_ENTRIES) {
      level = advance(
        level,
        next,
        rows,
        1,
        () => 0,
        reads,
        variable === undefined ? feed : cheapest(feed, reads),
      );
    } else {
      level = advance(level, next, rows, feed.choices, (_row, choice) => choice, reads, feed);
      producers.push(variable);
      extents.push(feed.choices);
      rows *= feed.choices;
    }
  }
  const outputs = table.outputs.length;
  const result = new Float64Array(rows * outputs).fill(Infinity);
  for (let row = 0; row < rows; row++) {
    level.suffixes.forEach(([output], column) => {
      const at = row * outputs + (output ?? 0);
      const cost = level.costs[row * level.suffixes.length + column] ?? Infinity;
      result[at] = Math.min(result[at] ?? Infinity, cost);
    });
  }
  const ranks = [...new Set(feeds.flatMap(({ variable }) => variable === undefined ? [] : [variable]))]
    .sort((a, b) => a - b);
  return { axes: producers.map((variable) => ranks.indexOf(variable)), table: result };
}

/** Costs per row (choices of the producers so far) and suffix (reads still to come, then the output). */
interface Level {
  readonly suffixes: readonly (readonly number[])[];
  readonly costs: Float64Array;
}

function firstLevel(table: WayTable, order: readonly number[]): Level {
  return {
    suffixes: table.rows.map((row) => [...order.map((operand) => row.reads[operand] ?? 0), row.output]),
    costs: Float64Array.from(table.rows, (row) => row.microseconds),
  };
}

/** The suffixes without their first part, each once, and where each of the old ones goes. */
interface Merge {
  readonly suffixes: readonly (readonly number[])[];
  readonly columnOf: Int32Array;
}

function nextLevel({ suffixes }: Level): Merge {
  const merged: (readonly number[])[] = [];
  const known = new Map<number | string, number>();
  const columnOf = Int32Array.from(suffixes, (suffix) => {
    const key = keyOfRest(suffix);
    let column = known.get(key);
    if (column === undefined) known.set(key, column = merged.push(suffix.slice(1)) - 1);
    return column;
  });
  return { suffixes: merged, columnOf };
}

/** Short suffixes of small numbers fit a number, which is cheaper to look up than text. */
function keyOfRest(suffix: readonly number[]): number | string {
  if (suffix.length > 1 + KEY_PARTS) return suffix.slice(1).join();
  let key = 0;
  for (let index = 1; index < suffix.length; index++) {
    const part = suffix[index] ?? 0;
    if (part >= KEY_RADIX) return suffix.slice(1).join();
    key = key * KEY_RADIX + part;
  }
  return key;
}

/** Replaces the first read of every suffix by `choices` choices of a producer; `pick` names the row of its costs. */
function advance(
  level: Level,
  merge: Merge,
  rows: number,
  choices: number,
  pick: (row: number, choice: number) => number,
  reads: number,
  feed: FeedCosts,
): Level {
  const before = level.suffixes.length;
  const after = merge.suffixes.length;
  const firsts = Int32Array.from(level.suffixes, (suffix) => suffix[0] ?? 0);
  const costs = new Float64Array(rows * choices * after).fill(Infinity);
  const { columnOf } = merge;
  const source = level.costs;
  const prices = feed.microseconds;
  for (let row = 0; row < rows; row++) {
    for (let choice = 0; choice < choices; choice++) {
      const price = pick(row, choice) * reads;
      const target = (row * choices + choice) * after;
      for (let column = 0; column < before; column++) {
        const cost = (source[row * before + column] ?? Infinity) +
          (prices[price + (firsts[column] ?? 0)] ?? 0);
        const at = target + (columnOf[column] ?? 0);
        if (cost < (costs[at] ?? Infinity)) costs[at] = cost;
      }
    }
  }
  return { suffixes: merge.suffixes, costs };
}

/** The least that any choice of the producer asks for each read. */
function cheapest({ choices, microseconds }: FeedCosts, reads: number): FeedCosts {
  const least = new Float64Array(reads).fill(Infinity);
  for (let choice = 0; choice < choices; choice++) {
    for (let read = 0; read < reads; read++) {
      least[read] = Math.min(least[read] ?? Infinity, microseconds[choice * reads + read] ?? Infinity);
    }
  }
  return { variable: undefined, choices: 1, microseconds: least };
}
