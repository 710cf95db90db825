// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { keepsMeaning } from "../../testing/keeps_meaning.ts";
import { passedBody, ttnnModule } from "../../testing/passed_body.ts";
import { pairsInProduct } from "./pairs_in_product.ts";

type Extents = readonly number[];

interface Scores {
  readonly heads: number;
  readonly positions: number;
  readonly pairs: number;
  /** Numbers of a pair; of the keys as well, unless told. */
  readonly stacked: number;
  readonly keysStacked?: number;
  /** What stands between keys in pairs and the product. */
  readonly between: "nothing" | "scaled" | "regrouped" | "rows" | "columns";
  /** Whether pairs are merged together with heads and positions, and nothing stands between. */
  readonly mergesRows?: boolean;
  /** Whether keys are returned too. */
  readonly returnsKeys?: boolean;
  /** Whether the product sums over positions of the keys, not columns. */
  readonly sumsPositions?: boolean;
}

const type = (extents: Extents): string => `T<${extents.join("x")}>`;
const list = (extents: Extents): string => `[${extents.map((extent) => `${extent} : i32`).join(", ")}]`;

/** Queries and keys in pairs, and the product of both. */
function scores(
  {
    heads,
    positions,
    pairs,
    stacked,
    keysStacked = stacked,
    between,
    mergesRows,
    returnsKeys,
    sumsPositions,
  }: Scores,
): string {
  const columns = pairs * stacked;
  const given = [heads, positions, columns];
  const whole = mergesRows === true ? [heads * positions, columns] : given;
  const side = (name: string, count: number): readonly string[] => {
    const part = [heads, positions, columns / count, 1];
    const parts = Array.from({ length: count }, (_, at) => `%${name}${at}`);
    const cut = [heads, positions, columns / count];
    return [
      ...parts.flatMap((made, at) => [
        `${made}s = "ttnn.slice_static"(%${name}) <{begins = ${list([0, 0, at * columns / count])}, ends = ${
          list([heads, positions, (at + 1) * columns / count])
        }, step = ${list([1, 1, 1])}}> : (${type(given)}) -> ${type(cut)}`,
        `${made} = "ttnn.reshape"(${made}s) <{shape = ${list(part)}}> : (${type(cut)}) -> ${type(part)}`,
      ]),
      `%${name}c = "ttnn.concat"(${parts.join(", ")}) <{dim = 3 : si32}> : (${
        parts.map(() => type(part)).join(", ")
      }) -> ${type(part.with(3, count))}`,
      `%${name}p = "ttnn.reshape"(%${name}c) <{shape = ${list(whole)}}> : (${type(part.with(3, count))}) -> ${
        type(whole)
      }`,
    ];
  };
  const square = between === "columns" ? [heads, columns, positions] : whole;
  const steps: Readonly<Record<Scores["between"], readonly string[]>> = {
    nothing: [],
    scaled: [
      '%n = "ttnn.full"() <{fill_value = 0.5 : f32, shape = #ttnn.shape<1x1x1>}> : () -> T<1x1x1>',
      `%kb = "ttnn.multiply"(%kp, %n) : (${type(whole)}, T<1x1x1>) -> ${type(whole)}`,
    ],
    regrouped: [
      `%ka = "ttnn.reshape"(%kp) <{shape = ${list([1, ...whole])}}> : (${type(whole)}) -> ${
        type([1, ...whole])
      }`,
      `%kb = "ttnn.reshape"(%ka) <{shape = ${list(whole)}}> : (${type([1, ...whole])}) -> ${type(whole)}`,
    ],
    rows: [
      `%ka = "ttnn.permute"(%kp) <{permutation = array<i64: 1, 0, 2>}> : (${type(whole)}) -> ${
        type([positions, heads, columns])
      }`,
      `%kb = "ttnn.permute"(%ka) <{permutation = array<i64: 1, 0, 2>}> : (${
        type([positions, heads, columns])
      }) -> ${type(whole)}`,
    ],
    columns: [
      `%kb = "ttnn.permute"(%kp) <{permutation = array<i64: 0, 2, 1>}> : (${type(whole)}) -> ${type(square)}`,
    ],
  };
  const keys = between === "nothing" ? "%kp" : "%kb";
  const flag = between !== "columns" && sumsPositions !== true;
  const rows = whole.slice(0, -1);
  const result = [...rows, flag || between === "columns" ? rows.at(-1) ?? 1 : columns];
  const results = returnsKeys === true ? `${type(result)}, ${type(whole)}` : type(result);
  return ttnnModule(`(%q: ${type(given)}, %k: ${type(given)}) -> (${results})`, [
    ...side("q", stacked),
    ...side("k", keysStacked),
    ...steps[between],
    `%r = "ttnn.matmul"(%qp, ${keys}) <{transpose_a = false, transpose_b = ${flag}}> : (${type(whole)}, ${
      type(square)
    }) -> ${type(result)}`,
    `return %r${returnsKeys === true ? ", %kp" : ""} : ${results}`,
  ]);
}

/** Extents of the stacks of pairs that are left. */
function stacksOf(given: Scores): readonly string[] {
  return passedBody(scores(given), pairsInProduct)
    .flatMap((line) =>
      /ttnn\.concat.*-> (T<[\dx]+>|tensor<[\dx]+)/.exec(line)?.[1]?.match(/\d+/g)?.join("x") ?? []
    );
}

keepsMeaning(
  "products of pairs sum over halves",
  [pairsInProduct],
  fc.record({
    heads: fc.integer({ min: 1, max: 3 }),
    positions: fc.integer({ min: 1, max: 4 }),
    pairs: fc.integer({ min: 2, max: 4 }),
    stacked: fc.integer({ min: 2, max: 3 }),
    between: fc.constantFrom<Scores["between"]>("nothing", "scaled", "regrouped", "rows"),
    mergesRows: fc.boolean(),
  }).map((given) => ({
    text: scores({ ...given, mergesRows: given.mergesRows && given.between === "nothing" }),
    ops: ["concat", "matmul"],
  })),
);

Deno.test("pairs that another op reads, other pairs, and products over other dimensions stay stacked", () => {
  const plain: Scores = { heads: 2, positions: 6, pairs: 3, stacked: 2, between: "nothing" };
  const [beside, pairs] = [["2x6x6", "2x6x6"], ["2x6x3x2", "2x6x3x2"]];
  assertEquals(stacksOf(plain), beside);
  assertEquals(stacksOf({ ...plain, between: "rows" }), beside);
  assertEquals(stacksOf({ ...plain, mergesRows: true }), ["12x6", "12x6"]);
  assertEquals(stacksOf({ ...plain, between: "columns" }), pairs);
  assertEquals(stacksOf({ ...plain, returnsKeys: true }), pairs);
  assertEquals(stacksOf({ ...plain, sumsPositions: true }), pairs);
  assertEquals(stacksOf({ ...plain, keysStacked: 3 }), ["2x6x3x2", "2x6x2x3"]);
});
