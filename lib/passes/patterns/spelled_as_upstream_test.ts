// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { keepsMeaning } from "../testing/keeps_meaning.ts";
import { passedBody, ttnnModule } from "../testing/passed_body.ts";
import { explicateRanks, permuteFactors } from "./spelled_as_upstream.ts";

/** A tensor plus one of fewer dimensions. */
function sum(shape: string, addend: string): string {
  return ttnnModule(`(%x: T<${shape}>, %y: T<${addend}>) -> T<${shape}>`, [
    `%0 = "ttnn.add"(%x, %y) : (T<${shape}>, T<${addend}>) -> T<${shape}>`,
    `return %0 : T<${shape}>`,
  ]);
}

/** A product of which some factors are read transposed. */
function product(a: boolean, b: boolean, role: string = ""): string {
  const [left, right] = [a ? "2x4x3" : "2x3x4", b ? "2x5x4" : "2x4x5"];
  return ttnnModule(`(%x: T<${left}>, %y: T<${right}>${role}) -> T<2x3x5>`, [
    `%0 = "ttnn.matmul"(%x, %y) <{transpose_a = ${a}, transpose_b = ${b}}> : (T<${left}>, T<${right}>) -> T<2x3x5>`,
    "return %0 : T<2x3x5>",
  ]);
}

keepsMeaning(
  "operands of fewer dimensions",
  [explicateRanks],
  fc.constantFrom("4", "1", "3x4", "1x4").map((addend) => ({ text: sum("2x3x4", addend), ops: ["reshape"] })),
  10,
);

keepsMeaning(
  "transposed factors",
  [permuteFactors],
  fc.tuple(fc.boolean(), fc.boolean()).map(([a, b]) => ({
    text: product(a, b),
    ops: [a || b ? "permute" : "!permute"],
  })),
  8,
);

Deno.test("operands of as many dimensions stay", () => {
  assertEquals(passedBody(sum("2x3x4", "1x1x4"), explicateRanks).length, 2);
});

Deno.test("a parameter is not permuted in front of every product", () => {
  const role = " {ttcore.argument_type = #ttcore.argument_type<parameter>}";
  assertEquals(passedBody(product(false, true, role), permuteFactors).length, 2);
  assertEquals(passedBody(product(false, true), permuteFactors).length, 3);
});
