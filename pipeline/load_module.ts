// SPDX-License-Identifier: Apache-2.0
import type { ModuleText } from "../lib/ir/mod.ts";
import { type LoweringOptions, lowerModule } from "../lib/lowering/lower_module.ts";
import type { PassOptions } from "../lib/passes/pass_options.ts";
import type { Device } from "../sim/devices/device.ts";
import { getDevice } from "../sim/devices/device_registry.ts";
import { type PreparedGraph, preparedGraph } from "./prepared_graph.ts";
import { type LoadedModule, preparedModule, type PrepareOptions } from "./prepared_module.ts";
import { readModule } from "./read_module.ts";
import { targetOfModule } from "./target.ts";

/** Options of {@linkcode loadModule}. */
export interface LoadModuleOptions extends PrepareOptions {
  /** A device, or the name of a bundled one; by default the device that the module was compiled for. */
  readonly device?: Device | string;
  /** Name of the input in findings and in the rewritten text; `module.mlir` by default. */
  readonly fileName?: string;
  /** The module of a text with several: its number from 1, or a part of its title or dialect. */
  readonly module?: string;
}

/**
 * Loads TTNN or TTIR text: parses it, refuses structure that would make figures meaningless, chooses the device, lowers
 * TTIR to TTNN, and sets up graph, op model and cost model.
 *
 * @example Load TTIR, decide, and look at what comes out
 * ```ts
 * import { DEFAULT_POLICY_OPTIONS, getPolicy, loadModule, optimizeModule } from "@tilewright/tilewright";
 * import { assertEquals } from "@std/assert";
 *
 * const module = loadModule(
 *   `func.func @main(%x: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
 *     %0 = "ttir.relu"(%x) : (tensor<64x64xbf16>) -> tensor<64x64xbf16>
 *     return %0 : tensor<64x64xbf16>
 *   }`,
 *   { device: "n150" },
 * );
 * const { memory } = optimizeModule(module, getPolicy("greedy"), DEFAULT_POLICY_OPTIONS);
 * assertEquals(memory.verdict.status, "fits");
 * assertEquals(module.remarks.map(({ code }) => code), ["load/lowered"]);
 * ```
 *
 * @throws {DiagnosticError} if {@linkcode readModule} refuses the text, its device description is faulty, an op
 * cannot be lowered, or its mesh does not fit the device
 * @throws {RangeError} if no bundled device has the name
 */
export function loadModule(text: string, options: LoadModuleOptions = {}): LoadedModule {
  const { device, fileName = "module.mlir", module: wanted, ...prepare } = options;
  const { module, remarks: read } = readModule(text, fileName, wanted);
  const remarks = [...read];
  if (device !== undefined) {
    const loaded = prepareModule(module, typeof device === "string" ? getDevice(device) : device, prepare);
    return { ...loaded, remarks: [...remarks, ...loaded.remarks] };
  }
  const { device: target, remark } = targetOfModule(module, prepare.meshShape);
  const loaded = prepareModule(module, target, prepare);
  if (remark !== undefined) remarks.push({ code: "device/mock", severity: "remark", message: remark });
  return { ...loaded, remarks: [...remarks, ...loaded.remarks] };
}

/**
 * Makes the graph of a parsed module and sets up its op model and cost model.
 *
 * @throws {DiagnosticError} if an op cannot be lowered, or the mesh does not fit the device
 */
export function prepareModule(
  module: ModuleText,
  device: Device,
  options: PrepareOptions = {},
): LoadedModule {
  return preparedModule(lowerModule, module, device, options);
}

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
