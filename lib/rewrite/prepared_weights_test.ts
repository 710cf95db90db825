// SPDX-License-Identifier: Apache-2.0

/** What ops that prepare weights say after a plan moved what their convolution reads. */

import { assert, assertEquals } from "@std/assert";
import { DEFAULT_POLICY_OPTIONS } from "../policy/options.ts";
import { getPolicy } from "../policy/policies.ts";
import { loadModule } from "../../pipeline/load_module.ts";
import { optimizeModule } from "../../pipeline/optimize.ts";
import { identityPlan } from "../plan/steps.ts";
import { readGraph } from "../graph/read_graph.ts";
import { chipDescription } from "../../sim/devices/device.ts";
import { getDevice } from "../../sim/devices/device_registry.ts";
import { parseModule } from "../ir/mod.ts";
import { rewriteModule } from "./rewrite_module.ts";

/** A convolution as a front end writes it, its weight a parameter or brought along by each inference. */
function convolution(role: "parameter" | "input"): string {
  const image = "tensor<1x32x32x64xbf16>";
  const weight = "tensor<64x64x3x3xbf16>";
  const argument = `{ttcore.argument_type = #ttcore.argument_type<${role}>}`;
  return `func.func @main(%x: ${image}, %w: ${weight} ${argument}) -> ${image} {
  %0 = "ttir.relu"(%x) : (${image}) -> ${image}
  %1 = "ttir.conv2d"(%0, %w) <{stride = 1 : i32, padding = 1 : i32, dilation = 1 : i32, groups = 1 : i32}> : (${image}, ${weight}) -> ${image}
  return %1 : ${image}
}`;
}

/** `input_memory_config` of the ops that prepare weights, as they print. */
function toldInputs(text: string): readonly string[] {
  return text.split("\n").filter((line) => line.includes('"ttnn.prepare_conv2d_weights"'))
    .map((line) =>
      /input_memory_config = (#ttnn\.memory_config<.*?>), input_tensor_layout/.exec(line)?.[1] ?? ""
    );
}

for (const role of ["parameter", "input"] as const) {
  Deno.test(`a prepared weight follows its convolution into L1: ${role}`, () => {
    const workbench = loadModule(convolution(role), { device: "n150" });
    const before = toldInputs(workbench.module.text);
    const { text } = optimizeModule(workbench, getPolicy("greedy"), DEFAULT_POLICY_OPTIONS);
    const after = toldInputs(text);
    assertEquals([before.length, after.length], [1, 1]);
    assert(before.every((told) => told.includes("<dram>")), before.join());
    assert(after.every((told) => told.includes("<l1>")), after.join());
    // Written once more as it is, nothing changes.
    const chip = chipDescription(getDevice("n150"));
    const binding = readGraph(parseModule(text, "written.mlir"), chip.workerGrid);
    const functions = binding.graph.functions.map(identityPlan);
    assertEquals(
      rewriteModule(
        binding,
        { schema: "tilewright.plan/1", policy: "none", device: "n150", functions },
        chip,
      ),
      text,
    );
  });
}
