// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { splitTopLevel } from "./balanced.ts";

Deno.test("splitTopLevel() keeps what brackets and strings hold together", () => {
  assertEquals(splitTopLevel(`a, <b, [c]>, "d, \\" e", (f -> g)`, ","), [
    "a",
    "<b, [c]>",
    `"d, \\" e"`,
    "(f -> g)",
  ]);
});

Deno.test("splitTopLevel() of nothing has no parts, but an empty part behind a separator", () => {
  assertEquals(splitTopLevel("  ", ","), []);
  assertEquals(splitTopLevel("a,", ","), ["a", ""]);
});
