// SPDX-License-Identifier: Apache-2.0
import { assertEquals, assertStringIncludes } from "@std/assert";
import fc from "fast-check";
import { PARAMETER } from "../../testing/convolution_case.ts";
import { keepsMeaning } from "../../testing/keeps_meaning.ts";
import { passedBody, ttnnModule } from "../../testing/passed_body.ts";
import { transposedFactors, transposedProducts } from "./transposed_factors.ts";

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

/** Factors of which `[…columns, …rows]` are permuted and merged to rows and columns, behind a batch. */
function merged(
  batch: number,
  columns: readonly number[],
  rows: readonly number[],
  order?: readonly number[],
): string {
  const join = (extents: readonly number[]): string => `T<${extents.join("x")}>`;
  const size = (extents: readonly number[]): number =>
    extents.reduce((product, extent) => product * extent, 1);
  const source = [batch, ...columns, ...rows];
  const rotation = order ??
    [0, ...rows.map((_, at) => 1 + columns.length + at), ...columns.map((_, at) => 1 + at)];
  const permutedExtents = rotation.map((dim) => source[dim] ?? 0);
  const factor = [batch, size(rows), size(columns)];
  const [left, result] = [[batch, 3, size(rows)], [batch, 3, size(columns)]];
  return ttnnModule(`(%a: ${join(left)}, %x: ${join(source)}) -> ${join(result)}`, [
    `%0 = "ttnn.permute"(%x) <{permutation = array<i64: ${rotation.join(", ")}>}> : (${join(source)}) -> ${
      join(permutedExtents)
    }`,
    `%1 = "ttnn.reshape"(%0) <{shape = [${factor.map((extent) => `${extent} : i32`).join(", ")}]}> : (${
      join(permutedExtents)
    }) -> ${join(factor)}`,
    `%2 = "ttnn.matmul"(%a, %1) <{transpose_a = false, transpose_b = false}> : (${join(left)}, ${
      join(factor)
    }) -> ${join(result)}`,
    `return %2 : ${join(result)}`,
  ]);
}

const few = fc.array(fc.integer({ min: 2, max: 4 }), { minLength: 1, maxLength: 2 });

keepsMeaning(
  "factors whose dimensions were merged behind a permute are read transposed",
  [transposedFactors],
  fc.tuple(fc.integer({ min: 1, max: 2 }), few, few).map(([batch, columns, rows]) => ({
    text: merged(batch, columns, rows),
    ops: ["matmul", "!permute"],
  })),
);

Deno.test("factors whose dimensions were permuted otherwise before they were merged stay", () => {
  const isTransposed = (text: string) =>
    passedBody(text, transposedFactors).join().includes("transpose_b = true");
  assertEquals(isTransposed(merged(1, [2, 3], [4])), true);
  assertEquals(isTransposed(merged(1, [2, 3], [4], [0, 3, 2, 1])), false);
  assertEquals(isTransposed(merged(1, [2], [4, 3], [0, 3, 2, 1])), false);
});

/** Queries `[batch, positions, heads, group, size]` as columns of the products with the keys, per head. */
function grouped(batch: number, heads: number): string {
  const T = (...extents: readonly number[]): string => `T<${extents.join("x")}>`;
  const [source, permuted] = [T(batch, 3, heads, 2, 5), T(batch, heads, 5, 3, 2)];
  const [factor, keys, result] = [T(batch, heads, 5, 6), T(batch, heads, 7, 5), T(batch, heads, 7, 6)];
  return ttnnModule(`(%k: ${keys}, %q: ${source}) -> ${result}`, [
    `%0 = "ttnn.permute"(%q) <{permutation = array<i64: 0, 2, 4, 1, 3>}> : (${source}) -> ${permuted}`,
    `%1 = "ttnn.reshape"(%0) <{shape = [${batch} : i32, ${heads} : i32, 5 : i32, 6 : i32]}> : (${permuted}) -> ${factor}`,
    `%2 = "ttnn.matmul"(%k, %1) <{transpose_a = false, transpose_b = false}> : (${keys}, ${factor}) -> ${result}`,
    `return %2 : ${result}`,
  ]);
}

keepsMeaning(
  "queries of grouped heads are read transposed",
  [transposedFactors],
  fc.tuple(fc.integer({ min: 1, max: 2 }), fc.integer({ min: 1, max: 3 })).map(([batch, heads]) => ({
    text: grouped(batch, heads),
    ops: ["matmul", ...(heads === 1 ? ["!permute"] : [])],
  })),
);

Deno.test("heads of queries move before their positions, and the product reads the rows transposed", () => {
  const [permute, , matmul] = passedBody(grouped(2, 3), transposedFactors);
  assertStringIncludes(permute ?? "", "permutation = array<i64: 0, 2, 1, 3, 4>");
  assertStringIncludes(matmul ?? "", "transpose_b = true");
});

interface Product {
  readonly batch: number;
  /** Dimensions into which rows and columns are split. */
  readonly rows: readonly number[];
  readonly columns: readonly number[];
  readonly transposes: readonly [boolean, boolean];
  /** Which factors are parameters. */
  readonly roles: readonly [boolean, boolean];
  /** Whether columns stay behind rows. */
  readonly keepsOrder?: boolean;
  readonly isShared?: boolean;
}

/** A product whose rows and columns are split and permuted. */
function permutedProduct(
  { batch, rows, columns, transposes, roles, keepsOrder = false, isShared = false }: Product,
): string {
  const join = (extents: readonly number[]): string => `T<${extents.join("x")}>`;
  const size = (extents: readonly number[]): number =>
    extents.reduce((product, extent) => product * extent, 1);
  const pair = (first: number, second: number, isTransposed: boolean): string =>
    join([batch, ...(isTransposed ? [second, first] : [first, second])]);
  const a = pair(size(rows), 3, transposes[0]);
  const b = pair(3, size(columns), transposes[1]);
  const product = join([batch, size(rows), size(columns)]);
  const split = [batch, ...rows, ...columns];
  const behind = columns.map((_, at) => 1 + rows.length + at);
  const order = keepsOrder
    ? [...rows.map((_, at) => 1 + at), 0, ...behind]
    : [0, ...behind, ...rows.map((_, at) => 1 + at)];
  const result = order.map((dim) => split[dim] ?? 0);
  const [first, second] = roles.map((isParameter) => isParameter ? ` ${PARAMETER}` : "");
  const results = isShared ? `${join(result)}, ${product}` : join(result);
  return ttnnModule(`(%a: ${a}${first}, %b: ${b}${second}) -> (${results})`, [
    `%0 = "ttnn.matmul"(%a, %b) <{transpose_a = ${transposes[0]}, transpose_b = ${
      transposes[1]
    }}> : (${a}, ${b}) -> ${product}`,
    `%1 = "ttnn.reshape"(%0) <{shape = [${
      split.map((extent) => `${extent} : i32`).join(", ")
    }]}> : (${product}) -> ${join(split)}`,
    `%2 = "ttnn.permute"(%1) <{permutation = array<i64: ${order.join(", ")}>}> : (${join(split)}) -> ${
      join(result)
    }`,
    `return %2${isShared ? ", %0" : ""} : ${results}`,
  ]);
}

keepsMeaning(
  "products whose rows become columns",
  [transposedProducts],
  fc.record({
    batch: fc.integer({ min: 1, max: 2 }),
    rows: few,
    columns: few,
    transposes: fc.tuple(fc.boolean(), fc.constant(true)),
    roles: fc.tuple(fc.constant(true), fc.boolean()),
  }).map((given) => ({ text: permutedProduct(given), ops: ["matmul", "!permute"] })),
);

Deno.test("products that are read themselves, keep their columns, or would be read transposed more often stay", () => {
  const plain: Product = {
    batch: 1,
    rows: [4],
    columns: [2, 3],
    transposes: [false, true],
    roles: [true, false],
  };
  const isSwapped = (given: Partial<Product>): boolean => {
    const text = permutedProduct({ ...plain, ...given });
    return passedBody(text, transposedProducts).some((line) => line.includes('"ttnn.matmul"(%b, %a)'));
  };
  assertEquals(isSwapped({}), true);
  assertEquals(isSwapped({ roles: [false, false] }), true);
  assertEquals(isSwapped({ transposes: [false, false] }), false);
  assertEquals(isSwapped({ roles: [false, false], transposes: [false, false] }), false);
  assertEquals(isSwapped({ keepsOrder: true }), false);
  assertEquals(isSwapped({ rows: [1] }), false);
  assertEquals(isSwapped({ isShared: true }), false);
});
