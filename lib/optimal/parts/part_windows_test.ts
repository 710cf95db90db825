// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { idAt, type OpId } from "../../graph/graph.ts";
import { partWindows } from "./part_windows.ts";

/** Parts by the ids of their ops, the first of which also belongs to the part before. */
function kinds(
  ...parts: readonly (readonly (readonly number[])[])[]
): readonly (readonly (readonly OpId[])[])[] {
  return parts.map((alike) => alike.map((ops) => ops.map((op) => idAt<OpId>(op))));
}

Deno.test("a window has one part of each kind that layers repeat in turn, between two others", () => {
  const attention = [[0, 1, 2], [4, 5, 6], [8, 9, 10], [12, 13, 14]];
  const feedForward = [[2, 3, 4], [6, 7, 8], [10, 11, 12], [14, 15, 16]];
  const [window, ...others] = partWindows(kinds(attention, feedForward), 100);
  assertEquals(window?.ops.map(Number), [6, 7, 8, 9, 10, 11, 12, 13, 14]);
  assertEquals(window?.inner, [{ kind: 0, place: 2 }, { kind: 1, place: 2 }]);
  assertEquals(others, []);
});

Deno.test("no window is longer than it may be, nor leads over ops that are in no part", () => {
  const together = [[0, 1, 2], [2, 3, 4], [4, 5, 6], [6, 7, 8]];
  const [window] = partWindows(kinds(together), 7);
  assertEquals(window?.ops.map(Number), [2, 3, 4, 5, 6, 7, 8]);
  assertEquals(partWindows(kinds(together), 6), []);
  assertEquals(partWindows(kinds([[0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10, 11]]), 100), []);
});

Deno.test("without a part on either side there is no window", () => {
  assertEquals(partWindows(kinds([[0, 1, 2], [2, 3, 4]]), 100), []);
});
