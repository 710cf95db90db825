// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { sameItems } from "./extents.ts";

Deno.test("sameItems() compares length, order and items, by identity unless told otherwise", () => {
  assertEquals(sameItems([], []), true);
  assertEquals(sameItems([1, 2], [1, 2]), true);
  assertEquals(sameItems([1, 2], [2, 1]), false);
  assertEquals(sameItems([1], [1, 2]), false);
  assertEquals(sameItems([1, undefined], [1, undefined]), true);
  assertEquals(sameItems([[1]], [[1]]), false);
  assertEquals(sameItems([[1]], [[1]], sameItems), true);
  assertEquals(sameItems([[1]], [[2]], (a, b) => sameItems(a, b)), false);
});
