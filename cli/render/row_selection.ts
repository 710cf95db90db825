// SPDX-License-Identifier: Apache-2.0

/** Grouping of rows (`--group-by`). */
export type Grouping = "op" | "memory" | "category" | "bound";

/** Every {@linkcode Grouping}. */
export const GROUPINGS: readonly Grouping[] = ["op", "memory", "category", "bound"];

/** Selection and order of the rows of a per-op table. */
export interface RowSelection {
  /** First and last op id to show (`--id-range`); `undefined` for an open end. */
  readonly idRange: readonly [number | undefined, number | undefined] | undefined;
  /** Rows below this share of the total, in per cent, are dimmed (`--min-percentage`). */
  readonly minPercentage: number;
  /** Number of longest rows to show; infinite for all. */
  readonly top: number;
  /** Order of the rows. */
  readonly sort: "id" | "time";
  /** Grouping of rows; `undefined` for single ops. */
  readonly groupBy: Grouping | undefined;
}

/** Message for a program without rows. */
export const NOTHING_RUNS: string =
  "No op runs in an inference: the results are arguments or computed at load, and unused " +
  "TTIR ops are dropped.";

/** All rows, in execution order. */
export const ALL_ROWS: RowSelection = {
  idRange: undefined,
  minPercentage: 0.5,
  top: Infinity,
  sort: "id",
  groupBy: undefined,
};

/**
 * The rows of a selection, in its order.
 *
 * @param idOf op of a row
 * @param usOf time of a row, in µs
 */
export function selectRows<Row>(
  rows: readonly Row[],
  { idRange, top, sort }: Pick<RowSelection, "idRange" | "top" | "sort">,
  idOf: (row: Row) => number,
  usOf: (row: Row) => number,
): readonly Row[] {
  const [first = 0, last = Infinity] = idRange ?? [];
  const inRange = rows.filter((row) => idOf(row) >= first && idOf(row) <= last);
  const longest = inRange.toSorted((a, b) => usOf(b) - usOf(a));
  if (sort === "time") return longest.slice(0, top);
  if (top === Infinity) return inRange;
  const kept = new Set(longest.slice(0, top));
  return inRange.filter((row) => kept.has(row));
}

/** Rows that are counted together. */
export interface CountedRows<Row> {
  readonly name: string;
  readonly rows: readonly Row[];
  /** Sum in µs. */
  readonly us: number;
}

/** Rows by their common name, largest group first, then by name. */
export function groupRows<Row>(
  rows: readonly Row[],
  nameOf: (row: Row) => string,
  usOf: (row: Row) => number,
): readonly CountedRows<Row>[] {
  return [...Map.groupBy(rows, nameOf)]
    .map(([name, members]) => ({ name, rows: members, us: members.reduce((sum, row) => sum + usOf(row), 0) }))
    .sort((a, b) => b.us - a.us || (a.name < b.name ? -1 : 1));
}

/** An op with the memories of its operands, `matmul (in0:dram/interleaved, in1:l1/block)`; `""` is no tensor. */
export function withMemories(name: string, layouts: readonly string[]): string {
  const memories = layouts.flatMap((layout, operand) =>
    layout === "" ? [] : [`in${operand}:${layout.replace(/\/\d.*$/, "")}`]
  );
  return memories.length === 0 ? name : `${name} (${memories.join(", ")})`;
}
