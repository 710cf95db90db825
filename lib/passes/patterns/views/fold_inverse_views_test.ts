// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { passedBody, ttnnModule } from "../../testing/passed_body.ts";
import { foldInverseViews } from "./fold_inverse_views.ts";

Deno.test("a reshape and its inverse are nothing", () => {
  const text = ttnnModule("(%x: T<4x32>) -> T<4x32>", [
    '%0 = "ttnn.reshape"(%x) <{shape = [128 : i32]}> : (T<4x32>) -> T<128>',
    '%1 = "ttnn.reshape"(%0) <{shape = [4 : i32, 32 : i32]}> : (T<128>) -> T<4x32>',
    '%2 = "ttnn.relu"(%1) : (T<4x32>) -> T<4x32>',
    "return %2 : T<4x32>",
  ]);
  assertEquals(passedBody(text, foldInverseViews), [
    '%2 = "ttnn.relu"(%x) : (tensor<4x32xbf16>) -> tensor<4x32xbf16>',
    "return %2 : tensor<4x32xbf16>",
  ]);
});

Deno.test("two permutes compose; the first stays where something else reads it", () => {
  const text = ttnnModule("(%x: T<2x3x4>) -> (T<3x4x2>, T<4x2x3>)", [
    '%0 = "ttnn.permute"(%x) <{permutation = array<i64: 1, 2, 0>}> : (T<2x3x4>) -> T<3x4x2>',
    '%1 = "ttnn.permute"(%0) <{permutation = array<i64: 1, 2, 0>}> : (T<3x4x2>) -> T<4x2x3>',
    "return %0, %1 : T<3x4x2>, T<4x2x3>",
  ]);
  assertEquals(passedBody(text, foldInverseViews), [
    '%0 = "ttnn.permute"(%x) <{permutation = array<i64: 1, 2, 0>}> : (tensor<2x3x4xbf16>) -> tensor<3x4x2xbf16>',
    '%pass_0 = "ttnn.permute"(%x) <{permutation = array<i64: 2, 0, 1>}> : (tensor<2x3x4xbf16>) -> tensor<4x2x3xbf16>',
    "return %0, %pass_0 : tensor<3x4x2xbf16>, tensor<4x2x3xbf16>",
  ]);
});

Deno.test("a permute that swaps equal extents is no identity", () => {
  const text = ttnnModule("(%x: T<4x4>) -> T<4x4>", [
    '%0 = "ttnn.permute"(%x) <{permutation = array<i64: 1, 0>}> : (T<4x4>) -> T<4x4>',
    "return %0 : T<4x4>",
  ]);
  assertEquals(passedBody(text, foldInverseViews).length, 2);
});
