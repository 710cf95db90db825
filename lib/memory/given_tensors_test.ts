// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { predictOps } from "../../pipeline/confirm/prediction.ts";
import { loadModule } from "../../pipeline/load_module.ts";

/** What ttnn 0.81.1 allocates on an n150: a row of 512 bytes is a page, of which some of 64 cores hold two. */
const PEAKS = { copy: 2560, toLayout: 32_768 };

function peaksOf(deallocate: string): readonly unknown[] {
  const text = `
#l1 = #ttnn.buffer_type<l1>
#dram = #ttnn.buffer_type<dram>
#given = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <8x8>, memref<1x200xf32, #l1>, <interleaved>>
#rows = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<100x128xf32, #dram>, <interleaved>>
#tiles = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<4x4x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>
module {
  func.func @forward(%arg0: tensor<100x128xf32, #given>) -> tensor<100x128xf32, #tiles> {
    %0 = "ttnn.to_memory_config"(%arg0) : (tensor<100x128xf32, #given>) -> tensor<100x128xf32, #rows>
    ${deallocate}
    %1 = "ttnn.to_layout"(%0) : (tensor<100x128xf32, #rows>) -> tensor<100x128xf32, #tiles>
    return %1 : tensor<100x128xf32, #tiles>
  }
}`;
  const workbench = loadModule(text, { device: "n150", fileName: "given.mlir" });
  return [...predictOps(workbench, 0.95).values()].map(({ peak }) => peak);
}

Deno.test("an argument in L1 holds whole pages and is free after its last use where the text frees it", () => {
  const freed = `"ttnn.deallocate"(%arg0) <{force = false}> : (tensor<100x128xf32, #given>) -> ()`;
  assertEquals(peaksOf(freed), [PEAKS.copy, PEAKS.toLayout]);
  assertEquals(peaksOf(""), [PEAKS.copy, PEAKS.toLayout + 1024]);
});
