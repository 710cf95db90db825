// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { permutationKeepsPages } from "./view_shapes.ts";

Deno.test("a permutation moves no page where only extents of 1 move and the dimensions of a page stay", () => {
  const keeps = (shape: readonly number[], order: readonly number[], tiled = true) =>
    permutationKeepsPages(shape, order, tiled);
  assertEquals(keeps([2, 1, 64, 32], [1, 0, 2, 3]), true);
  assertEquals(keeps([2, 3, 64, 32], [1, 0, 2, 3]), false);
  // Pages of rows are the last dimension alone, tiles the last two.
  assertEquals(keeps([1, 2, 1, 32], [0, 2, 1, 3], false), true);
  assertEquals(keeps([1, 2, 1, 32], [0, 2, 1, 3], true), false);
  assertEquals(keeps([2, 64, 32], [0, 2, 1]), false);
  assertEquals(keeps([5], [0]), true);
});
