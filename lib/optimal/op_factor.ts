// SPDX-License-Identifier: Apache-2.0
import type { WayRow, WayTable } from "./way_table.ts";

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

/** A factor that was just made. */
export interface NewOpFactor extends OpFactor {
  /** Pairs of a row of the op's table and a choice of producers that were looked at for it, entries that were made included. */
  readonly work: number;
}

/**
 * Entries that one table of an op may have. Beyond, its row is a variable (`row_factors.ts`); where that has as many,
 * further operands are fed for the least that any choice costs.
 */
export const MAX_ENTRIES = 1_000_000;

/**
 * Whether the factor of an op would have more entries than one table may.
 *
 * @param most entries
 */
export function isTooWide(
  { outputs }: WayTable,
  feeds: readonly FeedCosts[],
  most: number = MAX_ENTRIES,
): boolean {
  const choices = new Map(feeds.map((feed) => [feed.variable ?? -1, feed.choices]));
  choices.delete(-1);
  return [...choices.values()].reduce((product, count) => product * count, outputs.length) > most;
}

/** Numbers below {@linkcode KEY_RADIX} that one key holds exactly. */
const KEY_PARTS = 4;
const KEY_RADIX = 2 ** 12;

/**
 * Minimises the rows of an op's table over the layouts in which it reads its operands, operand by operand: after an operand, its
 * reads are replaced by the choices of its producer. Rows that share the reads of the operands still to come are merged.
 *
 * @param mergesFor {@linkcode rowMerges} of the table, where they are known
 */
export function opFactor(
  table: WayTable,
  feeds: readonly FeedCosts[],
  mergesFor: (order: readonly number[]) => RowMerges = (order) => rowMerges(table, order),
): NewOpFactor {
  const order = feeds.map((_, operand) => operand)
    .sort((a, b) => (feeds[a]?.variable ?? -1) - (feeds[b]?.variable ?? -1) || a - b);
  const { first, merges } = mergesFor(order);
  let level = first;
  const producers: number[] = [];
  const extents: number[] = [];
  let rows = 1;
  let work = 0;
  order.forEach((operand, at) => {
    const feed = feeds[operand];
    const merge = merges[at];
    if (feed === undefined || merge === undefined) return;
    const reads = table.reads[operand]?.length ?? 1;
    const { variable } = feed;
    const repeats = variable !== undefined && producers.at(-1) === variable;
    const last = extents.at(-1) ?? 1;
    if (repeats) {
      work += rows * level.suffixes.length;
      level = advance(level, merge, rows, (row) => row % last, reads, feed);
    } else if (variable === undefined || rows * feed.choices * table.outputs.length > MAX_ENTRIES) {
      const least = variable === undefined ? feed : cheapest(feed, reads);
      work += rows * level.suffixes.length;
      level = advance(level, merge, rows, () => 0, reads, least);
    } else {
      const next = advanceByChoice(level, merge, rows, reads, feed);
      level = next.level;
      work += next.work;
      producers.push(variable);
      extents.push(feed.choices);
      rows *= feed.choices;
    }
  });
  const outputs = table.outputs.length;
  const columns = level.suffixes.length;
  const result = new Float64Array(rows * outputs).fill(Infinity);
  const made = level.suffixes.map((row) => table.rows[row]?.output ?? 0);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const at = row * outputs + (made[column] ?? 0);
      const cost = level.costs[row * columns + column] ?? Infinity;
      if (cost < (result[at] ?? Infinity)) result[at] = cost;
    }
  }
  const ranks = [...new Set(feeds.flatMap(({ variable }) => variable === undefined ? [] : [variable]))]
    .sort((a, b) => a - b);
  return { axes: producers.map((variable) => ranks.indexOf(variable)), table: result, work };
}

/** Costs per row (choices of the producers so far) and suffix (reads still to come, then the output). */
interface Level {
  /** Each suffix as a row of the op's table that ends in it. */
  readonly suffixes: Int32Array;
  readonly costs: Float64Array;
}

function firstLevel(table: WayTable): Level {
  return {
    suffixes: Int32Array.from(table.rows, (_, row) => row),
    costs: Float64Array.from(table.rows, (row) => row.microseconds),
  };
}

/** The suffixes without their first part, each once, where each of the old ones goes, and what it began with. */
interface Merge {
  readonly suffixes: Int32Array;
  readonly columnOf: Int32Array;
  readonly firsts: Int32Array;
}

/** How the rows of a table merge, operand by operand: the same whatever the operands cost. */
export interface RowMerges {
  readonly first: Level;
  /** In the order of the operands. */
  readonly merges: readonly Merge[];
}

/** @param order all operands, those first whose reads are replaced first */
export function rowMerges(table: WayTable, order: readonly number[]): RowMerges {
  const first = firstLevel(table);
  let { suffixes } = first;
  const merges = order.map((operand, at) => {
    const merge = mergeWithout(table, suffixes, operand, order.slice(at + 1));
    suffixes = merge.suffixes;
    return merge;
  });
  return { first, merges };
}

/** @param rest operands whose reads stay in the suffixes, in order */
function mergeWithout(
  { rows }: WayTable,
  suffixes: Int32Array,
  operand: number,
  rest: readonly number[],
): Merge {
  const merged: number[] = [];
  const known = new Map<number | string, number>();
  const columnOf = new Int32Array(suffixes.length);
  const firsts = new Int32Array(suffixes.length);
  suffixes.forEach((suffix, at) => {
    const row = rows[suffix];
    if (row === undefined) return;
    const key = keyOf(row, rest);
    let column = known.get(key);
    if (column === undefined) known.set(key, column = merged.push(suffix) - 1);
    columnOf[at] = column;
    firsts[at] = row.reads[operand] ?? 0;
  });
  return { suffixes: Int32Array.from(merged), columnOf, firsts };
}

/** Equal for rows of equal reads and output. Few small numbers fit a number, which is cheaper to look up than text. */
function keyOf({ reads, output }: WayRow, operands: readonly number[]): number | string {
  if (operands.length >= KEY_PARTS || output >= KEY_RADIX) return textOf(reads, output, operands);
  let key = output;
  for (const operand of operands) {
    const read = reads[operand] ?? 0;
    if (read >= KEY_RADIX) return textOf(reads, output, operands);
    key = key * KEY_RADIX + read;
  }
  return key;
}

function textOf(reads: readonly number[], output: number, operands: readonly number[]): string {
  return `${operands.map((operand) => reads[operand] ?? 0).join()}>${output}`;
}

/** Replaces the first read of every suffix by what its producer has chosen; `pick` names the row of its costs. */
function advance(
  level: Level,
  { suffixes, columnOf, firsts }: Merge,
  rows: number,
  pick: (row: number) => number,
  reads: number,
  { microseconds }: FeedCosts,
): Level {
  const before = level.suffixes.length;
  const after = suffixes.length;
  const costs = new Float64Array(rows * after).fill(Infinity);
  const source = level.costs;
  for (let row = 0; row < rows; row++) {
    const price = pick(row) * reads;
    for (let column = 0; column < before; column++) {
      const cost = (source[row * before + column] ?? Infinity) +
        (microseconds[price + (firsts[column] ?? 0)] ?? 0);
      const at = row * after + (columnOf[column] ?? 0);
      if (cost < (costs[at] ?? Infinity)) costs[at] = cost;
    }
  }
  return { suffixes, costs };
}

/**
 * Replaces the first read of every suffix by the choices of its producer. Reads are looked at in the order of their price,
 * as long as the next one can be the cheapest with the least that the op takes: most choices feed one read for nothing.
 */
function advanceByChoice(
  level: Level,
  { suffixes, columnOf, firsts }: Merge,
  rows: number,
  reads: number,
  feed: FeedCosts,
): { readonly level: Level; readonly work: number } {
  const before = level.suffixes.length;
  const after = suffixes.length;
  const { choices } = feed;
  const costs = new Float64Array(rows * choices * after);
  const { order, prices, likes } = cheapestFirst(feed, reads);
  /** µs per suffix that is left and read. */
  const own = new Float64Array(after * reads);
  const least = new Float64Array(after);
  let looked = costs.length + rows * own.length;
  for (let row = 0; row < rows; row++) {
    own.fill(Infinity);
    least.fill(Infinity);
    for (let column = 0; column < before; column++) {
      const cost = level.costs[row * before + column] ?? Infinity;
      const to = columnOf[column] ?? 0;
      const at = to * reads + (firsts[column] ?? 0);
      if (cost < (own[at] ?? Infinity)) own[at] = cost;
      if (cost < (least[to] ?? Infinity)) least[to] = cost;
    }
    for (let choice = 0; choice < choices; choice++) {
      const from = choice * reads;
      const target = (row * choices + choice) * after;
      const like = likes[choice] ?? choice;
      if (like < choice) {
        const known = (row * choices + like) * after;
        costs.copyWithin(target, known, known + after);
        continue;
      }
      for (let to = 0; to < after; to++) {
        const floor = least[to] ?? Infinity;
        const offset = to * reads;
        let best = Infinity;
        let at = from;
        for (; at < from + reads; at++) {
          const price = prices[at] ?? Infinity;
          if (floor + price >= best) break;
          const cost = (own[offset + (order[at] ?? 0)] ?? Infinity) + price;
          if (cost < best) best = cost;
        }
        looked += at - from;
        costs[target + to] = best;
      }
    }
  }
  return { level: { suffixes, costs }, work: looked };
}

/** What each choice of a producer asks for each read. */
interface RankedFeed {
  /** Per choice, the reads, those of the least price first. */
  readonly order: Int32Array;
  /** Their prices. */
  readonly prices: Float64Array;
  /** The first choice with the same prices. */
  readonly likes: Int32Array;
}

function cheapestFirst({ choices, microseconds }: FeedCosts, reads: number): RankedFeed {
  const likes = new Int32Array(choices);
  const others: number[] = [];
  const order = new Int32Array(choices * reads);
  const prices = new Float64Array(choices * reads);
  for (let choice = 0; choice < choices; choice++) {
    const own = microseconds.subarray(choice * reads, (choice + 1) * reads);
    const isLike = (other: number): boolean =>
      own.every((price, read) => price === microseconds[other * reads + read]);
    const like = others.find(isLike);
    likes[choice] = like ?? choice;
    if (like !== undefined) continue;
    others.push(choice);
    const ranked = Array.from(own.keys()).sort((a, b) => (own[a] ?? 0) - (own[b] ?? 0) || a - b);
    ranked.forEach((read, rank) => {
      order[choice * reads + rank] = read;
      prices[choice * reads + rank] = own[read] ?? Infinity;
    });
  }
  return { order, prices, likes };
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
