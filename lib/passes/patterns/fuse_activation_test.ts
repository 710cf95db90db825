// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { passedBody, ttnnModule } from "../testing/passed_body.ts";
import { fuseActivation } from "./fuse_activation.ts";

const MATMUL =
  '%0 = "ttnn.matmul"(%x, %w) <{transpose_a = false, transpose_b = false}> : (T<32x64>, T<64x96>) -> T<32x96>';

Deno.test("an activation behind a matmul runs inside of it", () => {
  const text = ttnnModule("(%x: T<32x64>, %w: T<64x96>) -> T<32x96>", [
    MATMUL,
    '%1 = "ttnn.silu"(%0) : (T<32x96>) -> T<32x96>',
    "return %1 : T<32x96>",
  ]);
  assertEquals(passedBody(text, fuseActivation), [
    '%0 = "ttnn.matmul"(%x, %w) <{activation = "silu", transpose_a = false, transpose_b = false}> : ' +
    "(tensor<32x64xbf16>, tensor<64x96xbf16>) -> tensor<32x96xbf16>",
    "return %0 : tensor<32x96xbf16>",
  ]);
});

Deno.test("a product that something else reads keeps its activation outside", () => {
  const text = ttnnModule("(%x: T<32x64>, %w: T<64x96>) -> (T<32x96>, T<32x96>)", [
    MATMUL,
    '%1 = "ttnn.silu"(%0) : (T<32x96>) -> T<32x96>',
    "return %0, %1 : T<32x96>, T<32x96>",
  ]);
  assertEquals(passedBody(text, fuseActivation).length, 3);
});

Deno.test("activations of non-matmuls, or of another type than the matmul's, stay", () => {
  const sum = ttnnModule("(%x: T<32x96>) -> T<32x96>", [
    '%0 = "ttnn.add"(%x, %x) : (T<32x96>, T<32x96>) -> T<32x96>',
    '%1 = "ttnn.silu"(%0) : (T<32x96>) -> T<32x96>',
    "return %1 : T<32x96>",
  ]);
  assertEquals(passedBody(sum, fuseActivation).length, 3);
  const rows = ttnnModule("(%x: T<32x64>, %w: T<64x96>) -> R<32x96>", [
    MATMUL,
    '%1 = "ttnn.silu"(%0) : (T<32x96>) -> R<32x96>',
    "return %1 : R<32x96>",
  ]);
  assertEquals(passedBody(rows, fuseActivation).length, 3);
});
