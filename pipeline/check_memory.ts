// SPDX-License-Identifier: Apache-2.0
import { DEFAULT_L1_CAP } from "../lib/device/chip_description.ts";
import type { Diagnostic } from "../lib/diagnostics/diagnostic.ts";
import { commonChip, readSystemChips } from "../lib/dialect/system_desc.ts";
import { roleOf, runsOnDevice } from "../lib/graph/function_role.ts";
import { errorIn, type ModuleText } from "../lib/ir/mod.ts";
import { combineVerdicts, type MemoryVerdict } from "../lib/memory/memory_verdict.ts";
import { simulateMemory } from "../lib/memory/plan_memory.ts";
import { identityPlan } from "../lib/plan/steps.ts";
import type { Device } from "../sim/devices/device.ts";
import { createWorkbench, type Workbench } from "./load.ts";

/** Memory of a module as written. */
export interface MemoryCheck {
  /** Over all functions of the device: those of the inference and those that run once. */
  readonly verdict: MemoryVerdict;
  /** Largest bytes per core over the steps of the inference, tensors and circular buffers together. */
  readonly peakL1Bytes: number;
  /** Most bytes of a function in one bank of DRAM. */
  readonly peakDramBytes: number;
}

/**
 * Simulates L1 and DRAM of a module as written, by address and from scratch.
 *
 * @example
 * ```ts
 * import { checkMemory, loadModule } from "@tilewright/tilewright";
 * import { assertEquals } from "@std/assert";
 *
 * const ttir = `func.func @main(%x: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
 *   %0 = "ttir.relu"(%x) : (tensor<64x64xbf16>) -> tensor<64x64xbf16>
 *   return %0 : tensor<64x64xbf16>
 * }`;
 * const workbench = loadModule(ttir, { device: "n150" });
 * assertEquals(checkMemory(workbench, 0.95).verdict.status, "fits");
 * ```
 *
 * @param cap `--tensor-l1-usage-cap`
 */
export function checkMemory({ binding, opModel }: Workbench, cap: number): MemoryCheck {
  const { graph } = binding;
  let peakL1Bytes = 0;
  let peakDramBytes = 0;
  const verdicts: MemoryVerdict[] = [];
  for (const fn of graph.functions) {
    const role = roleOf(fn.kind);
    if (!runsOnDevice(role)) continue;
    const { timeline, dram, verdict } = simulateMemory(fn, identityPlan(fn), opModel, {
      cap,
      constEvalL1Bytes: role === "once" ? 0 : graph.constEvalL1Bytes,
      record: "failures",
    });
    if (role === "inference") peakL1Bytes = Math.max(peakL1Bytes, timeline.peakBytes);
    peakDramBytes = Math.max(peakDramBytes, dram.peakBytes);
    verdicts.push(verdict);
  }
  return { verdict: combineVerdicts(verdicts), peakL1Bytes, peakDramBytes };
}

/** The rule about cores and banks that a chip does not have. */
const OFF_THE_CHIP = "layout/grid";

/**
 * Errors for ops of a TTNN module that break a backend rule as written.
 *
 * @param isAssumed whether the device is a guess; a module with shards outside of it is then for another
 * device, and no error is reported
 */
export function brokenRules(module: ModuleText, device: Device, isAssumed: boolean): readonly Diagnostic[] {
  const workbench = createWorkbench(module, device);
  const { refusedOps } = checkMemory(workbench, DEFAULT_L1_CAP).verdict;
  const isForAnother = isAssumed && commonChip(readSystemChips(module)) === undefined &&
    refusedOps.some(({ rule }) => rule === OFF_THE_CHIP);
  if (isForAnother) return [];
  return refusedOps.flatMap(({ function: name, op, rule, reason }): readonly Diagnostic[] => {
    const operation = workbench.binding.functions.find(({ fn }) => fn.name === name)?.ops[op];
    return operation === undefined
      ? [{ code: rule, severity: "error", message: reason }]
      : errorIn(module, rule, operation.nameSpan.start, reason).diagnostics;
  });
}
