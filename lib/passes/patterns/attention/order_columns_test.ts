// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { keepsMeaning } from "../../testing/keeps_meaning.ts";
import { passedBody, ttnnModule } from "../../testing/passed_body.ts";
import { orderColumns } from "./order_columns.ts";

interface Heads {
  readonly batch: number;
  readonly rows: number;
  readonly heads: number;
  /** Columns of each part of a head. */
  readonly parts: readonly number[];
  /** Parts as a dimension of their own, all of one size, before the columns of a part or behind them. */
  readonly isApart: boolean;
  readonly isLast?: boolean;
  /** Whether a dimension of one element stands between heads and their columns. */
  readonly hasOne?: boolean;
  /** Whether they are cut in f32. */
  readonly isWide?: boolean;
  readonly isTransposed: boolean;
  readonly hasBias: boolean;
  readonly role: "parameter" | "input";
}

/** A product whose columns lie head by head, the parts of all heads cut out of it. */
function headed(
  {
    batch,
    rows,
    heads,
    parts,
    isApart,
    isLast = false,
    hasOne = false,
    isWide = false,
    isTransposed,
    hasBias,
    role,
  }: Heads,
): string {
  const size = parts[0] ?? 1;
  const own = parts.reduce((sum, part) => sum + part, 0);
  const width = heads * own;
  const flat = batch * rows;
  const type = (extents: readonly number[]): string => `T<${extents.join("x")}>`;
  const cutType = (extents: readonly number[]): string =>
    isWide ? `T<${extents.join("x")}, f32>` : type(extents);
  const list = (extents: readonly number[]): string => extents.map((extent) => `${extent} : i32`).join(", ");
  const seen = [
    batch,
    rows,
    heads,
    ...(hasOne ? [1] : []),
    ...(!isApart ? [own] : isLast ? [size, parts.length] : [parts.length, size]),
  ];
  const dim = hasOne || (isApart && isLast) ? 4 : 3;
  const [x, w, b, y] = [[flat, 2], isTransposed ? [width, 2] : [2, width], [width], [flat, width]].map(type);
  let from = 0;
  const cuts = parts.map((part, index) => {
    const to = from + (isApart ? 1 : part);
    const cut = seen.with(dim, to - from);
    const text = `%s${index} = "ttnn.slice_static"(%v) <{begins = [${
      list(seen.map(() => 0).with(dim, from))
    }], ends = [${list(seen.with(dim, to))}], step = [${list(seen.map(() => 1))}]}> : (${cutType(seen)}) -> ${
      cutType(cut)
    }`;
    from = to;
    return { text, type: cutType(cut) };
  });
  const attribute = `{ttcore.argument_type = #ttcore.argument_type<${role}>}`;
  const results = cuts.map((cut) => cut.type).join(", ");
  const properties = `<{transpose_a = false, transpose_b = ${isTransposed}}>`;
  return ttnnModule(`(%x: ${x}, %w: ${w} ${attribute}, %b: ${b} ${attribute}) -> (${results})`, [
    hasBias
      ? `%p = "ttnn.linear"(%x, %w, %b) ${properties} : (${x}, ${w}, ${b}) -> ${y}`
      : `%p = "ttnn.matmul"(%x, %w) ${properties} : (${x}, ${w}) -> ${y}`,
    ...isWide ? [`%f = "ttnn.typecast"(%p) : (${y}) -> ${cutType([flat, width])}`] : [],
    `%v = "ttnn.reshape"(${isWide ? "%f" : "%p"}) <{shape = [${list(seen)}]}> : (${
      cutType([flat, width])
    }) -> ${cutType(seen)}`,
    ...cuts.map(({ text }) => text),
    `return ${cuts.map((_, index) => `%s${index}`).join(", ")} : ${results}`,
  ]);
}

const small = fc.integer({ min: 1, max: 3 });

keepsMeaning(
  "columns of heads put in order",
  [orderColumns],
  fc.record({
    batch: small,
    rows: small,
    heads: fc.integer({ min: 2, max: 3 }),
    sizes: fc.array(small, { minLength: 2, maxLength: 3 }),
    isApart: fc.boolean(),
    isLast: fc.boolean(),
    isWide: fc.boolean(),
    isTransposed: fc.boolean(),
    hasBias: fc.boolean(),
  }).map(({ sizes, isApart, ...rest }) => ({
    text: headed({
      ...rest,
      isApart,
      parts: isApart ? sizes.map(() => sizes[0] ?? 1) : sizes,
      role: "parameter",
    }),
    ops: ["concat"],
  })),
);

const HEADS: Heads = {
  batch: 2,
  rows: 96,
  heads: 16,
  parts: [64, 64, 64],
  isApart: true,
  isTransposed: false,
  hasBias: true,
  role: "parameter",
};

/** What is cut out of tensors of all rows. */
function cutsOfRows(text: string): readonly string[] {
  return passedBody(text, orderColumns).filter((line) =>
    line.includes("slice_static") && line.includes("<192x")
  )
    .map((line) => line.replace(/.* : /, ""));
}

Deno.test("query, key and value of all heads are whole columns of the product", () => {
  for (const isApart of [true, false]) {
    const cut = "(tensor<192x3072xbf16>) -> tensor<192x1024xbf16>";
    assertEquals(cutsOfRows(headed({ ...HEADS, isApart })), [cut, cut, cut]);
  }
});

Deno.test("each number of the pairs of all heads is whole columns of the product, also where they are widened", () => {
  const cut = "(tensor<192x2048xbf16>) -> tensor<192x1024xbf16>";
  for (const isWide of [true, false]) {
    assertEquals(cutsOfRows(headed({ ...HEADS, parts: [64, 64], isLast: true, isWide })), [cut, cut]);
  }
});

Deno.test("non-parameters, parts already in order, and incomplete parts stay", () => {
  const ordered = (text: string): boolean => cutsOfRows(text).length > 0;
  assertEquals(ordered(headed({ ...HEADS, role: "input" })), false);
  assertEquals(ordered(headed({ ...HEADS, heads: 1 })), false);
  const behindOne = { ...HEADS, isApart: false, hasOne: true };
  assertEquals(ordered(headed({ ...behindOne, parts: [16, 48] })), true);
  assertEquals(ordered(headed({ ...behindOne, parts: [32, 32] })), false);
  const two = headed(HEADS).replace(", %s2 :", " :").replace(
    /-> \((.*?), tensor<2x96x16x1x64x[^>]*>\) \{/,
    "-> ($1) {",
  );
  assertEquals(
    ordered(two.replace(/, tensor<2x96x16x1x64[^>]*>\n/, "\n").replace(/.*%s2 = .*\n/, "")),
    false,
  );
});
