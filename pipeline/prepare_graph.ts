// SPDX-License-Identifier: Apache-2.0
import type { ModuleText } from "../lib/ir/mod.ts";
import { type LoweringOptions, lowerModule } from "../lib/lowering/lower_module.ts";
import type { PassOptions } from "../lib/passes/pass_options.ts";
import type { Device } from "../sim/devices/device.ts";
import { type PreparedGraph, preparedGraph } from "./prepared_graph.ts";

/**
 * Lowers TTIR to TTNN and runs the graph passes.
 *
 * @param options `undefined` keeps the graph as it is
 * @throws {DiagnosticError} at the first op that cannot be lowered
 * @param lowering whether ops without a lowering are refused
 */
export function prepareGraph(
  input: ModuleText,
  device: Device,
  options: PassOptions | undefined,
  lowering: LoweringOptions = {},
): PreparedGraph {
  return preparedGraph(lowerModule, input, device, options, lowering);
}
