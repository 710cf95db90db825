// SPDX-License-Identifier: Apache-2.0

/**
 * Tilewright decides, without hardware, where every tensor of a TTNN graph lives on a Tenstorrent chip, says what that
 * costs, and says how far the decision is from the best possible one.
 *
 * @example Optimize a module and look at what was decided
 * ```ts
 * import { createWorkbench, DEFAULT_POLICY_OPTIONS, findPolicy, getDevice, optimizeModule, parseModule } from "@tilewright/tilewright";
 * import { assert, assertEquals } from "@std/assert";
 *
 * const layout = "#ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, " +
 *   "memref<2x2x!ttcore.tile<32x32, bf16>, #ttnn.buffer_type<dram>>, <interleaved>>";
 * const tensor = `tensor<64x64xbf16, ${layout}>`;
 * const text = `func.func @main(%x: ${tensor}) -> ${tensor} {
 *   %0 = "ttnn.relu"(%x) : (${tensor}) -> ${tensor}
 *   return %0 : ${tensor}
 * }
 * `;
 * const policy = findPolicy("dram");
 * assert(policy !== undefined);
 * const workbench = createWorkbench(parseModule(text, "relu.mlir"), getDevice("n150"));
 * const { plan, l1, timeline } = optimizeModule(workbench, policy, DEFAULT_POLICY_OPTIONS);
 * assertEquals(plan.functions[0]?.decisions.length, 1);
 * assert(l1.fits);
 * assert(timeline.inference.totalUs > 0);
 * ```
 *
 * @module
 */

import config from "./deno.json" with { type: "json" };

export * from "./lib/diagnostics/diagnostic.ts";
export * from "./lib/ir/mod.ts";
export * from "./lib/graph/graph.ts";
export * from "./lib/graph/binding.ts";
export * from "./lib/graph/read_graph.ts";
export * from "./lib/device/chip_description.ts";
export * from "./lib/lowering/mod.ts";
export * from "./lib/layout/affine_expression.ts";
export * from "./lib/layout/affine_map.ts";
export * from "./lib/layout/affine_parser.ts";
export * from "./lib/layout/affine_simplify.ts";
export * from "./lib/layout/core_range.ts";
export * from "./lib/layout/data_type.ts";
export * from "./lib/layout/layout_error.ts";
export * from "./lib/layout/layout_footprint.ts";
export * from "./lib/layout/layout_table.ts";
export * from "./lib/layout/make_layout.ts";
export * from "./lib/layout/metal_conversion.ts";
export * from "./lib/layout/metal_coordinates.ts";
export * from "./lib/layout/metal_layout.ts";
export * from "./lib/layout/metal_layout_text.ts";
export * from "./lib/layout/metal_padding.ts";
export * from "./lib/layout/nodes.ts";
export * from "./lib/layout/placement.ts";
export * from "./lib/layout/reshard_class.ts";
export * from "./lib/layout/reshard_transfers.ts";
export * from "./lib/layout/tile_shape.ts";
export * from "./lib/layout/ttnn_coordinates.ts";
export * from "./lib/layout/ttnn_geometry.ts";
export * from "./lib/layout/ttnn_layout.ts";
export * from "./lib/layout/verify_layout.ts";
export * from "./lib/layout/virtual_grid.ts";
export * from "./lib/opmodel/op_config.ts";
export * from "./lib/opmodel/op_model.ts";
export * from "./lib/opmodel/create_op_model.ts";
export * from "./lib/opmodel/rule_set.ts";
export * from "./lib/cost/cost_model.ts";
export * from "./lib/plan/plan.ts";
export * from "./lib/plan/plan_json.ts";
export * from "./lib/plan/steps.ts";
export * from "./lib/plan/verify_plan.ts";
export * from "./lib/policy/policies.ts";
export * from "./lib/policy/policy.ts";
export * from "./lib/rewrite/rewrite_module.ts";
export * from "./pipeline/load.ts";
export * from "./pipeline/optimize.ts";
export * from "./pipeline/plan_document.ts";
export * from "./pipeline/target.ts";
export { DEVICE_NAMES, getDevice, loadDevice } from "./sim/device_registry.ts";
export * from "./sim/device.ts";
export * from "./sim/advice.ts";
export * from "./sim/error_band.ts";
export * from "./sim/export/chrome_trace.ts";
export * from "./sim/export/perf_csv.ts";
export * from "./sim/export/simulation_json.ts";
export type { L1Pressure, StepClash, StepL1 } from "./sim/l1_pressure.ts";
export type { StepCategory } from "./sim/step_category.ts";
export type { L1FailureKind, L1Placement, L1Region } from "./lib/memory/l1_timeline.ts";
export { type CostModelOptions, createCostModel } from "./sim/runtime.ts";
export {
  simulateFunction,
  simulateGraph,
  type SimulationContext,
  type SimulationOptions,
} from "./sim/simulate.ts";
export * from "./sim/timeline.ts";

/** Version of Tilewright, as declared in `deno.json`. */
export const VERSION: string = config.version;
