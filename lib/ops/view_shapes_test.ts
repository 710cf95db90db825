// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { permutationKeepsPages } from "./view_shapes.ts";

// The shape that ttnn 0.81.1 asks for stays the same too: 2x1 that become 1x2 are a transpose of their own.
Deno.test("a permutation moves no page where only extents of 1 change places and tiles stay whole", () => {
  const keeps = (shape: readonly number[], order: readonly number[], tiled = true) =>
    permutationKeepsPages(shape, order, tiled);
  assertEquals(keeps([1, 1, 64, 32], [1, 0, 2, 3]), true);
  assertEquals(keeps([2, 1, 64, 32], [1, 0, 2, 3]), false);
  assertEquals(keeps([2, 3, 64, 32], [1, 0, 2, 3]), false);
  assertEquals(keeps([1, 2, 1, 32], [2, 1, 0, 3], false), true);
  assertEquals(keeps([1, 2, 1, 32], [2, 1, 0, 3], true), false);
  assertEquals(keeps([1, 2048, 1, 1], [0, 1, 3, 2], false), true);
  assertEquals(keeps([2, 64, 32], [0, 2, 1]), false);
  assertEquals(keeps([5], [0]), true);
});
