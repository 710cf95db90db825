// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { keepsMeaning } from "../../testing/keeps_meaning.ts";
import { movedTiles } from "../../testing/moved_tiles.ts";
import { passedBody, ttnnModule } from "../../testing/passed_body.ts";
import { pairsAsRows } from "./pairs_in_product.ts";

/** Parts `[…, n]` of a tensor each, stacked and merged to `[…, k · n]`, as JAX interleaves them. */
function stacked(rows: readonly number[], count: number, parts: number): string {
  const type = (...last: readonly number[]): string => `T<${[...rows, ...last].join("x")}>`;
  const list = (...last: readonly number[]): string =>
    `[${[...rows, ...last].map((extent) => `${extent} : i32`).join(", ")}]`;
  const names = Array.from({ length: parts }, (_, part) => `%p${part}`);
  return ttnnModule(
    `(${names.map((name) => `${name}: ${type(count)}`).join(", ")}) -> ${type(count * parts)}`,
    [
      ...names.map((name) =>
        `${name}s = "ttnn.reshape"(${name}) <{shape = ${list(count, 1)}}> : (${type(count)}) -> ${
          type(count, 1)
        }`
      ),
      `%c = "ttnn.concat"(${names.map((name) => `${name}s`).join(", ")}) <{dim = ${
        rows.length + 1
      } : si32}> : (${names.map(() => type(count, 1)).join(", ")}) -> ${type(count, parts)}`,
      `%r = "ttnn.reshape"(%c) <{shape = ${list(count * parts)}}> : (${type(count, parts)}) -> ${
        type(count * parts)
      }`,
      `return %r : ${type(count * parts)}`,
    ],
  );
}

const made = (text: string, microseconds = movedTiles): readonly string[] =>
  passedBody(text, pairsAsRows, undefined, { microseconds }).flatMap((line) =>
    /"ttnn\.(\w+)".*-> tensor<([\dx]+)x/.exec(line)?.slice(1).join(" ") ?? []
  );

Deno.test("pairs are rows of the transpose, side by side and then one below the other", () => {
  assertEquals(made(stacked([6, 64], 32, 2)), [
    "reshape 384x32",
    "permute 32x384",
    "reshape 384x32",
    "permute 32x384",
    "concat 32x768",
    "reshape 64x384",
    "permute 384x64",
    "reshape 6x64x64",
  ]);
});

Deno.test("pairs stay where rows of the transpose take no less time", () => {
  assertEquals(made(stacked([6, 64], 32, 2), () => 1).includes("concat 6x64x32x2"), true);
});

keepsMeaning(
  "pairs as rows of the transpose",
  [pairsAsRows],
  fc.record({
    rows: fc.constantFrom([4], [2, 3], [1, 2, 5]),
    count: fc.integer({ min: 2, max: 5 }),
    parts: fc.constantFrom(2, 3),
  })
    .map(({ rows, count, parts }) => ({ text: stacked(rows, count, parts), ops: ["permute"] })),
  30,
  {
    microseconds: ({ results }) =>
      results.some((type) => type.kind === "tensor" && type.shape.length > 2) ? 1000 : 0,
  },
);
