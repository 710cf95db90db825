// SPDX-License-Identifier: Apache-2.0

import { assertEquals } from "@std/assert";
import { Cell, Table } from "@cliffy/table";

/** Whole tables as text: `|` marks where each line ends, since trailing spaces are part of the look. */
function shown(table: { toString(): string }): string {
  return "\n" + table.toString().split("\n").map((line) => `${line}|`).join("\n") + "\n";
}

Deno.test("Table pads columns and leaves one space between them", () => {
  assertEquals(
    shown(new Table().header(["op", "µs"]).body([["matmul", 12], ["add", 3.5]])),
    `
op     µs |
matmul 12 |
add    3.5|
`,
  );
});

Deno.test("Table aligns body columns but leaves the header left", () => {
  assertEquals(
    shown(
      Table.from([["a", 1], ["bb", 100]]).header(["name", "n"]).columns([{}, { align: "right" }]).padding(2),
    ),
    `
name  n  |
a       1|
bb    100|
`,
  );
});

Deno.test("Table lets a cell span columns", () => {
  assertEquals(
    shown(
      Table.from([["a", "b"], [new Cell("both").colSpan(2).align("center")]]).header(["x", "yyyyyy"]),
    ),
    `
x yyyyyy|
a b     |
  both   |
`,
  );
});

Deno.test("Table leaves what fits as it is, runs of spaces and spaces at the ends included", () => {
  assertEquals(
    shown(new Table().body([["  two  spaces ", "1 µs"], ["", "x"]]).columns([{ maxWidth: 14 }])),
    `
  two  spaces  1 µs|
               x   |
`,
  );
});

Deno.test("Table wraps between words, then inside them", () => {
  assertEquals(
    shown(Table.from([["one two three", "abcdefgh"]]).maxColWidth([7, 5]).indent(1)),
    `
 one two abcde|
 three   fgh  |
`,
  );
});

Deno.test("Table counts neither styles nor missing width, wide characters twice", () => {
  assertEquals(
    shown(Table.from([["\x1b[31mred\x1b[39m", 1], ["日本", 2]])),
    `
\x1b[31mred\x1b[39m  1|
日本 2|
`,
  );
});

Deno.test("Table closes styles at the end of a wrapped line and opens them again", () => {
  assertEquals(
    shown(Table.from([["\x1b[31mred hot\x1b[39m"]]).maxColWidth(4)),
    `
\x1b[31mred\x1b[39m|
\x1b[31mhot\x1b[39m|
`,
  );
});

Deno.test("Table closes each style by its own code, the last one first", () => {
  assertEquals(
    shown(Table.from([["\x1b[1m\x1b[31ma \x1b[32mb\x1b[39m c\x1b[22m"]]).maxColWidth(2)),
    `
\x1b[1m\x1b[31ma\x1b[39m\x1b[22m|
\x1b[1m\x1b[31m\x1b[32mb\x1b[39m\x1b[22m|
\x1b[1mc\x1b[22m|
`,
  );
});

Deno.test("Table without rows is empty", () => {
  assertEquals(new Table().toString(), "");
});
