// SPDX-License-Identifier: Apache-2.0

import { assertEquals } from "@std/assert";
import { Cell, type ColumnOptions, type RowType, Table } from "@cliffy/table";

/** A whole table as text: `|` marks where each line ends, since trailing spaces are part of the look. */
function shown(rows: readonly RowType[], columns: ColumnOptions[] = [], padding = 1, indent = 0): string {
  const table = new Table<RowType>().columns(columns).padding(padding).indent(indent);
  table.push(...rows);
  return "\n" + table.toString().split("\n").map((line) => `${line}|`).join("\n") + "\n";
}

Deno.test("Table pads columns and leaves the space asked for between them", () => {
  assertEquals(
    shown([["op", "µs"], ["matmul", 12], ["add", 3.5]]),
    `
op     µs |
matmul 12 |
add    3.5|
`,
  );
  assertEquals(
    shown([["a", 1]], [{ minWidth: 3 }], 2),
    `
a    1|
`,
  );
});

Deno.test("Table lets a cell span columns", () => {
  assertEquals(
    shown([["x", "yyyyyy"], [new Cell("both").colSpan(2)]], [], 2),
    `
x  yyyyyy|
both       |
`,
  );
});

Deno.test("Table leaves what fits as it is, runs of spaces and spaces at the ends included", () => {
  assertEquals(
    shown([["  two  spaces ", "1 µs"], ["", "x"]], [{ maxWidth: 14 }]),
    `
  two  spaces  1 µs|
               x   |
`,
  );
});

Deno.test("Table wraps between words, then inside them", () => {
  assertEquals(
    shown([["one two three", "abcdefgh"]], [{ maxWidth: 7 }, { maxWidth: 5 }], 1, 1),
    `
 one two abcde|
 three   fgh  |
`,
  );
});

Deno.test("Table counts wide characters twice", () => {
  assertEquals(
    shown([["red", 1], ["日本", 2]]),
    `
red  1|
日本 2|
`,
  );
});

Deno.test("Table without rows is empty", () => {
  assertEquals(new Table().toString(), "");
});
