// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { parseModule } from "../ir/mod.ts";
import { describeLayout } from "../layout/describe.ts";
import { readGraph } from "./read_graph.ts";

/** A pool that is declared to make tiles, as the compiler writes it before its optimizer, and what reads it. */
const POOLED = `#dram = #ttnn.buffer_type<dram>
#image = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 256 + d1 * 256 + d2, d3), <1x1>, memref<8x2x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#pooled = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 64 + d1 * 64 + d2, d3), <1x1>, memref<2x2x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
func.func @main(%arg0: tensor<1x1x256x64xbf16, #image>, %arg1: tensor<1x1x64x64xbf16, #pooled>) -> tensor<1x1x64x64xbf16, #pooled> {
  %0 = "ttnn.max_pool2d"(%arg0) <{batch_size = 1 : si32, ceil_mode = false, channels = 64 : si32, dilation = array<i32: 1, 1>, input_height = 16 : si32, input_width = 16 : si32, kernel_size = array<i32: 2, 2>, padding = array<i32: 0, 0>, stride = array<i32: 2, 2>}> : (tensor<1x1x256x64xbf16, #image>) -> tensor<1x1x64x64xbf16, #pooled>
  %1 = "ttnn.relu"(%0) : (tensor<1x1x64x64xbf16, #pooled>) -> tensor<1x1x64x64xbf16, #pooled>
  %2 = "ttnn.add"(%arg1, %1) : (tensor<1x1x64x64xbf16, #pooled>, tensor<1x1x64x64xbf16, #pooled>) -> tensor<1x1x64x64xbf16, #pooled>
  return %2 : tensor<1x1x64x64xbf16, #pooled>
}
`;

Deno.test("a graph has the pages that ops make, whatever their results are declared", () => {
  const { graph: { functions: [main] } } = readGraph(parseModule(POOLED, "a.mlir"), { rows: 8, columns: 8 });
  assertEquals(main?.values.map(({ name, layout }) => `${name} ${layout && describeLayout(layout)}`), [
    "%arg0 dram/interleaved",
    "%arg1 dram/interleaved",
    "%0 dram/interleaved/row_major",
    "%1 dram/interleaved/row_major",
    "%2 dram/interleaved",
  ]);
  assertEquals(main?.values.map(({ layout }) => layout?.shardShape), [[8, 2], [2, 2], [64, 64], [64, 64], [
    2,
    2,
  ]]);
});
