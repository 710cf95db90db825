// SPDX-License-Identifier: Apache-2.0
import { roleOf, runsOnDevice } from "../lib/graph/function_role.ts";
import { combineVerdicts, type MemoryVerdict } from "../lib/memory/memory_verdict.ts";
import { simulateMemory } from "../lib/memory/plan_memory.ts";
import { identityPlan } from "../lib/plan/steps.ts";
import type { Workbench } from "./load.ts";

/** Memory of a module as written. */
export interface MemoryCheck {
  /** Over all functions of the device: those of the inference and those that run once. */
  readonly verdict: MemoryVerdict;
  /** Largest bytes per core over the steps of the inference, tensors and circular buffers together. */
  readonly peakL1Bytes: number;
  /** Most bytes that a function of the device holds in one bank of DRAM. */
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
