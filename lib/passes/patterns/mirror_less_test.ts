// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { keepsMeaning } from "../testing/keeps_meaning.ts";
import { passedBody, ttnnModule } from "../testing/passed_body.ts";
import { mirrorLess } from "./mirror_less.ts";

/** A comparison of a tensor with a column. */
function comparison(op: string, width: number): string {
  return ttnnModule(`(%x: T<2x${width}>, %y: T<2x1>) -> T<2x${width}>`, [
    `%0 = "ttnn.${op}"(%x, %y) : (T<2x${width}>, T<2x1>) -> T<2x${width}>`,
    `return %0 : T<2x${width}>`,
  ]);
}

keepsMeaning(
  "comparisons the other way round",
  [mirrorLess],
  fc.record({ op: fc.constantFrom("le" as const, "lt" as const), width: fc.integer({ min: 1, max: 8 }) })
    .map(({ op, width }) => ({ text: comparison(op, width), ops: [{ le: "ge", lt: "gt" }[op], `!${op}`] })),
  12,
);

Deno.test("only comparisons for less change", () => {
  const names = ["eq", "ne", "ge", "gt", "le", "lt"].map((op) =>
    passedBody(comparison(op, 4), mirrorLess)[0]?.match(/ttnn\.(\w+)/)?.[1]
  );
  assertEquals(names, ["eq", "ne", "ge", "gt", "ge", "gt"]);
});
