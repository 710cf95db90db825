// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { keepsMeaning } from "../../testing/keeps_meaning.ts";
import { passedBody, ttnnModule } from "../../testing/passed_body.ts";
import { foldInverseViews } from "../views/fold_inverse_views.ts";
import { permuteBehindPad } from "./pads.ts";

const PERMUTATIONS = [[0, 3, 1, 2], [0, 2, 3, 1], [0, 2, 1, 3], [3, 1, 0, 2]] as const;

/** A permute, a pad of tiles or of rows, and the inverse permute. */
function between(
  shape: readonly number[],
  permutation: readonly number[],
  padding: readonly number[],
  pages: "T" | "R",
  last: readonly number[] = permutation.map((_, dim) => permutation.indexOf(dim)),
): string {
  const type = (extents: readonly number[]): string => `T<${extents.join("x")}>`;
  const permuted = permutation.map((dim) => shape[dim] ?? 1);
  const padded = permuted.map((extent, dim) =>
    extent + (padding[2 * dim] ?? 0) + (padding[2 * dim + 1] ?? 0)
  );
  const back = last.map((dim) => padded[dim] ?? 1);
  const text = (name: string, source: string, by: readonly number[]): string =>
    `${name} = "ttnn.permute"(${source}) <{permutation = array<i64: ${by.join(", ")}>}>`;
  const paged = (extents: readonly number[]): string => `${pages}<${extents.join("x")}>`;
  const change = (to: string, from: string, types: string): readonly string[] =>
    pages === "R" ? [`${to} = "ttnn.to_layout"(${from}) : ${types}`] : [];
  const [input, output] = pages === "R" ? ["%r", "%p"] : ["%0", "%1"];
  return ttnnModule(`(%x: ${type(shape)}) -> ${type(back)}`, [
    `${text("%0", "%x", permutation)} : (${type(shape)}) -> ${type(permuted)}`,
    ...change("%r", "%0", `(${type(permuted)}) -> ${paged(permuted)}`),
    `${output} = "ttnn.pad"(${input}) <{padding = array<i32: ${
      padding.join(", ")
    }>, use_multicore = true, value = 1.500000e+00 : f32}> : ` +
    `(${paged(permuted)}) -> ${paged(padded)}`,
    ...change("%1", "%p", `(${paged(padded)}) -> ${type(padded)}`),
    `${text("%2", "%1", last)} : (${type(padded)}) -> ${type(back)}`,
    `return %2 : ${type(back)}`,
  ]);
}

const extent = fc.integer({ min: 1, max: 3 });
const pad = fc.integer({ min: 0, max: 2 });

keepsMeaning(
  "pads between permutes",
  [permuteBehindPad, foldInverseViews],
  fc.record({
    shape: fc.tuple(extent, extent, extent, extent),
    permutation: fc.constantFrom(...PERMUTATIONS),
    pages: fc.constantFrom("T", "R"),
    padding: fc.tuple(pad, pad, pad, pad, pad, pad, pad, pad).filter((sides) =>
      sides.some((side) => side > 0)
    ),
  }).map(({ shape, permutation, padding, pages }) => ({
    text: between(shape, permutation, padding, pages),
    ops: ["pad", "!permute"],
  })),
);

Deno.test("a pad without a permute behind it stays where it is", () => {
  const text = between([2, 3, 4, 5], [0, 3, 1, 2], [0, 0, 0, 0, 1, 1, 1, 1], "T").replace(
    /"ttnn.permute"\(%1\) <\{permutation = array<i64: [\d, ]+>\}>/,
    '"ttnn.reshape"(%1) <{shape = [2 : i32, 5 : i32, 6 : i32, 5 : i32]}>',
  );
  assertEquals(passedBody(text, permuteBehindPad).filter((line) => line.includes("permute")).length, 1);
});
