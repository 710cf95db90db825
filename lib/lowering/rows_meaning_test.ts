// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { volume } from "../layout/extents.ts";
import { i64s, keepsMeaning, single, type } from "./testing/keeps_meaning.ts";

/** Indexed rows of one to three dimensions in windows, for each batch its own or the same. */
const tables = fc.record({
  batch: fc.integer({ min: 1, max: 3 }),
  width: fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 2 }),
  axes: fc.array(
    fc.record({ size: fc.integer({ min: 2, max: 4 }), window: fc.integer({ min: 1, max: 2 }) }),
    { minLength: 1, maxLength: 3 },
  ),
  count: fc.integer({ min: 1, max: 4 }),
  isShared: fc.boolean(),
  column: fc.boolean(),
  /** Whether the elements of a table by columns lie in the dimensions of the indices. */
  isUnfolded: fc.boolean(),
  element: fc.constantFrom("f32", "bf16", "si32"),
}).map(({ axes, ...table }) => ({
  ...table,
  sizes: axes.map(({ size }) => size),
  windows: axes.map(({ window }) => window),
}));

/** Texts of the table, its indices, and the rows that these name. */
function typesOf({ batch, width, sizes, windows, count, isShared, column, isUnfolded, element }: Table) {
  const rows = volume(sizes);
  const named = count * volume(windows);
  return {
    table: type(
      !column ? [batch, rows, ...width] : [batch, ...isUnfolded && sizes.length > 1 ? sizes : [1, rows]],
      element,
    ),
    indices: type([isShared ? 1 : batch, sizes.length, count], "si32"),
    rows: type(column ? [batch, named] : [batch, named, ...width], element),
    places: [`column = ${column}`, `sizes = ${i64s(sizes)}`, `windows = ${i64s(windows)}`],
  };
}

type Table = typeof tables extends fc.Arbitrary<infer T> ? T : never;

// Indices of up to 5 lie outside of tables of 2 to 4.
keepsMeaning(
  "gathers of indexed rows, from outside as well",
  tables.map((table) => {
    const { table: source, indices, rows, places } = typesOf(table);
    const properties = [...places, "fill_out_of_bounds = false"];
    return { text: single("rows_gather", [source, indices], [rows], properties), limit: 6 };
  }),
);

keepsMeaning(
  "scatters of indexed rows, not to rows outside",
  fc.record({
    table: tables,
    reduce: fc.constantFrom("invalid", "sum"),
  }).map(({ table, reduce }) => {
    const { table: source, indices, rows, places } = typesOf(table);
    const properties = [...places, `reduce = #ttcore.reduce_type<${reduce}>`];
    return { text: single("rows_scatter", [source, indices, rows], [source], properties), limit: 6 };
  }),
);
