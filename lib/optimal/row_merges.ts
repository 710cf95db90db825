// SPDX-License-Identifier: Apache-2.0
import { NumberLists } from "./number_lists.ts";
import type { WayRow, WayTable } from "./way_table.ts";

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

/** Rows that are one after some operands: what they read yet and make, and their column. */
interface Suffix {
  readonly row: WayRow;
  readonly column: number;
}

/** Numbers below {@linkcode KEY_RADIX} that one key holds exactly. */
const KEY_PARTS = 4;
const KEY_RADIX = 2 ** 12;

/** @param order all operands, those first whose reads are replaced first */
export function rowMerges({ rows, outputs }: WayTable, order: readonly number[]): RowMerges {
  const times = new Map<number, number>();
  let suffixes = rows.map((row): Suffix => {
    let column = times.get(row.microseconds);
    if (column === undefined) times.set(row.microseconds, column = times.size);
    return { row, column };
  });
  const merges = order.map((operand, at) => {
    const merged = mergeWithout(suffixes, operand, order.slice(at + 1));
    suffixes = merged.suffixes;
    return merged.merge;
  });
  const columnOf = new Int32Array(outputs.length).fill(-1);
  for (const { row, column } of suffixes) columnOf[row.output] = column;
  return { microseconds: Float64Array.from(times.keys()), merges, columnOf };
}

/** @param rest operands whose reads stay in the suffixes, in order */
function mergeWithout(
  suffixes: readonly Suffix[],
  operand: number,
  rest: readonly number[],
): { readonly suffixes: Suffix[]; readonly merge: Merge } {
  /** Per suffix that is left, columns and the reads that lead there, one after the other. */
  const leading = new Map<number | string, { readonly row: WayRow; readonly pairs: number[] }>();
  for (const { row, column } of suffixes) {
    const key = keyOf(row, rest);
    let group = leading.get(key);
    if (group === undefined) leading.set(key, group = { row, pairs: [] });
    group.pairs.push(column, row.reads[operand] ?? 0);
  }
  const contents = new NumberLists();
  const left = [...leading.values()].map(({ row, pairs }): Suffix => ({ row, column: contents.idOf(pairs) }));
  const sets = new NumberLists();
  const starts = [0];
  const columns: number[] = [];
  const reads: number[] = [];
  for (const pairs of contents.all) {
    for (const [column, set] of readsByColumn(pairs)) {
      columns.push(column);
      reads.push(sets.idOf(set));
    }
    starts.push(columns.length);
  }
  return {
    suffixes: left,
    merge: {
      sets: sets.all,
      starts: Int32Array.from(starts),
      columns: Int32Array.from(columns),
      reads: Int32Array.from(reads),
    },
  };
}

function readsByColumn(pairs: Int32Array): ReadonlyMap<number, readonly number[]> {
  const byColumn = new Map<number, number[]>();
  for (let at = 0; at < pairs.length; at += 2) {
    const column = pairs[at] ?? 0;
    const read = pairs[at + 1] ?? 0;
    const known = byColumn.get(column);
    if (known === undefined) byColumn.set(column, [read]);
    else known.push(read);
  }
  return byColumn;
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
