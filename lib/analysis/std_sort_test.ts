// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { stdSort } from "./std_sort.ts";

const less = (a: readonly [number, number], b: readonly [number, number]): boolean => a[0] < b[0];

Deno.test("stdSort() sorts, and loses nothing", () => {
  fc.assert(fc.property(fc.array(fc.nat(9), { maxLength: 200 }), (keys) => {
    const sorted = stdSort(keys.map((key, place) => [key, place] as const), less);
    assertEquals(sorted.map(([key]) => key), keys.toSorted((a, b) => a - b));
    assertEquals(sorted.map(([, place]) => place).toSorted((a, b) => a - b), keys.map((_, place) => place));
  }));
});

Deno.test("stdSort() leaves equal items in place in short lists, but not in long ones", () => {
  const equal = (length: number) => Array.from({ length }, (_, place) => [0, place] as const);
  assertEquals(stdSort(equal(16), less), equal(16));
  // What libstdc++ makes of 17 equal items.
  assertEquals(
    stdSort(equal(17), less).map(([, place]) => place),
    [8, 16, 15, 14, 13, 12, 11, 10, 9, 0, 7, 6, 5, 4, 3, 2, 1],
  );
});
