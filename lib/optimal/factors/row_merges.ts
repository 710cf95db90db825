// SPDX-License-Identifier: Apache-2.0
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
  readonly sets: readonly (readonly number[])[];
  /** Per column: where its entries begin; at the end, their number. */
  readonly starts: Int32Array;
  /** Per entry: the earlier column. */
  readonly columns: Int32Array;
  /** Per entry: the set of reads; the minimum over them counts. */
  readonly reads: Int32Array;
}

/** Rows that are equivalent after some operands. */
interface Suffix {
  /** One of them; the others have its reads of the remaining operands, and its output. */
  readonly example: Impl;
  readonly column: number;
}

/** @param order all operands, in the order in which their reads are replaced */
export function rowMerges({ rows, outputs }: ImplTable, order: readonly number[]): RowMerges {
  const times = new Distinct<number>();
  let suffixes: readonly Suffix[] = rows.map((example) => ({
    example,
    column: times.numberOf(example.microseconds, example.microseconds),
  }));
  const merges = order.map((operand, at) => {
    const merged = mergeWithout(suffixes, operand, order.slice(at + 1));
    suffixes = merged.suffixes;
    return merged.merge;
  });
  const columnOf = new Int32Array(outputs.length).fill(-1);
  for (const { example, column } of suffixes) columnOf[example.output] = column;
  return { microseconds: Float64Array.from(times.items), merges, columnOf };
}

/** @param rest operands whose reads remain in the suffixes, in order */
function mergeWithout(
  suffixes: readonly Suffix[],
  operand: number,
  rest: readonly number[],
): { readonly suffixes: readonly Suffix[]; readonly merge: Merge } {
  const keyOf = ({ example: { reads, output } }: Suffix): string | number =>
    rest.length === 0 ? output : `${rest.map((other) => reads[other]).join()}>${output}`;
  const sets = new Distinct<readonly number[]>();
  const columns = new Distinct<readonly (readonly [column: number, reads: number])[]>();
  const left = [...Map.groupBy(suffixes, keyOf).values()].flatMap((members) => {
    const entries = [...Map.groupBy(members, ({ column }) => column)].map(([earlier, its]) => {
      const reads = its.map(({ example }) => example.reads[operand] ?? 0);
      return [earlier, sets.numberOf(reads.join(), reads)] as const;
    });
    const column = columns.numberOf(entries.join(), entries);
    return members.slice(0, 1).map(({ example }): Suffix => ({ example, column }));
  });
  const starts = new Int32Array(columns.items.length + 1);
  columns.items.forEach(({ length }, column) => starts[column + 1] = (starts[column] ?? 0) + length);
  const entries = columns.items.flat();
  return {
    suffixes: left,
    merge: {
      sets: sets.items,
      starts,
      columns: Int32Array.from(entries, ([column]) => column),
      reads: Int32Array.from(entries, ([, reads]) => reads),
    },
  };
}

/** Distinct items, numbered by their keys in the order of their first use. */
class Distinct<Item> {
  readonly items: Item[] = [];
  readonly #numbers: Map<string | number, number> = new Map();

  numberOf(key: string | number, item: Item): number {
    return this.#numbers.getOrInsertComputed(key, () => this.items.push(item) - 1);
  }
}
