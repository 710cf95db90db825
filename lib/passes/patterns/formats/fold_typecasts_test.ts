// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { keepsMeaning } from "../../testing/keeps_meaning.ts";
import { passedBody, ttnnModule } from "../../testing/passed_body.ts";
import { fuseFunction } from "../formulas/fuse_function.ts";
import { foldRoundingTypecasts, foldTypecasts, narrowBetweenTypecasts } from "./fold_typecasts.ts";

const SILU_IN_F32 = [
  '%0 = "ttnn.typecast"(%x) : (T<4x32>) -> T<4x32, f32>',
  '%1 = "ttnn.silu"(%0) : (T<4x32, f32>) -> T<4x32, f32>',
  '%2 = "ttnn.typecast"(%1) : (T<4x32, f32>) -> T<4x32>',
];

Deno.test("silu in f32 between typecasts is silu", () => {
  const text = ttnnModule("(%x: T<4x32>) -> T<4x32>", [...SILU_IN_F32, "return %2 : T<4x32>"]);
  assertEquals(passedBody(text, fuseFunction), [
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

Deno.test("a lossless cast and its inverse cancel", () => {
  const there = (wide: string, narrow: string): string =>
    ttnnModule(`(%x: T<4x32, ${narrow}>) -> T<4x32, ${narrow}>`, [
      `%0 = "ttnn.typecast"(%x) : (T<4x32, ${narrow}>) -> T<4x32, ${wide}>`,
      `%1 = "ttnn.typecast"(%0) : (T<4x32, ${wide}>) -> T<4x32, ${narrow}>`,
      `return %1 : T<4x32, ${narrow}>`,
    ]);
  assertEquals(passedBody(there("f32", "bf16"), foldTypecasts).length, 1);
  assertEquals(passedBody(there("bf16", "f32"), foldTypecasts).length, 3);
});

const extent = fc.integer({ min: 1, max: 3 });

keepsMeaning(
  "views between typecasts",
  [narrowBetweenTypecasts],
  fc.tuple(extent, extent).map(([a, b]) => {
    const [x, y, z] = [`T<${a}x${b}x2`, `T<${b}x${a}x2`, `T<${a * b}x2`];
    const lines = [
      `%0 = "ttnn.typecast"(%x) : (${x}>) -> ${x}, f32>`,
      `%1 = "ttnn.permute"(%0) <{permutation = array<i64: 1, 0, 2>}> : (${x}, f32>) -> ${y}, f32>`,
      `%2 = "ttnn.reshape"(%1) <{shape = [${a * b} : i32, 2 : i32]}> : (${y}, f32>) -> ${z}, f32>`,
      `%3 = "ttnn.typecast"(%2) : (${z}, f32>) -> ${z}>`,
      `return %3 : ${z}>`,
    ];
    return { text: ttnnModule(`(%x: ${x}>) -> ${z}>`, lines), ops: ["!typecast"] };
  }),
);

Deno.test("a selection between typecasts is one of narrow numbers", () => {
  const text = ttnnModule("(%x: T<4x32>, %p: T<4x32>) -> T<4x32>", [
    '%d = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device',
    '%zero = "ttnn.zeros"(%d) <{shape = #ttnn.shape<1x1>}> : (!ttnn.device) -> T<1x1, f32>',
    '%0 = "ttnn.typecast"(%x) : (T<4x32>) -> T<4x32, f32>',
    '%1 = "ttnn.where"(%p, %zero, %0) : (T<4x32>, T<1x1, f32>, T<4x32, f32>) -> T<4x32, f32>',
    '%2 = "ttnn.typecast"(%1) : (T<4x32, f32>) -> T<4x32>',
    "return %2 : T<4x32>",
  ]);
  assertEquals(
    passedBody(text, narrowBetweenTypecasts)[3],
    '%pass_1 = "ttnn.where"(%p, %pass_0, %x) : (tensor<4x32xbf16>, tensor<1x1xbf16>, tensor<4x32xbf16>) -> tensor<4x32xbf16>',
  );
});

Deno.test("a rounding intermediate cast is removed for upstream's graph, one to integers never", () => {
  const wide = (narrow: string): string =>
    ttnnModule("(%x: T<4x32, f32>) -> T<4x32, f32>", [
      `%0 = "ttnn.typecast"(%x) : (T<4x32, f32>) -> T<4x32, ${narrow}>`,
      `%1 = "ttnn.typecast"(%0) : (T<4x32, ${narrow}>) -> T<4x32, f32>`,
      "return %1 : T<4x32, f32>",
    ]);
  const casts = (text: string): number =>
    passedBody(text, foldRoundingTypecasts).filter((line) => line.includes("typecast")).length;
  assertEquals([casts(wide("bf16")), casts(wide("si32"))], [1, 2]);
});
