// SPDX-License-Identifier: Apache-2.0
import { NumberLists } from "./number_lists.ts";
import type { Impl, ImplTable } from "../exploration/impl_table.ts";

/**
 * How the rows of a table merge, operand by operand, into the cost of each output. The merging does not
 * depend on the operands' costs.
 *
 * An op that reads shards by address costs the same on any cores, so most rows of a sum are equivalent to
 * others. Rows with equal costs for all choices of the operands so far continue as one _column_, even if they
 * read and produce different layouts.
 */
export interface RowMerges {
  /** µs of the first columns: the distinct times of all rows. */
  readonly microseconds: Float64Array;
  /** In the order of the operands. */
  readonly merges: readonly Merge[];
  /** Per output of the op: its column after the last operand; -1 if no row produces it. */
  readonly columnOf: Int32Array;
}

/**
 * The columns after an operand: each is the minimum of its entries, and an entry is an earlier column with a
 * set of reads.
 */
export interface Merge {
  /** Distinct sets of reads of the operand. */
  readonly sets: readonly Int32Array[];
  /** Per column: where its entries begin; at the end, their number. */
  readonly starts: Int32Array;
  /** Per entry: the earlier column. */
  readonly columns: Int32Array;
  /** Per entry: the set of reads; the minimum over them counts. */
  readonly reads: Int32Array;
}

/** Groups of rows that are equivalent after some operands: an example of each, and its column. */
interface Suffixes {
  /** Indices of rows. The group's rows have the example's reads of the remaining operands, and its output. */
  readonly examples: Int32Array;
  readonly columns: Int32Array;
  /** One more than the highest column. */
  readonly columnCount: number;
}

/** @param order all operands, in the order in which their reads are replaced */
export function rowMerges(table: ImplTable, order: readonly number[]): RowMerges {
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

function rowAt(rows: readonly Impl[], index: number | undefined): Impl {
  const row = rows[index ?? -1];
  if (row === undefined) throw new RangeError(`Cannot look up row ${index}: there are ${rows.length}`);
  return row;
}

/** @param rest operands whose reads remain in the suffixes, in order */
function mergeWithout(
  table: ImplTable,
  { examples, columns: columnAt, columnCount }: Suffixes,
  operand: number,
  rest: readonly number[],
): { readonly suffixes: Suffixes; readonly merge: Merge } {
  const groups = groupsOf(table, examples, rest);
  /** Per group: alternately a column and the read that leads from it to the group. */
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
 * @param contents per new column: the pairs of an earlier column and a read that lead to it
 * @param columnCount number of earlier columns
 */
function mergeOf(contents: readonly Int32Array[], columnCount: number): Merge {
  const starts = new Int32Array(contents.length + 1);
  const count = contents.reduce((sum, { length }) => sum + length / 2, 0);
  /** Per pair: its entry, and its read. */
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

/** Items by group, stored consecutively: those of group `g` from `starts[g]` to `starts[g + 1]`, in order. */
interface ItemsByGroup {
  readonly starts: Int32Array;
  readonly members: Int32Array;
}

/** Suffixes with equal reads and output, in the order of their first members. */
function groupsOf(
  { rows, reads, outputs }: ImplTable,
  examples: Int32Array,
  rest: readonly number[],
): ItemsByGroup {
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

function sideBySide(groupOf: Int32Array, groups: number): ItemsByGroup {
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

/** Up to this many keys per item, an array is cheaper than a map of the keys that occur. */
const KEYS_PER_ITEM = 8;

/** Numbers keys in the order of their first use, from 0 on. */
class Numbering {
  /** Per key its number plus 1; `undefined` if there are too many keys for an array. */
  readonly #list: Int32Array | undefined;
  readonly #byKey: Map<number, number> = new Map();
  readonly #keys: number[] = [];
  /** Keys with lower numbers than this count as new. */
  #first = 0;

  /**
   * @param keys upper limit of the keys, exclusive
   * @param items most look-ups
   */
  constructor(keys: number, items: number) {
    this.#list = keys <= KEYS_PER_ITEM * items ? new Int32Array(keys) : undefined;
  }

  /** By number. */
  get keys(): readonly number[] {
    return this.#keys;
  }

  /** How many numbers were assigned. */
  get count(): number {
    return this.#keys.length;
  }

  of(key: number): number {
    const list = this.#list;
    const cached = list === undefined ? this.#byKey.get(key) ?? -1 : (list[key] ?? 0) - 1;
    if (cached >= this.#first) return cached;
    const number = this.#keys.push(key) - 1;
    if (list === undefined) this.#byKey.set(key, number);
    else list[key] = number + 1;
    return number;
  }

  /** From now on assigns a new number to every key. */
  beginAnew(): void {
    this.#first = this.#keys.length;
  }
}
