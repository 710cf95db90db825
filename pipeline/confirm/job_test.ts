// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { mockBoardOf } from "./job.ts";

Deno.test("a program runs on a machine with its chips, a program for one chip on a board of one", () => {
  assertEquals(
    [["n300", 1], ["n300", 2], ["p150x4", 1], ["p150x4", 2], ["p150x4", 4], ["p150-13x10", 1]].map((
      [device, chips],
    ) => mockBoardOf(`${device}`, Number(chips))),
    ["n150", "n300", "p150", "p150x4", "p150x4", "p150-13x10"],
  );
  assertEquals([mockBoardOf("n150", 2), mockBoardOf("t3000", 8), mockBoardOf("p150x4", 8)], [
    undefined,
    undefined,
    undefined,
  ]);
});
