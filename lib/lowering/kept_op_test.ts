// SPDX-License-Identifier: Apache-2.0
import { assertEquals, assertThrows } from "@std/assert";
import { TEST_WORMHOLE } from "../../testing/chips.ts";
import { DiagnosticError } from "../diagnostics/diagnostic.ts";
import { parseModule } from "../ir/mod.ts";
import { lowerModule } from "./lower_module.ts";
import { keptOps, needsLowering } from "./needs_lowering.ts";
import { loweredBody, ttirFunction } from "./testing/lowered_body.ts";

const TEXT = ttirFunction("(%x: tensor<64x64xbf16>, %i: tensor<8xi64>) -> tensor<64x64xbf16>", [
  '%0 = "ttir.unheard_of"(%x, %i) <{mode = 3 : i32}> : (tensor<64x64xbf16>, tensor<8xi64>) -> tensor<64x64xbf16>',
  '%1 = "ttir.relu"(%0) : (tensor<64x64xbf16>) -> tensor<64x64xbf16>',
  "return %1 : tensor<64x64xbf16>",
]);

Deno.test("an op without a rule stays between tensors in tiles in DRAM", () => {
  assertEquals(loweredBody(TEXT), [
    '%0 = "ttir.unheard_of"(%arg0, %arg1) <{mode = 3 : i32}> : (tensor<64x64xbf16>, tensor<8xsi32>) -> tensor<64x64xbf16>',
    '%1 = "ttnn.relu"(%0) : (tensor<64x64xbf16>) -> tensor<64x64xbf16>',
    "return %1 : tensor<64x64xbf16>",
  ]);
});

Deno.test("what was lowered is not TTIR again, and says which ops were kept", () => {
  const lowered = parseModule(lowerModule(parseModule(TEXT, "a.mlir"), TEST_WORMHOLE), "a.mlir");
  assertEquals(needsLowering(lowered), false);
  assertEquals(keptOps(lowered), ["ttir.unheard_of"]);
});

Deno.test("strict lowering refuses it", () => {
  assertThrows(
    () => lowerModule(parseModule(TEXT, "a.mlir"), TEST_WORMHOLE, { isStrict: true }),
    DiagnosticError,
    "there is no lowering for this op",
  );
});

Deno.test("an op without a rule loses the destination of older generations, and the segments that count it", () => {
  const tensor = "tensor<64x64xbf16>";
  const body = loweredBody(ttirFunction(`(%x: ${tensor}) -> ${tensor}`, [
    `%0 = tensor.empty() : ${tensor}`,
    `%1 = "ttir.unheard_of"(%x, %0) <{operandSegmentSizes = array<i32: 1, 1>}> : (${tensor}, ${tensor}) -> ${tensor}`,
    `return %1 : ${tensor}`,
  ]));
  assertEquals(body[0], `%0 = "ttir.unheard_of"(%arg0) : (${tensor}) -> ${tensor}`);
});
