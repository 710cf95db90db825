// SPDX-License-Identifier: Apache-2.0
import { assertEquals, assertStringIncludes } from "@std/assert";
import fc from "fast-check";
import { PARAMETER } from "../../testing/convolution_case.ts";
import { keepsMeaning } from "../../testing/keeps_meaning.ts";
import { passedBody, ttnnModule } from "../../testing/passed_body.ts";
import { transposedFactors } from "./transposed_factors.ts";

interface Case {
  readonly order: readonly number[];
  readonly side: "a" | "b";
  readonly isTransposed: boolean;
  /** What is done to each number between the permute and the product. */
  readonly between: "nothing" | "scaled" | "divided" | "widened";
}

const NUMBER = [
  '%d = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device',
  '%n = "ttnn.full"(%d) <{fill_value = 5.000000e-01 : f32, shape = #ttnn.shape<1x1x1x1>}> : (!ttnn.device) -> T<1x1x1x1>',
];

/** Ops that make `%s` of `%0`, both of the extents `FACTOR`. */
const BETWEEN: Readonly<Record<Case["between"], readonly string[]>> = {
  nothing: [],
  scaled: [...NUMBER, '%s = "ttnn.multiply"(%n, %0) : (T<1x1x1x1>, T<FACTOR>) -> T<FACTOR>'],
  divided: [...NUMBER, '%s = "ttnn.divide"(%0, %n) : (T<FACTOR>, T<1x1x1x1>) -> T<FACTOR>'],
  widened: ['%s = "ttnn.typecast"(%0) : (T<FACTOR>) -> T<FACTOR, f32>'],
};

/** `[2, 3, 4, 5]` permuted, then a factor of a product whose other side fits. */
function product({ order, side, isTransposed, between }: Case, role: string = ""): string {
  const extents = [2, 3, 4, 5];
  const [first = 0, second = 0, third = 0, fourth = 0] = order.map((dim) => extents[dim] ?? 0);
  const [rows, columns] = isTransposed ? [fourth, third] : [third, fourth];
  const batch = `${first}x${second}`;
  const factor = `${batch}x${third}x${fourth}`;
  const other = side === "a" ? `${batch}x${columns}x7` : `${batch}x7x${rows}`;
  const result = side === "a" ? `${batch}x${rows}x7` : `${batch}x7x${columns}`;
  const made = between === "nothing" ? "%0" : "%s";
  const type = between === "widened" ? `T<${factor}, f32>` : `T<${factor}>`;
  const [left, right] = side === "a" ? [made, "%y"] : ["%y", made];
  const [leftType, rightType] = side === "a" ? [type, `T<${other}>`] : [`T<${other}>`, type];
  const flags = `transpose_a = ${side === "a" && isTransposed}, transpose_b = ${
    side === "b" && isTransposed
  }`;
  return ttnnModule(`(%x: T<2x3x4x5> ${role}, %y: T<${other}>) -> T<${result}>`, [
    `%0 = "ttnn.permute"(%x) <{permutation = array<i64: ${
      order.join(", ")
    }>}> : (T<2x3x4x5>) -> T<${factor}>`,
    ...BETWEEN[between].map((line) => line.replaceAll("FACTOR", factor)),
    `%1 = "ttnn.matmul"(${left}, ${right}) <{${flags}}> : (${leftType}, ${rightType}) -> T<${result}>`,
    `return %1 : T<${result}>`,
  ]);
}

const cases = fc.record({
  order: fc.shuffledSubarray([0, 1, 2, 3], { minLength: 4 }),
  side: fc.constantFrom("a" as const, "b" as const),
  isTransposed: fc.boolean(),
  between: fc.constantFrom("nothing" as const, "scaled" as const, "divided" as const, "widened" as const),
});

keepsMeaning(
  "factors are read transposed",
  [transposedFactors],
  cases.map((given) => ({ text: product(given), ops: ["matmul"] })),
  60,
);

Deno.test("keys permuted to columns are permuted to rows and read transposed", () => {
  const lines = passedBody(
    product({ order: [0, 2, 3, 1], side: "b", isTransposed: false, between: "nothing" }),
    transposedFactors,
  );
  assertEquals(lines.slice(0, 2).map((line) => /<\{(.*?)\}>/.exec(line)?.[1]), [
    "permutation = array<i64: 0, 2, 1, 3>",
    "transpose_a = false, transpose_b = true",
  ]);
});

Deno.test("keys that are scaled or converted behind their permute are read transposed as well", () => {
  for (const between of ["scaled", "divided", "widened"] as const) {
    const lines = passedBody(
      product({ order: [0, 2, 3, 1], side: "b", isTransposed: false, between }),
      transposedFactors,
    );
    const textOf = (name: string) => lines.find((line) => line.includes(`"ttnn.${name}"`)) ?? "";
    assertStringIncludes(textOf("permute"), "permutation = array<i64: 0, 2, 1, 3>", between);
    assertStringIncludes(textOf("matmul"), "transpose_b = true", between);
  }
});

Deno.test("rows that stay rows, and parameters, stay", () => {
  const stays = (given: Case, role?: string) =>
    passedBody(product(given, role), transposedFactors)[0]?.startsWith("%0 = ") === true;
  assertEquals(stays({ order: [0, 2, 1, 3], side: "b", isTransposed: false, between: "nothing" }), true);
  assertEquals(
    stays({ order: [0, 2, 3, 1], side: "b", isTransposed: false, between: "nothing" }, PARAMETER),
    true,
  );
});
