// SPDX-License-Identifier: Apache-2.0
import { NumberLists } from "./number_lists.ts";
import type { WayRow, WayTable } from "../exploration/way_table.ts";

/**
 * How the rows of a table merge, operand by operand, into what each output costs. This is the same whatever it costs to feed
 * the operands.
 *
 * Shards that an op reads by address cost it the same wherever they lie, so that most rows of a sum say what others say. Rows
 * that cost the same whatever was chosen for the operands so far go on together: they are one _column_, even where they read
 * and make different things.
 */
export interface RowMerges {
  /** µs of the first columns: every time that a row takes, once. */
  readonly microseconds: Float64Array;
  /** In the order of the operands. */
  readonly merges: readonly Merge[];
  /** Per output of the op its column after the last operand; -1 where no row makes it. */
  readonly columnOf: Int32Array;
}

/** What the columns after an operand are made from: each the least of its entries, an earlier column that some reads lead to. */
export interface Merge {
  /** Sets of reads of the operand, each once. */
  readonly sets: readonly Int32Array[];
  /** Per column where its entries begin; at the end, how many there are. */
  readonly starts: Int32Array;
  /** Per entry the earlier column. */
  readonly columns: Int32Array;
  /** Per entry the set of reads, any of which leads there. */
  readonly reads: Int32Array;
}

/** Rows that are one after some operands: an example of each, and its column. */
interface Suffixes {
  /** Indices of rows. What an example reads of operands that are left, and what it makes, is that of all. */
  readonly examples: Int32Array;
  readonly columns: Int32Array;
  /** Numbers above all columns. */
  readonly columnCount: number;
}

/** @param order all operands, those first whose reads are replaced first */
export function rowMerges(table: WayTable, order: readonly number[]): RowMerges {
  const { rows, outputs } = table;
  const times = new Map<number, number>();
  const examples = new Int32Array(rows.length);
  const columns = new Int32Array(rows.length);
  for (let at = 0; at < rows.length; at++) {
    const microseconds = rows[at]?.microseconds ?? Infinity;
    let column = times.get(microseconds);
    if (column === undefined) times.set(microseconds, column = times.size);
    examples[at] = at;
    columns[at] = column;
  }
  let suffixes: Suffixes = { examples, columns, columnCount: times.size };
  const merges = order.map((operand, at) => {
    const merged = mergeWithout(table, suffixes, operand, order.slice(at + 1));
    suffixes = merged.suffixes;
    return merged.merge;
  });
  const columnOf = new Int32Array(outputs.length).fill(-1);
  for (let at = 0; at < suffixes.examples.length; at++) {
    columnOf[rowAt(rows, suffixes.examples[at]).output] = suffixes.columns[at] ?? -1;
  }
  return { microseconds: Float64Array.from(times.keys()), merges, columnOf };
}

function rowAt(rows: readonly WayRow[], index: number | undefined): WayRow {
  const row = rows[index ?? -1];
  if (row === undefined) throw new RangeError(`Cannot look up row ${index}: there are ${rows.length}`);
  return row;
}

/** @param rest operands whose reads stay in the suffixes, in order */
function mergeWithout(
  table: WayTable,
  { examples, columns: columnAt, columnCount }: Suffixes,
  operand: number,
  rest: readonly number[],
): { readonly suffixes: Suffixes; readonly merge: Merge } {
  const groups = groupsOf(table, examples, rest);
  /** Per group, columns and the reads that lead from there to it, one after the other. */
  const pairs = new Int32Array(2 * examples.length);
  for (let at = 0; at < examples.length; at++) {
    const member = groups.members[at] ?? 0;
    pairs[2 * at] = columnAt[member] ?? 0;
    pairs[2 * at + 1] = rowAt(table.rows, examples[member]).reads[operand] ?? 0;
  }
  const contents = new NumberLists();
  const left = groups.starts.length - 1;
  const suffixes = { examples: new Int32Array(left), columns: new Int32Array(left) };
  for (let group = 0; group < left; group++) {
    const start = groups.starts[group] ?? 0;
    suffixes.examples[group] = examples[groups.members[start] ?? 0] ?? 0;
    suffixes.columns[group] = contents.idOf(pairs, 2 * start, 2 * (groups.starts[group + 1] ?? 0));
  }
  return {
    suffixes: { ...suffixes, columnCount: contents.all.length },
    merge: mergeOf(contents.all, columnCount),
  };
}

/**
 * @param contents per column that is made the pairs of an earlier column and a read that lead to it
 * @param columnCount number of earlier columns
 */
function mergeOf(contents: readonly Int32Array[], columnCount: number): Merge {
  const starts = new Int32Array(contents.length + 1);
  const count = contents.reduce((sum, { length }) => sum + length / 2, 0);
  /** Per pair the entry that it is part of, and its read. */
  const entryOf = new Int32Array(count);
  const readAt = new Int32Array(count);
  const entries = new Numbering(columnCount, count);
  let at = 0;
  contents.forEach((pairs, index) => {
    entries.beginAnew();
    for (let pair = 0; pair < pairs.length; pair += 2) {
      entryOf[at] = entries.of(pairs[pair] ?? 0);
      readAt[at++] = pairs[pair + 1] ?? 0;
    }
    starts[index + 1] = entries.count;
  });
  const byEntry = sideBySide(entryOf, entries.count);
  const leading = byEntry.members.map((member) => readAt[member] ?? 0);
  const sets = new NumberLists();
  const reads = new Int32Array(entries.count);
  for (let entry = 0; entry < reads.length; entry++) {
    reads[entry] = sets.idOf(leading, byEntry.starts[entry] ?? 0, byEntry.starts[entry + 1] ?? 0);
  }
  return { sets: sets.all, starts, columns: Int32Array.from(entries.keys), reads };
}

/** Items by group, the groups side by side: those of group `g` from `starts[g]` to `starts[g + 1]`, in their order. */
interface Groups {
  readonly starts: Int32Array;
  readonly members: Int32Array;
}

/** Suffixes of equal reads and output, those first whose first one comes first. */
function groupsOf({ rows, reads, outputs }: WayTable, examples: Int32Array, rest: readonly number[]): Groups {
  const radices = rest.map((operand) => reads[operand]?.length ?? 1);
  const keys = radices.reduce((product, radix) => product * radix, outputs.length);
  const groupOf = new Int32Array(examples.length);
  const numbering = keys <= Number.MAX_SAFE_INTEGER ? new Numbering(keys, examples.length) : undefined;
  const byText = new Map<string, number>();
  for (let at = 0; at < examples.length; at++) {
    const { reads: read, output } = rowAt(rows, examples[at]);
    if (numbering === undefined) {
      const text = `${rest.map((operand) => read[operand] ?? 0).join()}>${output}`;
      let group = byText.get(text);
      if (group === undefined) byText.set(text, group = byText.size);
      groupOf[at] = group;
      continue;
    }
    let key = output;
    for (let index = 0; index < rest.length; index++) {
      key = key * (radices[index] ?? 1) + (read[rest[index] ?? 0] ?? 0);
    }
    groupOf[at] = numbering.of(key);
  }
  return sideBySide(groupOf, numbering?.count ?? byText.size);
}

function sideBySide(groupOf: Int32Array, groups: number): Groups {
  const starts = new Int32Array(groups + 1);
  for (let at = 0; at < groupOf.length; at++) {
    const next = (groupOf[at] ?? 0) + 1;
    starts[next] = (starts[next] ?? 0) + 1;
  }
  for (let group = 0; group < groups; group++) {
    starts[group + 1] = (starts[group + 1] ?? 0) + (starts[group] ?? 0);
  }
  const filled = starts.slice();
  const members = new Int32Array(groupOf.length);
  for (let at = 0; at < groupOf.length; at++) {
    const group = groupOf[at] ?? 0;
    const place = filled[group] ?? 0;
    members[place] = at;
    filled[group] = place + 1;
  }
  return { starts, members };
}

/** Keys per item up to which a list is cheaper than a table of those that occur. */
const KEYS_PER_ITEM = 8;

/** Numbers keys in the order in which they are asked for, from 0 on. */
class Numbering {
  /** Per key its number and 1; nothing where keys are too many for a list. */
  readonly #list: Int32Array | undefined;
  readonly #byKey: Map<number, number> = new Map();
  readonly #keys: number[] = [];
  /** Numbers below are of keys that count as new. */
  #first = 0;

  /**
   * @param keys are below
   * @param items that keys are asked for at the most
   */
  constructor(keys: number, items: number) {
    this.#list = keys <= KEYS_PER_ITEM * items ? new Int32Array(keys) : undefined;
  }

  /** By number. */
  get keys(): readonly number[] {
    return this.#keys;
  }

  /** How many numbers were given. */
  get count(): number {
    return this.#keys.length;
  }

  of(key: number): number {
    const list = this.#list;
    const known = list === undefined ? this.#byKey.get(key) ?? -1 : (list[key] ?? 0) - 1;
    if (known >= this.#first) return known;
    const number = this.#keys.push(key) - 1;
    if (list === undefined) this.#byKey.set(key, number);
    else list[key] = number + 1;
    return number;
  }

  /** Gives every key a new number from now on. */
  beginAnew(): void {
    this.#first = this.#keys.length;
  }
}
