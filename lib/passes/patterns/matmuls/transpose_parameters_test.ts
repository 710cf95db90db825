// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { keepsMeaning } from "../../testing/keeps_meaning.ts";
import { passedBody, ttnnModule } from "../../testing/passed_body.ts";
import { transposeParameters } from "./transposed_factors.ts";

function product(rows: number, depth: number, columns: number, role: string): string {
  const [a, b, c] = [`T<${rows}x${depth}>`, `T<${columns}x${depth}>`, `T<${rows}x${columns}>`];
  return ttnnModule(`(%x: ${a}, %w: ${b} {ttcore.argument_type = #ttcore.argument_type<${role}>}) -> ${c}`, [
    `%0 = "ttnn.matmul"(%x, %w) <{transpose_a = false, transpose_b = true}> : (${a}, ${b}) -> ${c}`,
    `return %0 : ${c}`,
  ]);
}

const extent = fc.integer({ min: 1, max: 5 });

keepsMeaning(
  "parameters transposed at load",
  [transposeParameters],
  fc.tuple(extent, extent, extent).map(([rows, depth, columns]) => ({
    text: product(rows, depth, columns, "parameter"),
    ops: ["permute"],
  })),
);

Deno.test("an input stays for the kernel to transpose", () => {
  assertEquals(passedBody(product(32, 64, 96, "input"), transposeParameters).length, 2);
});
