// SPDX-License-Identifier: Apache-2.0
import { assert } from "@std/assert";
import { DEFAULT_PASS_OPTIONS } from "../lib/passes/pass_options.ts";
import { DEFAULT_POLICY_OPTIONS } from "../lib/policy/options.ts";
import { getPolicy } from "../lib/policy/policies.ts";
import { getDevice } from "../sim/devices/device_registry.ts";
import { simulateGraph } from "../sim/timeline/simulate.ts";
import { prepareModule } from "./load_module.ts";
import { readModule } from "./read_module.ts";
import { decidePlan } from "./optimize.ts";
import { gapOfPlan } from "./plan_gap.ts";

/** A product of 512 small matrices, which chains run in less time than what the hints of pass 1 allow. */
const PRODUCT =
  `func.func @main(%a: tensor<512x64x32xbf16>, %b: tensor<512x32x64xbf16>) -> tensor<4x128x64x64xbf16> {
  %0 = "ttir.matmul"(%a, %b) : (tensor<512x64x32xbf16>, tensor<512x32x64xbf16>) -> tensor<512x64x64xbf16>
  %1 = "ttir.reshape"(%0) <{shape = [4 : i32, 128 : i32, 64 : i32, 64 : i32]}> : (tensor<512x64x64xbf16>) -> tensor<4x128x64x64xbf16>
  return %1 : tensor<4x128x64x64xbf16>
}`;

function decided(policy: string) {
  const { module } = readModule(PRODUCT, "product.mlir");
  const workbench = prepareModule(module, getDevice("n150"), { passes: DEFAULT_PASS_OPTIONS });
  const plan = decidePlan(workbench, getPolicy(policy), { ...DEFAULT_POLICY_OPTIONS, free: ["layouts"] });
  const timeline = simulateGraph(workbench.binding.graph, plan, workbench);
  return { us: timeline.inference.totalUs, gap: gapOfPlan(plan, timeline) };
}

Deno.test("a plan of chains below the bound of plans by passes has the bound of plans of any kind", () => {
  const [byPasses, all, chains] = [decided("optimal"), decided("auto"), decided("df-sharding-2")];
  assert(
    byPasses.gap.lowerBoundUs !== undefined && all.us < byPasses.gap.lowerBoundUs * (1 - 1e-3),
    "chains do not win",
  );
  assert(all.gap.certificate !== "none");
  const { lowerBoundUs } = all.gap;
  assert(lowerBoundUs !== undefined && lowerBoundUs <= chains.us && lowerBoundUs <= all.us * (1 + 1e-6));
});
