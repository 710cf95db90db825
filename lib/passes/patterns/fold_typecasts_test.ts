// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { passedBody, ttnnModule } from "../testing/passed_body.ts";
import { foldTypecasts } from "./fold_typecasts.ts";

const SILU_IN_F32 = [
  '%0 = "ttnn.typecast"(%x) : (T<4x32>) -> T<4x32, f32>',
  '%1 = "ttnn.silu"(%0) : (T<4x32, f32>) -> T<4x32, f32>',
  '%2 = "ttnn.typecast"(%1) : (T<4x32, f32>) -> T<4x32>',
];

Deno.test("silu in f32 between typecasts is silu", () => {
  const text = ttnnModule("(%x: T<4x32>) -> T<4x32>", [...SILU_IN_F32, "return %2 : T<4x32>"]);
  assertEquals(passedBody(text, foldTypecasts), [
    '%pass_0 = "ttnn.silu"(%x) : (tensor<4x32xbf16>) -> tensor<4x32xbf16>',
    "return %pass_0 : tensor<4x32xbf16>",
  ]);
});

Deno.test("silu whose f32 result is read as well stays", () => {
  const text = ttnnModule("(%x: T<4x32>) -> (T<4x32>, T<4x32, f32>)", [
    ...SILU_IN_F32,
    "return %2, %1 : T<4x32>, T<4x32, f32>",
  ]);
  assertEquals(passedBody(text, foldTypecasts).length, 4);
});

Deno.test("there and back is nothing when the way there loses nothing", () => {
  const there = (wide: string, narrow: string): string =>
    ttnnModule(`(%x: T<4x32, ${narrow}>) -> T<4x32, ${narrow}>`, [
      `%0 = "ttnn.typecast"(%x) : (T<4x32, ${narrow}>) -> T<4x32, ${wide}>`,
      `%1 = "ttnn.typecast"(%0) : (T<4x32, ${wide}>) -> T<4x32, ${narrow}>`,
      `return %1 : T<4x32, ${narrow}>`,
    ]);
  assertEquals(passedBody(there("f32", "bf16"), foldTypecasts).length, 1);
  assertEquals(passedBody(there("bf16", "f32"), foldTypecasts).length, 3);
});
