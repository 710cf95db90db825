// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { red } from "@std/fmt/colors";
import { wrapItem, wrapText } from "./wrap_text.ts";

Deno.test("wrapText breaks between words and behind arrows", () => {
  assertEquals(wrapText("one two three", 8), ["one two", "three"]);
  assertEquals(wrapText("from→to there", 8), ["from→to", "there"]);
});

Deno.test("wrapText breaks a layout that is too long behind its marks", () => {
  assertEquals(wrapText("l1/height_sharded/4x1", 12), ["l1/height_", "sharded/4x1"]);
});

Deno.test("wrapText loses nothing of a word without marks", () => {
  const word = "x".repeat(30);
  assertEquals(wrapText(word, 8).join(""), word);
});

Deno.test("wrapText() counts visible characters, not escape sequences", () => {
  assertEquals(wrapText(`one ${"\x1b[31mtwo\x1b[39m"}`, 8).length, 1);
  assertEquals(wrapText(`one ${red("two")} three`, 8).length, 2);
});

Deno.test("wrapItem() indents further lines like the text of a labelled line, an item and a plain line", () => {
  assertEquals(wrapItem("Slack      between the two", 22), ["Slack      between the", "           two"]);
  assertEquals(wrapItem("  - one two three", 11), ["  - one two", "    three"]);
  assertEquals(wrapItem("  2. one two three", 12), ["  2. one two", "     three"]);
  assertEquals(wrapItem("  one two three", 9), ["  one two", "  three"]);
  assertEquals(wrapItem("one two three", 8), ["one two", "three"]);
});

Deno.test("wrapItem takes a sign for part of the words", () => {
  assertEquals(wrapItem("-13.2 % of all", 9), ["-13.2 %", "of all"]);
});
