// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { endsSearch, isTooGoodForChains, THOROUGH_OPS } from "./search_end.ts";

Deno.test("a search ends at its bound, that of a long function a thousandth above it", () => {
  assertEquals(endsSearch(THOROUGH_OPS, 100, 100), true);
  assertEquals(endsSearch(THOROUGH_OPS, 100.05, 100), false);
  assertEquals(endsSearch(THOROUGH_OPS + 1, 100.05, 100), true);
  assertEquals(endsSearch(THOROUGH_OPS + 1, 100.2, 100), false);
});

Deno.test("chains are left out one percent above the bound", () => {
  assertEquals(isTooGoodForChains(100.9, 100), true);
  assertEquals(isTooGoodForChains(101.1, 100), false);
});
