// SPDX-License-Identifier: Apache-2.0
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { parseModule } from "../lib/ir/mod.ts";
import { DEFAULT_POLICY_OPTIONS } from "../lib/policy/options.ts";
import { getPolicy } from "../lib/policy/policies.ts";
import { verifyModule } from "../lib/verify/verify_module.ts";
import { simulateGraph } from "../sim/timeline/simulate.ts";
import { loadModule } from "./load_module.ts";
import { optimizeModule } from "./optimize.ts";

const DEVICE = `%d = "ttnn.get_device"() <{mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device`;

/** An op whose kernel wants its operand on the device, which the input has on the host. */
function reluOfHost(before: string, behind: string): string {
  return `#host = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<32x32x!ttcore.tile<32x32, bf16>, #ttnn.buffer_type<system_memory>>>
#dram = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<32x32x!ttcore.tile<32x32, bf16>, #ttnn.buffer_type<dram>>, <interleaved>>
func.func @main(%x: tensor<1024x1024xbf16, #host>) -> tensor<1024x1024xbf16, #dram> {
  ${before}
  %0 = "ttnn.relu"(%x) : (tensor<1024x1024xbf16, #host>) -> tensor<1024x1024xbf16, #dram>
  ${behind}
  return %0 : tensor<1024x1024xbf16, #dram>
}
`;
}

const CASES = [
  { what: "the device that is open", text: reluOfHost(DEVICE, ""), devices: 1 },
  { what: "one that is opened for it", text: reluOfHost("", ""), devices: 1 },
  { what: "one of its own where the other is opened later", text: reluOfHost("", DEVICE), devices: 2 },
];

for (const { what, text, devices } of CASES) {
  Deno.test(`host tensors go to ${what}, and the written text has the plan's time`, () => {
    for (const name of ["greedy", "beam-cost", "auto"]) {
      const workbench = loadModule(text, { device: "n150", passes: "none" });
      const optimized = optimizeModule(workbench, getPolicy(name), DEFAULT_POLICY_OPTIONS);
      assertEquals(verifyModule(parseModule(optimized.text, "out.mlir")), [], optimized.text);
      assert(/"ttnn.to_device"\(%x, %\w+\) : \(\S+ \S+, !ttnn.device\)/.test(optimized.text), optimized.text);
      assertEquals(optimized.text.split('"ttnn.get_device"').length - 1, devices);
      const written = loadModule(optimized.text, { device: "n150" });
      const { totalUs } = simulateGraph(written.binding.graph, undefined, written).inference;
      assertAlmostEquals(totalUs, optimized.timeline.inference.totalUs, 1e-6);
    }
  });
}
