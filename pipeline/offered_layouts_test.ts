// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { parseModule } from "../lib/ir/mod.ts";
import { parseOutputLayoutOverrides } from "../lib/overrides/output_layout_override.ts";
import { obeysOverride } from "../lib/overrides/op_overrides.ts";
import { NO_OVERRIDES } from "../lib/overrides/overrides.ts";
import { DEFAULT_POLICY_OPTIONS } from "../lib/policy/options.ts";
import { getPolicy } from "../lib/policy/policies.ts";
import { getDevice } from "../sim/devices/device_registry.ts";
import { modelExplorer } from "../sim/export/model_explorer.ts";
import { present } from "../testing/present.ts";
import { createWorkbench } from "./load.ts";
import { tellOfferedLayouts } from "./offered_layouts.ts";
import { optimizeModule } from "./optimize.ts";

const T = "tensor<128x256xbf16, #L0>";
const MODULE = `
#dram = #ttnn.buffer_type<dram>
#L0 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<4x8x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
module {
  func.func @forward(%x: ${T}) -> ${T} attributes {tt.function_type = "forward_device"} {
    %0 = "ttnn.relu"(%x) : (${T}) -> ${T} loc("act_1"("x.py":1:1))
    %1 = "ttnn.exp"(%0) : (${T}) -> ${T} loc("act_2"("x.py":1:1))
    return %1 : ${T}
  }
}
`;

function optimized(override?: string) {
  const workbench = createWorkbench(parseModule(MODULE, "offered.mlir"), getDevice("n150"));
  const outputLayouts = parseOutputLayoutOverrides(override === undefined ? "" : `act_1=${override}`);
  const options = { ...DEFAULT_POLICY_OPTIONS, overrides: { ...NO_OVERRIDES, outputLayouts } };
  return { ...optimizeModule(workbench, getPolicy("greedy"), options), outputLayouts };
}

Deno.test("every layout offered to Model Explorer is accepted as an override", () => {
  const { workbench, graph, plan, timeline } = optimized();
  const tell = tellOfferedLayouts(graph, workbench.opModel, DEFAULT_POLICY_OPTIONS);
  const { graphs: [shown] } = modelExplorer(graph, plan, timeline, "offered.mlir", tell);
  const attrs = new Map(
    shown?.nodes.find(({ label }) => label === "ttnn.relu")?.attrs.map(({ key, value }) => [key, value]),
  );
  assertEquals(attrs.get("override name"), "act_1");
  const offered = present(attrs.get("legal layouts")).split(", ");
  assertEquals(offered.slice(0, 3), [
    "dram:interleaved:tile",
    "l1:interleaved:tile",
    "4x8:l1:block_sharded:tile",
  ]);
  assert(
    offered.some((words) => words.includes("height")) && offered.some((words) => words.includes("width")),
  );
  for (const words of offered) {
    const decided = optimized(words);
    const layout = present(decided.plan.functions[0]?.decisions[0]?.outputLayouts[0]);
    assert(obeysOverride(layout, present(decided.outputLayouts.get("act_1"))), words);
  }
});
