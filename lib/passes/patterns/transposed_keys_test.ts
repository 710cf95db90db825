// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { keepsMeaning } from "../testing/keeps_meaning.ts";
import { passedBody, ttnnModule } from "../testing/passed_body.ts";
import { fuseAttention } from "./fuse_attention.ts";
import { transposedKeys } from "./transposed_keys.ts";

/** Scores of queries and keys `[batch, positions, heads, size]`, the keys turned by one permute, and their softmax. */
function scores(
  [batch, positions, heads, size]: readonly [number, number, number, number],
  behind: "softmax" | "exp",
): string {
  const [split, query] = [
    `T<${batch}x${positions}x${heads}x${size}>`,
    `T<${batch}x${heads}x${positions}x${size}>`,
  ];
  const keys = `T<${batch}x${heads}x${size}x${positions}>`;
  const product = `T<${batch}x${heads}x${positions}x${positions}>`;
  return ttnnModule(`(%q: ${split}, %k: ${split}, %v: ${query}) -> ${query}`, [
    `%0 = "ttnn.permute"(%q) <{permutation = array<i64: 0, 2, 1, 3>}> : (${split}) -> ${query}`,
    `%1 = "ttnn.permute"(%k) <{permutation = array<i64: 0, 2, 3, 1>}> : (${split}) -> ${keys}`,
    `%2 = "ttnn.matmul"(%0, %1) <{transpose_a = false, transpose_b = false}> : (${query}, ${keys}) -> ${product}`,
    behind === "softmax"
      ? `%3 = "ttnn.softmax"(%2) <{dimension = 3 : si32, numericStable = true}> : (${product}) -> ${product}`
      : `%3 = "ttnn.exp"(%2) : (${product}) -> ${product}`,
    `%4 = "ttnn.matmul"(%3, %v) <{transpose_a = false, transpose_b = false}> : (${product}, ${query}) -> ${query}`,
    `return %4 : ${query}`,
  ]);
}

const extent = fc.integer({ min: 2, max: 4 });

keepsMeaning(
  "keys split and transposed by one permute",
  [transposedKeys],
  fc.tuple(extent, extent, extent, extent).map((shape) => ({
    text: scores(shape, "softmax"),
    ops: ["permute"],
  })),
);

keepsMeaning(
  "attention whose keys one permute turned",
  [transposedKeys, fuseAttention],
  fc.tuple(extent, extent, extent, extent).map((shape) => ({
    text: scores(shape, "softmax"),
    ops: ["scaled_dot_product_attention", "!softmax"],
  })),
);

Deno.test("keys are split as queries are, and the product transposes them", () => {
  const lines = passedBody(scores([2, 64, 4, 32], "softmax"), transposedKeys);
  assertEquals(lines.filter((line) => line.includes("array<i64: 0, 2, 1, 3>")).length, 2, lines.join("\\n"));
  assertEquals(lines.filter((line) => line.includes("transpose_b = true")).length, 1);
});

Deno.test("a product without a softmax behind it keeps its permute", () => {
  const lines = passedBody(scores([2, 64, 4, 32], "exp"), transposedKeys);
  assertEquals(lines.filter((line) => line.includes("array<i64: 0, 2, 3, 1>")).length, 1, lines.join("\\n"));
});
