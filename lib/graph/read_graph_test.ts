// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertThrows } from "@std/assert";
import { DiagnosticError } from "../diagnostics/diagnostic.ts";
import { integerValue } from "../dialect/attribute_values.ts";
import { parseModule } from "../ir/mod.ts";
import { describeLayout } from "../layout/describe.ts";
import { readGraph } from "./read_graph.ts";
import { opSignatures } from "./signature.ts";
import { idOf, idsOf } from "../../testing/ids.ts";

const workerGrid = { rows: 8, columns: 8 };

const SOURCE = `#dram = #ttnn.buffer_type<dram>
#l1 = #ttnn.buffer_type<l1>
#ttnn_layout = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<2x2x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout1 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <2x1>, memref<1x2x!ttcore.tile<32x32, bf16>, #l1>, <height_sharded>, core_ranges = <[#ttnn.core_range<(0,0), (1,0)>]>>
#loc = loc("main_add")
module attributes {ttnn.l1_const_eval_usage = 2048 : ui64} {
  func.func @main(%arg0: tensor<64x64xbf16, #ttnn_layout> {ttcore.argument_type = #ttcore.argument_type<input>}, %arg1: tensor<64x64xbf16, #ttnn_layout> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttcore.kv_cache}) -> tensor<64x64xbf16, #ttnn_layout> attributes {tt.function_type = "forward_device"} {
    %0 = "ttnn.get_device"() : () -> !ttnn.device
    %1 = "ttnn.add"(%arg0, %arg0) : (tensor<64x64xbf16, #ttnn_layout>, tensor<64x64xbf16, #ttnn_layout>) -> tensor<64x64xbf16, #ttnn_layout1> loc(#loc)
    "ttnn.deallocate"(%arg0) <{force = false}> : (tensor<64x64xbf16, #ttnn_layout>) -> ()
    %2:2 = "ttnn.unknown"(%1, %arg1) <{operandSegmentSizes = array<i32: 1, 1>}> : (tensor<64x64xbf16, #ttnn_layout1>, tensor<64x64xbf16, #ttnn_layout>) -> (tensor<64x64xbf16, #ttnn_layout>, tensor<64x64xbf16, #ttnn_layout>)
    return %2#1 : tensor<64x64xbf16, #ttnn_layout>
  }
}
`;

Deno.test("readGraph() reads arguments, ops, uses, layouts and what surrounds them", () => {
  const { graph, functions } = readGraph(parseModule(SOURCE, "a.mlir"), workerGrid);
  assertEquals(graph.constEvalL1Bytes, 2048);
  const fn = graph.functions[0];
  const binding = functions[0];
  assertEquals([fn?.name, fn?.kind], ["main", "forward_device"]);
  assertEquals(fn?.ops.map((op) => op.name), ["ttnn.get_device", "ttnn.add", "ttnn.unknown"]);
  assertEquals(fn?.values.map((value) => value.name), ["%arg0", "%arg1", "%0", "%1", "%2#0", "%2#1"]);
  assertEquals(fn?.values.map((value) => value.uses), [
    [{ op: idOf(1), operand: 0 }, { op: idOf(1), operand: 1 }],
    [{ op: idOf(2), operand: 1 }],
    [],
    [{ op: idOf(2), operand: 0 }],
    [],
    [],
  ]);
  assertEquals(fn?.values.map((value) => value.layout === undefined ? "" : describeLayout(value.layout)), [
    "dram/interleaved",
    "dram/interleaved",
    "",
    "l1/height_sharded/2x1",
    "dram/interleaved",
    "dram/interleaved",
  ]);
  assertEquals(fn?.values[1]?.definition, {
    kind: "argument",
    index: 1,
    argumentType: "parameter",
    isKvCache: true,
    chipShape: undefined,
  });
  assertEquals([fn?.ops[1]?.location, fn?.ops[2]?.operandSegmentSizes], ['"main_add"', [1, 1]]);
  assertEquals([fn?.results, fn?.values[5]?.returned], [[5], 1]);
  assertEquals(binding?.deallocates.map((deallocate) => deallocate.value), [0]);
  assertEquals(binding?.returnOperation?.name, "func.return");
});

Deno.test("readGraph() resolves aliases inside of attributes, but not one in its own text", () => {
  const source = `#l1 = #ttnn.buffer_type<l1>
#range = #ttnn.core_range<(0,0), (7,0)>
#cores = #ttnn.core_range_set<[#range]>
#loop = #x.y<#loop>
func.func @main() {
  "ttnn.conv2d"() <{conv2d_config = #ttnn.conv2d_config<core_grid = #cores, other = #x<#loop>>}> : () -> ()
  return
}
`;
  const { graph } = readGraph(parseModule(source, "a.mlir"), workerGrid);
  const attribute = graph.functions[0]?.ops[0]?.attributes.get("conv2d_config");
  assertEquals(
    attribute?.kind === "dialect" && attribute.body,
    "core_grid = #ttnn.core_range_set<[#ttnn.core_range<(0,0), (7,0)>]>, other = #x<#x.y<#loop>>",
  );
});

Deno.test("readGraph() refuses dynamic shapes with the place", () => {
  const source = `func.func @f(%a: tensor<?x4xbf16>) -> tensor<?x4xbf16> {
  %0 = "ttnn.relu"(%a) : (tensor<?x4xbf16>) -> tensor<?x4xbf16>
  return %0 : tensor<?x4xbf16>
}
`;
  const error = assertThrows(() => readGraph(parseModule(source, "f.mlir"), workerGrid), DiagnosticError);
  assertEquals(error.diagnostics.map((diagnostic) => [diagnostic.code, diagnostic.location?.line]), [
    ["graph/dynamic-shape", 2],
  ]);
});

Deno.test("readGraph() counts what regions capture as operands", () => {
  const source = `func.func @f(%a: tensor<4x4xbf16>, %b: tensor<4x4xbf16>) {
  "ttnn.loop"(%a) ({
    "ttnn.inner"(%b) : (tensor<4x4xbf16>) -> ()
  }) : (tensor<4x4xbf16>) -> ()
  return
}
`;
  const { graph } = readGraph(parseModule(source, "f.mlir"), workerGrid);
  assertEquals(graph.functions[0]?.ops[0]?.operands, idsOf(0, 1));
});

Deno.test("quantized elements are stored as their layout says", () => {
  const type = "tensor<64x64x!quant.uniform<i32:f32, 2.000000e-02>, #ttnn_layout>";
  const text =
    `#ttnn_layout = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<2x2x!ttcore.tile<32x32, si32>, ` +
    `#ttnn.buffer_type<dram>>, <interleaved>>\nfunc.func @main(%arg0: ${type}) -> ${type} {\n  return %arg0 : ${type}\n}\n`;
  const { graph } = readGraph(parseModule(text, "a.mlir"), workerGrid);
  assertEquals(graph.functions[0]?.values[0]?.tensor, { shape: [64, 64], dataType: "si32" });
});

Deno.test("signatures have the attributes of ops in properties and in braces; asked again, they are the same objects", () => {
  const types = "(tensor<64x64xbf16>, tensor<64x64xf32>) -> tensor<64x64xbf16>";
  const text = `func.func @main(%a: tensor<64x64xbf16>, %b: tensor<64x64xf32>) -> tensor<64x64xbf16> {
    %0 = "ttnn.add"(%a, %b) <{scale = 1 : i32}> : ${types} loc("a")
    %1 = "ttnn.add"(%0, %b) <{scale = 1 : i32}> : ${types} loc("b")
    %2 = "ttnn.add"(%1, %b) <{scale = 2 : i32}> : ${types}
    %3 = "ttnn.add"(%2, %b) {scale = 2 : i32} : ${types}
    %4 = "ttnn.add"(%b, %3) <{scale = 1 : i32}> : (tensor<64x64xf32>, tensor<64x64xbf16>) -> tensor<64x64xbf16>
    %5 = "ttnn.multiply"(%4, %b) <{scale = 1 : i32}> : ${types}
    return %5 : tensor<64x64xbf16>
  }`;
  const [main] = readGraph(parseModule(text, "a.mlir"), workerGrid).graph.functions;
  assert(main !== undefined);
  const signatures = opSignatures(main);
  const scales = signatures.map(({ attributes }) => integerValue(attributes.get("scale")));
  assertEquals(scales, [1, 1, 2, 2, 1, 1]);
  assert(opSignatures(main) === signatures);
  assertEquals(main.ops.slice(0, 3).map(({ location }) => location), ['"a"', '"b"', ""]);
});
