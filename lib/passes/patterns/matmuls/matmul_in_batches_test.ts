// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { keepsMeaning } from "../../testing/keeps_meaning.ts";
import { movedTiles } from "../../testing/moved_tiles.ts";
import { passedBody, ttnnModule } from "../../testing/passed_body.ts";
import { leadingOneInProduct, matmulInBatches } from "./matmul_in_batches.ts";

const TOOLS = { microseconds: movedTiles };

/** Rows of several batches collected, multiplied with one matrix, and given back to their batches. */
function collected(batches: number, rows: number, inner: number, columns: number, hasBias: boolean): string {
  const [x, w, b] = [`T<${batches}x${rows}x${inner}>`, `T<${inner}x${columns}>`, `T<${columns}>`];
  const [flat, product] = [`T<${batches * rows}x${inner}>`, `T<${batches * rows}x${columns}>`];
  const y = `T<${batches}x${rows}x${columns}>`;
  const reshape = (name: string, source: string, shape: readonly number[]): string =>
    `${name} = "ttnn.reshape"(${source}) <{shape = [${
      shape.map((extent) => `${extent} : i32`).join(", ")
    }]}>`;
  return ttnnModule(`(%x: ${x}, %w: ${w}, %b: ${b}) -> ${y}`, [
    `${reshape("%0", "%x", [batches * rows, inner])} : (${x}) -> ${flat}`,
    hasBias
      ? `%1 = "ttnn.linear"(%0, %w, %b) <{transpose_a = false, transpose_b = false}> : (${flat}, ${w}, ${b}) -> ${product}`
      : `%1 = "ttnn.matmul"(%0, %w) <{transpose_a = false, transpose_b = false}> : (${flat}, ${w}) -> ${product}`,
    `${reshape("%2", "%1", [batches, rows, columns])} : (${product}) -> ${y}`,
    `return %2 : ${y}`,
  ]);
}

const extent = fc.integer({ min: 2, max: 5 });

keepsMeaning(
  "products of rows from several batches",
  [matmulInBatches],
  fc.record({ batches: extent, rows: extent, inner: extent, columns: extent, hasBias: fc.boolean() }).map((
    { batches, rows, inner, columns, hasBias },
  ) => ({ text: collected(batches, rows, inner, columns, hasBias), ops: [] })),
  40,
  TOOLS,
);

Deno.test("rows that do not fill tiles stay in their batches", () => {
  const lines = passedBody(collected(4, 197, 768, 768, true), matmulInBatches, undefined, TOOLS);
  assertEquals(lines.filter((line) => line.includes("ttnn.reshape")), [], lines.join("\\n"));
});

Deno.test("rows of whole tiles, or single ones, are collected", () => {
  for (const rows of [64, 1]) {
    const lines = passedBody(collected(32, rows, 768, 768, false), matmulInBatches, undefined, TOOLS);
    assertEquals(lines.filter((line) => line.includes("ttnn.reshape")).length, 2, lines.join("\\n"));
  }
});

/** Scores of queries and keys of one user, as `jnp.matmul` multiplies them: without the batch of one. */
function scoresOfOne(batch: number, last: "softmax" | "relu"): string {
  const [query, key, scores] = ["T<8x100x32>", "T<8x32x60>", "T<8x100x60>"];
  const ranked = batch === 1 ? "T<1x8x100x60>" : "T<2x4x100x60>";
  const shape = batch === 1 ? "1 : i32, 8 : i32" : "2 : i32, 4 : i32";
  return ttnnModule(`(%q: T<1x8x100x32>, %k: ${key}) -> ${ranked}`, [
    `%0 = "ttnn.reshape"(%q) <{shape = [8 : i32, 100 : i32, 32 : i32]}> : (T<1x8x100x32>) -> ${query}`,
    `%1 = "ttnn.matmul"(%0, %k) <{transpose_a = false, transpose_b = false}> : (${query}, ${key}) -> ${scores}`,
    `%2 = "ttnn.reshape"(%1) <{shape = [${shape}, 100 : i32, 60 : i32]}> : (${scores}) -> ${ranked}`,
    `%3 = "ttnn.${last}"(%2)${
      last === "softmax" ? " <{dimension = 3 : si32, numericStable = true}>" : ""
    } : (${ranked}) -> ${ranked}`,
    `return %3 : ${ranked}`,
  ]);
}

Deno.test("scores take the leading one that their reader adds; other batches and products stay", () => {
  const operands = (batch: number, last: "softmax" | "relu" = "softmax"): readonly string[] =>
    passedBody(scoresOfOne(batch, last), leadingOneInProduct).flatMap((line) =>
      /"ttnn\.matmul"\((.*?)\).* -> tensor<([\dx]+)x/.exec(line)?.slice(1) ?? []
    );
  assertEquals(operands(1).at(-1), "1x8x100x60");
  // The query is read as it was.
  assertEquals(operands(1)[0]?.startsWith("%q,"), true);
  assertEquals(operands(2).at(-1), "8x100x60");
  assertEquals(operands(1, "relu").at(-1), "8x100x60");
});
