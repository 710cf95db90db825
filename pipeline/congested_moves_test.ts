// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { DEFAULT_POLICY_OPTIONS } from "../lib/policy/options.ts";
import { getPolicy } from "../lib/policy/policies.ts";
import { simulateGraph } from "../sim/timeline/simulate.ts";
import { loadModule } from "./load_module.ts";
import { optimizeModule } from "./optimize.ts";
import { gapOfPlan } from "./plan_gap.ts";

const CORES = "core_ranges = <[#ttnn.core_range<(0,0), (7,1)>, #ttnn.core_range<(0,2), (3,2)>]>";

/** A layout of an image, sharded by height over 20 cores. */
function sharded(map: string, shard: string): string {
  return `#ttnn.ttnn_layout<(d0, d1, d2, d3) -> (${map}, d3), <20x1>, memref<${shard}, #l1>, <height_sharded>, ${CORES}>`;
}

/** A layout of an image in DRAM. */
function inDram(map: string, tiles: string): string {
  return `#ttnn.ttnn_layout<(d0, d1, d2, d3) -> (${map}, d3), <1x1>, memref<${tiles}x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>`;
}

/** An upsampling with its changes of layout written out, the last one a move of 20 shards to DRAM. */
const UPSAMPLE = `#dram = #ttnn.buffer_type<dram>
#l1 = #ttnn.buffer_type<l1>
#in = ${inDram("d0 * 640 + d1 * 32 + d2", "20x20")}
#small = ${sharded("d0 * 640 + d1 * 32 + d2", "1x20x!ttcore.tile<32x32, bf16>")}
#small_rows = ${sharded("d0 * 640 + d1 * 32 + d2", "32x640xbf16")}
#large_rows = ${sharded("d0 * 2560 + d1 * 64 + d2", "128x640xbf16")}
#large = ${sharded("d0 * 2560 + d1 * 64 + d2", "4x20x!ttcore.tile<32x32, bf16>")}
#out = ${inDram("d0 * 2560 + d1 * 64 + d2", "80x20")}
func.func @main(%x: tensor<1x20x32x640xbf16, #in>) -> tensor<1x40x64x640xbf16, #out> {
  %0 = "ttnn.to_memory_config"(%x) : (tensor<1x20x32x640xbf16, #in>) -> tensor<1x20x32x640xbf16, #small>
  %1 = "ttnn.to_layout"(%0) : (tensor<1x20x32x640xbf16, #small>) -> tensor<1x20x32x640xbf16, #small_rows>
  %2 = "ttnn.upsample"(%1) <{mode = "nearest", scale_factor = 2 : si32}> : (tensor<1x20x32x640xbf16, #small_rows>) -> tensor<1x40x64x640xbf16, #large_rows>
  %3 = "ttnn.to_layout"(%2) : (tensor<1x40x64x640xbf16, #large_rows>) -> tensor<1x40x64x640xbf16, #large>
  %4 = "ttnn.to_memory_config"(%3) : (tensor<1x40x64x640xbf16, #large>) -> tensor<1x40x64x640xbf16, #out>
  return %4 : tensor<1x40x64x640xbf16, #out>
}
`;

Deno.test("moves that seem quick until their congestion is known hide no quicker plan, and no bound lies above one", () => {
  const workbench = loadModule(UPSAMPLE, { device: "n150" });
  const written = simulateGraph(workbench.binding.graph, undefined, workbench);
  assertEquals(written.verdict.status, "fits");
  const asWritten = written.inference.totalUs;
  for (const name of ["optimal", "auto"]) {
    const { plan, timeline } = optimizeModule(workbench, getPolicy(name), DEFAULT_POLICY_OPTIONS);
    const { lowerBoundUs = Infinity } = gapOfPlan(plan, timeline);
    const { totalUs } = timeline.inference;
    assert(totalUs <= asWritten * (1 + 1e-6), `${name} takes ${totalUs} µs, the input ${asWritten}`);
    assert(lowerBoundUs <= asWritten, `${name} says that nothing takes less than ${lowerBoundUs} µs`);
  }
});
