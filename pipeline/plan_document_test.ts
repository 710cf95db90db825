// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { DEFAULT_POLICY_OPTIONS } from "../lib/policy/options.ts";
import { getPolicy } from "../lib/policy/policies.ts";
import { loadModule } from "./load_module.ts";
import { optimizeModule } from "./optimize.ts";
import { countLayouts } from "./plan_document.ts";

const LAYOUTS = `
#dram = #ttnn.buffer_type<dram>
#l = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<2x2x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
`;
const T = "tensor<64x64xbf16, #l>";

Deno.test("a summary counts ops that run, not loads of const-eval results nor the opening of the device", () => {
  const text = `${LAYOUTS}module {
    func.func private @folded(%w: ${T}) -> ${T} attributes {tt.function_type = "const_eval"} {
      %0 = "ttnn.exp"(%w) : (${T}) -> ${T}
      return %0 : ${T}
    }
    func.func @main(%x: ${T}, %w: ${T}) -> ${T} attributes {tt.function_type = "forward_device"} {
      %d = "ttnn.get_device"() <{mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
      %0 = ttcore.load_cached(@folded, [%w]) : (${T}) -> ${T}
      %1 = "ttnn.add"(%x, %0) : (${T}, ${T}) -> ${T}
      %2 = "ttnn.relu"(%1) : (${T}) -> ${T}
      return %2 : ${T}
    }
  }`;
  const module = loadModule(text, { device: "n150", passes: "none" });
  const { timeline } = optimizeModule(module, getPolicy("dram"), DEFAULT_POLICY_OPTIONS);
  assertEquals(countLayouts(timeline), { ops: 2, l1ResidentOps: 0, shardedOps: 0 });
});
