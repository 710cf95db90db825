// SPDX-License-Identifier: Apache-2.0

/**
 * Tilewright decides, without hardware, where every tensor of a TTNN graph lives on a Tenstorrent chip, and says
 * what that costs and why.
 *
 * Here is what most callers need: load a module, let a policy decide, simulate, compare, print. The parts have entry
 * points of their own: `./ir`, `./graph`, `./layout`, `./metal`, `./device`, `./opmodel`, `./memory`, `./plan`,
 * `./policy`, `./pipeline`, `./sim`, `./audit`.
 *
 * @example Optimize a module and look at what was decided
 * ```ts
 * import { DEFAULT_POLICY_OPTIONS, getPolicy, loadModule, optimizeModule } from "@tilewright/tilewright";
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
 * const module = loadModule(text, { device: "n150" });
 * const { plan, memory, timeline } = optimizeModule(module, getPolicy("dram"), DEFAULT_POLICY_OPTIONS);
 * assertEquals(plan.functions[0]?.decisions.length, 1);
 * assertEquals(memory.verdict.status, "fits");
 * assert(timeline.inference.totalUs > 0);
 * ```
 *
 * @module
 */

import config from "./deno.json" with { type: "json" };

export { type Diagnostic, DiagnosticError } from "./lib/diagnostics/diagnostic.ts";
export { parseModule } from "./lib/ir/mod.ts";
export { verifyModule } from "./lib/verify/verify_module.ts";
export { loadModule, type LoadModuleOptions } from "./pipeline/load_module.ts";
export type { LoadedModule } from "./pipeline/prepared_module.ts";
export type { Workbench } from "./pipeline/load.ts";

export type { Device } from "./sim/devices/device.ts";
export { DEVICE_NAMES, getDevice, loadDevice } from "./sim/devices/device_registry.ts";

export type { Policy } from "./lib/policy/policy.ts";
export { getPolicy, POLICY_NAMES } from "./lib/policy/policies.ts";
export { DEFAULT_POLICY_OPTIONS, type PolicyOptions, readPolicyOptions } from "./lib/policy/options.ts";
export type { FreeName, FreeWord } from "./lib/policy/free.ts";
export type { Plan } from "./lib/plan/plan.ts";
export { type Optimized, optimizeModule } from "./pipeline/optimize.ts";
export { lowerBoundOf } from "./pipeline/lower_bound.ts";
export {
  parsePlanDocument,
  type PlanDocument,
  planDocument,
  type SavedPlan,
} from "./pipeline/plan_document.ts";
export { planToJson, toJson } from "./lib/plan/plan_json.ts";

export { checkMemory, type MemoryCheck } from "./pipeline/check_memory.ts";
export { simulateGraph } from "./sim/timeline/simulate.ts";
export type { Timeline } from "./sim/timeline/timeline.ts";
export { type Advice, advise } from "./sim/timeline/advice.ts";
export { chromeTrace } from "./sim/export/chrome_trace.ts";
export { perfCsv } from "./sim/export/perf_csv.ts";
export { simulationDocument } from "./sim/export/simulation_json.ts";

export { type DiffReport, diffSides } from "./pipeline/diff.ts";
export { type DiffSide, sideOfDocument, sideOfTimeline } from "./pipeline/diff_side.ts";

/** Version of Tilewright, as declared in `deno.json`. */
export const VERSION: string = config.version;
