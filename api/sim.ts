// SPDX-License-Identifier: Apache-2.0

/**
 * The simulator: times of ops and plans, with their errors, and what they are exported as.
 *
 * @module
 */

export * from "../lib/cost/cost_model.ts";
export { type CostModelOptions, createCostModel } from "../sim/cost/runtime.ts";
export {
  simulateFunction,
  simulateGraph,
  type SimulationContext,
  type SimulationOptions,
} from "../sim/timeline/simulate.ts";
export * from "../sim/timeline/timeline.ts";
export * from "../sim/timeline/error_band.ts";
export type { L1Pressure, StepL1 } from "../sim/timeline/l1_pressure.ts";
export * from "../sim/timeline/advice.ts";
export * from "../sim/export/chrome_trace.ts";
export * from "../sim/export/perf_csv.ts";
export * from "../sim/export/simulation_json.ts";
export type { EdgeLoad } from "../lib/programs/ccl/exchange.ts";
export type { AxisLoad, ChipClass } from "../sim/timeline/mesh_load.ts";
