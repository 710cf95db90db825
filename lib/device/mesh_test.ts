// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { chipsAlong } from "./mesh.ts";

Deno.test("chipsAlong() takes the extent of the axis, or of the only axis with chips", () => {
  assertEquals([0, 1].map((axis) => chipsAlong([2, 4], axis)), [2, 4]);
  assertEquals(chipsAlong([1, 8], undefined), 8);
  assertEquals(chipsAlong([1, 8], 0), 1);
});

Deno.test("chipsAlong() does not guess where the graph says nothing", () => {
  assertEquals(chipsAlong([], undefined), "unknown");
  assertEquals(chipsAlong([], 1), "unknown");
  assertEquals(chipsAlong([2, 4], undefined), "unknown");
  assertEquals(chipsAlong([2, 4], 2), "unknown");
  assertEquals(chipsAlong([1, 1], undefined), "unknown");
});
