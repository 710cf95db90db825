// SPDX-License-Identifier: Apache-2.0
import { isHostOp, isOnCpu } from "../dialect/host_dialects.ts";
import { attributeOf, type ModuleText, type Operation } from "../ir/mod.ts";
import { typedComposite } from "./typed_composite.ts";

/**
 * Whether a module is TTIR: it holds TTIR ops, or composites that stand for one, outside of CPU modules, which TTNN
 * modules carry along untouched, and no op on a device. TTIR ops that `lowerModule` kept for want of a rule do not make
 * a TTNN module TTIR again.
 */
export function needsLowering(module: ModuleText): boolean {
  return module.operations.some((operation) =>
    (operation.name.startsWith("ttir.") || typedComposite(module, operation) !== undefined) &&
    !isCpuCode(module, operation)
  ) && !module.operations.some(({ name }) => name === "ttcore.device");
}

/**
 * Names of ops in functions of the device that are no TTNN, one per op: what a lowered module holds of ops without a
 * rule, of TTIR or of another dialect.
 */
export function keptOps(module: ModuleText): readonly string[] {
  return module.operations
    .filter((operation) =>
      operation.parent?.name === "func.func" && !operation.name.startsWith("ttnn.") &&
      !isHostOp(operation.name) && !isCpuCode(module, operation)
    )
    .map(({ name }) => name);
}

function isCpuCode(module: ModuleText, operation: Operation): boolean {
  return isOnCpu(operation) || isCpuFunction(module, operation);
}

function isCpuFunction(module: ModuleText, operation: Operation): boolean {
  for (let op: Operation | undefined = operation; op !== undefined; op = op.parent) {
    if (op.name !== "func.func") continue;
    const type = attributeOf(module, op, "tt.function_type");
    return type?.kind === "string" && type.value === "forward_cpu";
  }
  return false;
}
