// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { TEST_WORMHOLE } from "../../../../testing/chips.ts";
import { parseModule } from "../../../ir/mod.ts";
import { verifyModule } from "../../../verify/verify_module.ts";
import { DEFAULT_PASS_OPTIONS } from "../../pass_options.ts";
import { runPasses } from "../../run_passes.ts";
import { passed, passedBody, testedPass, ttnnModule } from "../../testing/passed_body.ts";
import { convertReturned } from "./convert_returned.ts";

Deno.test("tanh of f32 that is declared bf16 returns f32, and every reader gets bf16", () => {
  const text = ttnnModule("(%x: T<4x32, f32>) -> (T<4x32>, T<4x32>)", [
    '%0 = "ttnn.tanh"(%x) : (T<4x32, f32>) -> T<4x32>',
    '%1 = "ttnn.relu"(%0) : (T<4x32>) -> T<4x32>',
    "return %0, %1 : T<4x32>, T<4x32>",
  ]);
  assertEquals(passedBody(text, convertReturned), [
    '%0 = "ttnn.tanh"(%x) : (tensor<4x32xf32>) -> tensor<4x32xf32>',
    '%pass_0 = "ttnn.typecast"(%0) : (tensor<4x32xf32>) -> tensor<4x32xbf16>',
    '%1 = "ttnn.relu"(%pass_0) : (tensor<4x32xbf16>) -> tensor<4x32xbf16>',
    "return %pass_0, %1 : tensor<4x32xbf16>, tensor<4x32xbf16>",
  ]);
  const found = (module: string): readonly string[] =>
    verifyModule(parseModule(module, "m.mlir")).map(({ code }) => code);
  assertEquals(found(text), ["V16/returned-format"]);
  assertEquals(found(passed(text, convertReturned).text), []);
});

Deno.test("places of f32 that are declared of 16 bits are of 32, and cast", () => {
  const sorted = (element: string): string =>
    ttnnModule(`(%x: T<4x32${element}>) -> T<4x32, ui16>`, [
      `%v, %i = "ttnn.sort"(%x) <{dim = 1 : si8}> : (T<4x32${element}>) -> (T<4x32${element}>, T<4x32, ui16>)`,
      "return %i : T<4x32, ui16>",
    ]);
  const text = sorted(", f32");
  assertEquals(passedBody(text, convertReturned), [
    '%v, %i = "ttnn.sort"(%x) <{dim = 1 : si8}> : (tensor<4x32xf32>) -> (tensor<4x32xf32>, tensor<4x32xui32>)',
    '%pass_0 = "ttnn.typecast"(%i) : (tensor<4x32xui32>) -> tensor<4x32xui16>',
    "return %pass_0 : tensor<4x32xui16>",
  ]);
  const found = (module: string): readonly string[] =>
    verifyModule(parseModule(module, "m.mlir")).map(({ code }) => code);
  assertEquals(found(text), ["V16/returned-format"]);
  assertEquals(found(passed(text, convertReturned).text), []);
  assertEquals(passedBody(sorted(""), convertReturned).length, 2);
});

Deno.test("argmax returns ui32 for any declared type, and is cast directly", () => {
  const text = ttnnModule("(%x: T<4x32>) -> T<4x1, si32>", [
    '%0 = "ttnn.argmax"(%x) <{dim = 1 : i32, keep_dim = true}> : (T<4x32>) -> T<4x1, si32>',
    "return %0 : T<4x1, si32>",
  ]);
  assertEquals(passedBody(text, convertReturned).map((line) => line.replace(/ <.*?>/, "")), [
    '%0 = "ttnn.argmax"(%x) : (tensor<4x32xbf16>) -> tensor<4x1xui32>',
    '%pass_0 = "ttnn.typecast"(%0) : (tensor<4x1xui32>) -> tensor<4x1xsi32>',
    "return %pass_0 : tensor<4x1xsi32>",
  ]);
});

Deno.test("a change of layout that leaves pages as they are keeps the format, which is cast behind it", () => {
  const text = ttnnModule("(%x: T<4x32>) -> T<4x32, f32>", [
    '%0 = "ttnn.to_layout"(%x) : (T<4x32>) -> T<4x32, f32>',
    "return %0 : T<4x32, f32>",
  ]);
  assertEquals(passedBody(text, convertReturned), [
    '%0 = "ttnn.to_layout"(%x) : (tensor<4x32xbf16>) -> tensor<4x32xbf16>',
    '%pass_0 = "ttnn.typecast"(%0) : (tensor<4x32xbf16>) -> tensor<4x32xf32>',
    "return %pass_0 : tensor<4x32xf32>",
  ]);
});

Deno.test("an op that says the format of its result says the returned one", () => {
  const format = (name: string) => `<{dtype = #ttcore.supportedDataTypes<${name}>}>`;
  const text = ttnnModule("(%x: T<4x32, f32>) -> T<4x32>", [
    `%0 = "ttnn.to_layout"(%x) ${format("bf16")} : (T<4x32, f32>) -> T<4x32>`,
    "return %0 : T<4x32>",
  ]);
  assertEquals(passedBody(text, convertReturned)[0]?.includes(format("f32")), true);
});

Deno.test("a declaration that the kernel keeps to stays, byte for byte", () => {
  const text = ttnnModule("(%x: T<4x32>) -> T<4x32, f32>", [
    '%0 = "ttnn.tanh"(%x) : (T<4x32>) -> T<4x32>',
    '%1 = "ttnn.typecast"(%0) : (T<4x32>) -> T<4x32, f32>',
    "return %1 : T<4x32, f32>",
  ]);
  assertEquals(passed(text, convertReturned).text, text);
});

Deno.test("rows that come out where tiles are declared are tiled behind the op, and cast in tiles", () => {
  const rows = "#ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<64x64xf32, #dram>, <interleaved>>";
  const text = ttnnModule("(%x: ROWS) -> T<64x64>", [
    '%0 = "ttnn.abs"(%x) : (ROWS) -> T<64x64>',
    "return %0 : T<64x64>",
  ]).replaceAll("ROWS", `tensor<64x64xf32, ${rows}>`);
  assertEquals(passedBody(text, convertReturned).map((line) => line.split(" : ")[0]), [
    '%0 = "ttnn.abs"(%x)',
    '%pass_0 = "ttnn.to_layout"(%0)',
    '%pass_1 = "ttnn.typecast"(%pass_0)',
    "return %pass_1",
  ]);
});

Deno.test("functions that const-eval has made are converted as well", () => {
  const text = ttnnModule('(%x: T<4x32, f32>) -> T<4x32> attributes {tt.function_type = "const_eval"}', [
    '%0 = "ttnn.tanh"(%x) : (T<4x32, f32>) -> T<4x32>',
    "return %0 : T<4x32>",
  ]);
  const codes = (module: string) => verifyModule(parseModule(module, "m.mlir")).map(({ code }) => code);
  assertEquals(codes(text), ["V16/returned-format"]);
  assertEquals(codes(passed(text, convertReturned).text), []);
});

Deno.test("a tensor whose element contradicts its layout stays as it is: no conversion mends that", () => {
  const consistent = ttnnModule("(%x: T<4x32, f32>) -> T<4x32, f32>", [
    '%0 = "ttnn.relu"(%x) : (T<4x32, f32>) -> T<4x32, f32>',
    "return %0 : T<4x32, f32>",
  ]);
  const text = consistent.replaceAll("tensor<4x32xf32,", "tensor<4x32xbf16,");
  const passes = [testedPass([convertReturned])];
  const module = parseModule(text, "m.mlir");
  const { changes } = runPasses(module, TEST_WORMHOLE, DEFAULT_PASS_OPTIONS, { passes, mostChanges: 4 });
  assertEquals(changes, []);
});
