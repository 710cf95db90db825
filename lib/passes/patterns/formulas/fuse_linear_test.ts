// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { passedBody, ttnnModule } from "../../testing/passed_body.ts";
import { fuseLinear } from "./fuse_linear.ts";

function sum(properties: string, bias = "T<1x96>"): readonly string[] {
  return passedBody(
    ttnnModule(`(%x: T<32x64>, %w: T<64x96>, %b: ${bias}) -> T<32x96>`, [
      `%0 = "ttnn.matmul"(%x, %w) <{${properties}transpose_a = false, transpose_b = false}> : (T<32x64>, T<64x96>) -> T<32x96>`,
      `%1 = "ttnn.add"(%0, %b) : (T<32x96>, ${bias}) -> T<32x96>`,
      "return %1 : T<32x96>",
    ]),
    fuseLinear,
  );
}

Deno.test("a row that is added to a product becomes its bias", () => {
  assertEquals(sum("").map((line) => /"ttnn\.\w+"\(.*?\)/.exec(line)?.[0]), [
    '"ttnn.linear"(%x, %w, %b)',
    undefined,
  ]);
});

Deno.test("a sum after an activation is no bias, nor is a summand with several rows", () => {
  assertEquals(sum('activation = "silu", ').length, 3);
  assertEquals(sum("", "T<32x96>").length, 3);
});

Deno.test("a bias has no more dimensions than the product, whose result would have them too", () => {
  const lines = passedBody(
    ttnnModule("(%x: T<1x64>, %w: T<64x96>, %b: T<1x1x96>) -> T<1x1x96>", [
      '%0 = "ttnn.matmul"(%x, %w) <{transpose_a = false, transpose_b = false}> : (T<1x64>, T<64x96>) -> T<1x96>',
      '%1 = "ttnn.reshape"(%0) <{shape = [1 : i32, 1 : i32, 96 : i32]}> : (T<1x96>) -> T<1x1x96>',
      '%2 = "ttnn.add"(%1, %b) : (T<1x1x96>, T<1x1x96>) -> T<1x1x96>',
      "return %2 : T<1x1x96>",
    ]),
    fuseLinear,
  );
  const [linear] = lines.filter((line) => line.includes("linear"));
  assertEquals(
    /: .*$/.exec(linear ?? "")?.[0],
    ": (tensor<1x64xbf16>, tensor<64x96xbf16>, tensor<1x96xbf16>) -> tensor<1x96xbf16>",
  );
});
