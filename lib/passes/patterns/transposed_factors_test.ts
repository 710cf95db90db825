// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { PARAMETER } from "../testing/convolution_case.ts";
import { keepsMeaning } from "../testing/keeps_meaning.ts";
import { passedBody, ttnnModule } from "../testing/passed_body.ts";
import { transposedFactors } from "./transposed_factors.ts";

interface Case {
  readonly order: readonly number[];
  readonly side: "a" | "b";
  readonly isTransposed: boolean;
}

/** `[2, 3, 4, 5]` permuted, then a factor of a product whose other side fits. */
function product({ order, side, isTransposed }: Case, role: string = ""): string {
  const extents = [2, 3, 4, 5];
  const [first = 0, second = 0, third = 0, fourth = 0] = order.map((dim) => extents[dim] ?? 0);
  const [rows, columns] = isTransposed ? [fourth, third] : [third, fourth];
  const batch = `${first}x${second}`;
  const factor = `${batch}x${third}x${fourth}`;
  const other = side === "a" ? `${batch}x${columns}x7` : `${batch}x7x${rows}`;
  const result = side === "a" ? `${batch}x${rows}x7` : `${batch}x7x${columns}`;
  const [left, right] = side === "a" ? ["%0", "%y"] : ["%y", "%0"];
  const [leftType, rightType] = side === "a" ? [factor, other] : [other, factor];
  const flags = `transpose_a = ${side === "a" && isTransposed}, transpose_b = ${
    side === "b" && isTransposed
  }`;
  return ttnnModule(`(%x: T<2x3x4x5> ${role}, %y: T<${other}>) -> T<${result}>`, [
    `%0 = "ttnn.permute"(%x) <{permutation = array<i64: ${
      order.join(", ")
    }>}> : (T<2x3x4x5>) -> T<${factor}>`,
    `%1 = "ttnn.matmul"(${left}, ${right}) <{${flags}}> : (T<${leftType}>, T<${rightType}>) -> T<${result}>`,
    `return %1 : T<${result}>`,
  ]);
}

const cases = fc.record({
  order: fc.shuffledSubarray([0, 1, 2, 3], { minLength: 4 }),
  side: fc.constantFrom("a" as const, "b" as const),
  isTransposed: fc.boolean(),
});

keepsMeaning(
  "factors are read transposed",
  [transposedFactors],
  cases.map((given) => ({ text: product(given), ops: ["matmul"] })),
  60,
);

Deno.test("keys permuted to columns are permuted to rows and read transposed", () => {
  const lines = passedBody(
    product({ order: [0, 2, 3, 1], side: "b", isTransposed: false }),
    transposedFactors,
  );
  assertEquals(lines.slice(0, 2).map((line) => /<\{(.*?)\}>/.exec(line)?.[1]), [
    "permutation = array<i64: 0, 2, 1, 3>",
    "transpose_a = false, transpose_b = true",
  ]);
});

Deno.test("rows that stay rows, and parameters, stay", () => {
  const stays = (given: Case, role?: string) =>
    passedBody(product(given, role), transposedFactors)[0]?.startsWith("%0 = ") === true;
  assertEquals(stays({ order: [0, 2, 1, 3], side: "b", isTransposed: false }), true);
  assertEquals(stays({ order: [0, 2, 3, 1], side: "b", isTransposed: false }, PARAMETER), true);
});
