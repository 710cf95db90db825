// SPDX-License-Identifier: Apache-2.0
import { assertEquals, assertThrows } from "@std/assert";
import { corpusTest, sharedText } from "../../testing/corpus.ts";
import type { ChipDescription } from "../device/chip_description.ts";
import { parseModule } from "../ir/mod.ts";
import { attributes, printedDictionary, stringText } from "../dialect/printed_attributes.ts";
import { deviceText, systemDescriptionText, writeModule } from "./write_module.ts";
import { TtnnFunction } from "./function.ts";
import { TtnnBuilder } from "./builder.ts";
import { tensorType } from "./tensor_type.ts";
import { type TtnnTensorType, TtnnValue } from "./value.ts";

/** tt-mlir's mock Wormhole. */
const MOCK: ChipDescription = {
  name: "mock",
  architecture: "wormhole_b0",
  workerGrid: { rows: 8, columns: 8 },
  l1Size: 1499136,
  l1UnreservedBase: 1024,
  l1SmallSize: 0,
  dramBanks: 12,
  dramBankSize: 1073741824,
  dramUnreservedBase: 1024,
  dramUnreservedEnd: 1073741824,
  l1Alignment: 16,
  dramAlignment: 32,
  pcieAlignment: 32,
  dstTiles: 16,
  circularBuffers: 32,
  ethernetL1UnreservedBase: 1024,
  dramBankWorkers: [[7, 3], [0, 0], [3, 0], [4, 0], [0, 4], [7, 7], [1, 4], [6, 4], [5, 4], [2, 6], [3, 4], [
    4,
    4,
  ]],
};

const NO_TEXT = parseModule("module {}", "t.mlir");

function tile(shape: readonly number[]): TtnnTensorType {
  return tensorType(MOCK, shape, "bf16");
}

Deno.test("writeModule() numbers aliases by first use and deallocates after the last use", () => {
  const func = new TtnnFunction(NO_TEXT, { name: "forward", kind: "forward_device", source: undefined });
  const make = new TtnnBuilder(func, MOCK);
  const a = func.addArgument(tile([64, 96]), attributes({ "ttir.name": stringText("a") }));
  const b = func.addArgument(tile([96]));
  const unused = func.addArgument(tile([32]));
  const sum = make.op("ttnn.add", [a, b], tile([64, 96]));
  const types = [tile([64, 96]), tile([64, 96])];
  make.location = "loc(#loc3)";
  const properties = { stable: false, dim: -1 };
  const sorted = make.insert("ttnn.sort", [sum], types, properties, attributes({ "test.unit": "unit" }));
  func.return([sorted.tensorResultAt(0)]);
  assertEquals(unused.type.shape, [32]);
  const text = writeModule({
    symbol: "",
    attributes: new Map(),
    chip: MOCK,
    mesh: [],
    functions: [func],
    leadingAliases: [`#loc3 = loc("sort")`],
  });
  const lines = text.split("\n").filter((line) => !/system_desc|ttcore\.device @/.test(line));
  const bf16 = "memref<2x3x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>";
  assertEquals(lines, [
    `#loc3 = loc("sort")`,
    "#dram = #ttnn.buffer_type<dram>",
    `#ttnn_layout = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, ${bf16}`,
    `#ttnn_layout1 = #ttnn.ttnn_layout<(d0) -> (0, d0), <1x1>, ${bf16.replace("2x3", "1x3")}`,
    `#ttnn_layout2 = #ttnn.ttnn_layout<(d0) -> (0, d0), <1x1>, ${bf16.replace("2x3", "1x1")}`,
    "module {",
    "  ttcore.device_module {",
    '      func.func @forward(%arg0: tensor<64x96xbf16, #ttnn_layout> {ttir.name = "a"}, ' +
    "%arg1: tensor<96xbf16, #ttnn_layout1>, %arg2: tensor<32xbf16, #ttnn_layout2>) -> " +
    'tensor<64x96xbf16, #ttnn_layout> attributes {tt.function_type = "forward_device"} {',
    '        %0 = "ttnn.add"(%arg0, %arg1) : (tensor<64x96xbf16, #ttnn_layout>, ' +
    "tensor<96xbf16, #ttnn_layout1>) -> tensor<64x96xbf16, #ttnn_layout>",
    '        "ttnn.deallocate"(%arg1) <{force = false}> : (tensor<96xbf16, #ttnn_layout1>) -> ()',
    '        "ttnn.deallocate"(%arg0) <{force = false}> : (tensor<64x96xbf16, #ttnn_layout>) -> ()',
    '        %1:2 = "ttnn.sort"(%0) <{dim = -1 : si8, stable = false}> {test.unit} : ' +
    "(tensor<64x96xbf16, #ttnn_layout>) -> (tensor<64x96xbf16, #ttnn_layout>, " +
    "tensor<64x96xbf16, #ttnn_layout>) loc(#loc3)",
    '        "ttnn.deallocate"(%1#1) <{force = false}> : (tensor<64x96xbf16, #ttnn_layout>) -> () loc(#loc3)',
    '        "ttnn.deallocate"(%0) <{force = false}> : (tensor<64x96xbf16, #ttnn_layout>) -> () loc(#loc3)',
    "        return %1#0 : tensor<64x96xbf16, #ttnn_layout>",
    "      }",
    "    }",
    "  }",
    "}",
    "",
  ]);
});

Deno.test("writeModule() refuses an operand of another function", () => {
  const func = new TtnnFunction(NO_TEXT, { name: "f", kind: undefined, source: undefined });
  func.return([new TtnnValue(tile([32]), { kind: "argument", index: 0 })]);
  const module = { symbol: "", attributes: new Map(), chip: MOCK, mesh: [], functions: [func] };
  assertThrows(() => writeModule(module), RangeError, "an operand is not made in it");
});

Deno.test("dictionaryText() sorts by name, prints units bare and quotes odd names", () => {
  const entries = attributes({ b: "1 : i32", "a.unit": "unit", "0x": "true", absent: undefined });
  assertEquals(printedDictionary(entries), '{"0x" = true, a.unit, b = 1 : i32}');
});

Deno.test("stringText() escapes as MLIR does", () => {
  assertEquals(stringText('a"b\\c\né'), '"a\\22b\\5Cc\\0A\\C3\\A9"');
});

corpusTest("systemDescriptionText() and deviceText() are those of upstream's mock devices", () => {
  const single = sharedText("corpus", "lowered", "models", "models__mnist.mlir");
  assertEquals(
    single.match(/#ttcore\.system_desc<(.*)>\n/)?.[1],
    systemDescriptionText(MOCK),
  );
  assertEquals(single.match(/@default_device = <(.*)>\n/)?.[1], deviceText(MOCK));
  const name = "test__python__golden__mlir_snippets__ttir__ttir_all_gather.mlir";
  const mesh = sharedText("corpus", "lowered", "ops", name);
  const shape = mesh.match(/meshShape = (\d+)x(\d+)/)?.slice(1).map(Number) ?? [];
  assertEquals(mesh.match(/@default_device = <(.*)>\n/)?.[1], deviceText(MOCK, shape));
  assertEquals(mesh.match(/#ttcore\.system_desc<(.*)>\n/)?.[1], systemDescriptionText(MOCK, 8));
});
