// SPDX-License-Identifier: Apache-2.0
import { DEFAULT_L1_CAP } from "../lib/device/chip_description.ts";
import type { Diagnostic } from "../lib/diagnostics/diagnostic.ts";
import { commonChip, readSystemChips } from "../lib/dialect/system_desc.ts";
import { errorIn, type ModuleText } from "../lib/ir/mod.ts";
import type { Device } from "../sim/devices/device.ts";
import { checkMemory } from "./check_memory.ts";
import { createWorkbench } from "./load.ts";

/** The rule about cores and banks that a chip does not have. */
const OFF_THE_CHIP = "layout/grid";

/**
 * Errors about the ops of a TTNN module that the backend refuses as they are written, by the rules of the op model.
 *
 * @param isAssumed whether nobody says that the module is for this device; a module whose shards lie outside of it is
 * then for another one, and nothing is said
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
