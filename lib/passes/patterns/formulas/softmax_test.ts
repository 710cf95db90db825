// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { assertEquals } from "@std/assert";
import { DEFAULT_PASS_OPTIONS } from "../../pass_options.ts";
import type { PassTools } from "../../run_passes.ts";
import { keepsMeaning, type PassCase } from "../../testing/keeps_meaning.ts";
import { passedBody, ttnnModule } from "../../testing/passed_body.ts";
import { spellOutSoftmax } from "./softmax.ts";

/** Prices at which the kernel takes longer than its formula, or as long. */
const priced = (softmax: number): PassTools => ({
  microseconds: ({ name }) => name === "ttnn.softmax" ? softmax : 1,
});

function rows(dim: number, isStable: boolean, element: string): string {
  const type = element === "bf16" ? "T<2x3x4>" : `T<2x3x4, ${element}>`;
  return ttnnModule(`(%x: ${type}) -> ${type}`, [
    `%r = "ttnn.softmax"(%x) <{dimension = ${dim} : si32, numericStable = ${isStable}}> : (${type}) -> ${type}`,
    `return %r : ${type}`,
  ]);
}

keepsMeaning(
  "softmax over few long rows",
  [spellOutSoftmax],
  fc.record({ dim: fc.integer({ min: -3, max: 2 }), isStable: fc.boolean() }).map((
    { dim, isStable },
  ): PassCase => ({
    text: rows(dim, isStable, "f32"),
    ops: ["exp", "sum", "divide", isStable ? "max" : "!max", "!softmax"],
  })),
  12,
  priced(6),
);

Deno.test("a softmax over a dimension that its rows do not have stays: what does not run is no fault of a pass", () => {
  for (const dim of [3, -4]) {
    const body = passedBody(rows(dim, true, "f32"), spellOutSoftmax, DEFAULT_PASS_OPTIONS, priced(6));
    assertEquals(body.some((line) => line.includes("ttnn.softmax")), true);
  }
});

Deno.test("a softmax stays where its formula is no faster, or less than twice as fast in formats of fewer bits", () => {
  const stays = (element: string, softmax: number) =>
    passedBody(rows(2, true, element), spellOutSoftmax, DEFAULT_PASS_OPTIONS, priced(softmax))
      .some((line) => line.includes("ttnn.softmax"));
  assertEquals([stays("f32", 5), stays("f32", 6)], [true, false]);
  assertEquals([stays("bf16", 14), stays("bf16", 15)], [true, false]);
});
