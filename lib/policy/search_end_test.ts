// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { endsSearch, enoughBehindBound, isClose } from "./search_end.ts";
import { SMALL_OPS } from "./search_limits.ts";

Deno.test("a search ends at its bound, that of a long function as soon as it is close", () => {
  assertEquals(endsSearch(SMALL_OPS, 100, 100), true);
  assertEquals(endsSearch(SMALL_OPS, 100.1, 100), false);
  assertEquals(endsSearch(SMALL_OPS + 1, 100.1, 100), true);
  assertEquals(endsSearch(SMALL_OPS + 1, 100.3, 100), false);
});

Deno.test("a plan is close to its bound up to 0.2 % above it", () => {
  assertEquals([100.19, 100.21].map((us) => isClose(SMALL_OPS, us, 100)), [true, false]);
});

Deno.test("of very long functions alone the assignment behind the bound may be enough", () => {
  assertEquals([SMALL_OPS + 1, 2000, 2001].map(enoughBehindBound), [undefined, undefined, 2e-3]);
});
