// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { regroupedExtents } from "./view_sources.ts";

Deno.test("a broadcast operand has extent one or the full extent in every split or merged dimension", () => {
  const image = [1, 256, 1280, 720];
  const groups = [1, 32, 8, 921600];
  assertEquals(regroupedExtents([1, 32, 8, 1], groups, image), [1, 256, 1, 1]);
  assertEquals(regroupedExtents([1], groups, image), [1, 1, 1, 1]);
  assertEquals(regroupedExtents([921600], groups, image), [1, 1, 1280, 720]);
  assertEquals(regroupedExtents([1, 256, 1, 1], image, groups), [1, 32, 8, 1]);
  // A number per group is not whole in the channels, a row not in the pixels.
  assertEquals(regroupedExtents([1, 32, 1, 1], groups, image), undefined);
  assertEquals(regroupedExtents([1, 1, 1280, 1], image, groups), undefined);
  assertEquals(regroupedExtents([2, 3], [2, 3], [2, 4]), undefined);
});

Deno.test("extents of one do not prevent regrouping", () => {
  assertEquals(regroupedExtents([1, 3], [1, 2, 1, 3], [2, 3]), [1, 3]);
  assertEquals(regroupedExtents([2, 1], [2, 3], [1, 2, 1, 3, 1]), [1, 2, 1, 1, 1]);
});
