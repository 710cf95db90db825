// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { loweredBody, ttirFunction } from "../testing/lowered_body.ts";

/** Ops that write `count` rows `2x4` into a table of 8 of each of 3 batches. */
function writing(count: number, reduce: string, element: string): readonly string[] {
  const [table, rows] = [`tensor<3x8x2x4x${element}>`, `tensor<3x${count}x2x4x${element}>`];
  const index = `tensor<1x1x${count}xsi32>`;
  const text = ttirFunction(`(%t: ${table}, %i: ${index}, %r: ${rows}) -> ${table}`, [
    `%0 = "ttir.rows_scatter"(%t, %i, %r) <{column = false, reduce = #ttcore.reduce_type<${reduce}>, sizes = array<i64: 8>, windows = array<i64: 1>}> : (${table}, ${index}, ${rows}) -> ${table}`,
    `return %0 : ${table}`,
  ]);
  return loweredBody(text).flatMap((line) => /"ttnn\.(scatter|where|eq)"/.exec(line)?.[1] ?? []);
}

Deno.test("one row is selected where its number is; several, sums and whole numbers are scattered", () => {
  assertEquals(writing(1, "invalid", "bf16"), ["eq", "where"]);
  assertEquals(writing(2, "invalid", "bf16"), ["scatter"]);
  assertEquals(writing(1, "sum", "bf16"), ["scatter"]);
  assertEquals(writing(1, "invalid", "si32"), ["scatter"]);
});

Deno.test("columns that are the same in every batch are rows of the transposed table", () => {
  const [table, columns] = ["tensor<64x1x96xbf16>", "tensor<64x48xbf16>"];
  const gathering = (own: number): readonly string[] => {
    const index = `tensor<${own}x1x48xsi32>`;
    const text = ttirFunction(`(%t: ${table}, %i: ${index}) -> ${columns}`, [
      `%0 = "ttir.rows_gather"(%t, %i) <{column = true, fill_out_of_bounds = false, sizes = array<i64: 96>, windows = array<i64: 1>}> : (${table}, ${index}) -> ${columns}`,
      `return %0 : ${columns}`,
    ]);
    return loweredBody(text).flatMap((line) => /"ttnn\.(gather|embedding|permute)"/.exec(line)?.[1] ?? []);
  };
  assertEquals(gathering(1), ["permute", "embedding", "permute"]);
  assertEquals(gathering(64), ["gather"]);
});
