// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { keepsMeaning } from "../../testing/keeps_meaning.ts";
import { passedBody, ttnnModule } from "../../testing/passed_body.ts";
import { explicateRanks, permuteFactors, permuteSlices } from "./spelled_as_upstream.ts";

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

/** Parts of a permuted tensor; `beside` reads it whole as well. */
function parts(beside: boolean): string {
  const result = beside ? "(T<1x2x4>, T<1x2x2>, T<3x2x4>)" : "(T<1x2x4>, T<1x2x2>)";
  const slice = (begins: string, ends: string, step: string): string =>
    `<{begins = [${begins}], ends = [${ends}], step = [${step}]}>`;
  return ttnnModule(`(%x: T<3x4x2>) -> ${result}`, [
    '%0 = "ttnn.permute"(%x) <{permutation = array<i64: 0, 2, 1>}> : (T<3x4x2>) -> T<3x2x4>',
    `%1 = "ttnn.slice_static"(%0) ${
      slice("0 : i32, 0 : i32, 0 : i32", "1 : i32, 2 : i32, 4 : i32", "1 : i32, 1 : i32, 1 : i32")
    } : (T<3x2x4>) -> T<1x2x4>`,
    `%2 = "ttnn.slice_static"(%0) ${
      slice("2 : i32, 0 : i32, 1 : i32", "3 : i32, 2 : i32, 4 : i32", "1 : i32, 1 : i32, 2 : i32")
    } : (T<3x2x4>) -> T<1x2x2>`,
    beside ? `return %1, %2, %0 : ${result.slice(1, -1)}` : `return %1, %2 : ${result.slice(1, -1)}`,
  ]);
}

keepsMeaning(
  "parts of a permuted tensor",
  [permuteSlices],
  fc.constantFrom({ text: parts(false), ops: ["permute", "slice_static"] }),
  4,
);

Deno.test("every part is permuted by itself, unless the whole is read too", () => {
  const permutes = (text: string): number =>
    passedBody(text, permuteSlices).filter((line) => line.includes("ttnn.permute")).length;
  assertEquals([permutes(parts(false)), permutes(parts(true))], [2, 1]);
});
