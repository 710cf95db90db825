// SPDX-License-Identifier: Apache-2.0
import { layoutOfValue } from "../dialect/ttnn_layout.ts";
import { attributeOf, type ModuleText, type Operation } from "../ir/mod.ts";

/** Ops that had other names in 2024 and 2025, by those (tt-mlir:op-attributes). */
const TODAYS: Readonly<Record<string, string>> = {
  "ttnn.div": "ttnn.divide",
  "ttnn.power": "ttnn.pow_tensor",
  "ttnn.composite_to_layout": "ttnn.to_tensor_spec",
};

/** The name that an op has today; its own where that has not changed. */
export function todaysName(module: ModuleText, operation: Operation): string {
  const { name } = operation;
  if (name === "ttnn.clamp" && attributeOf(module, operation, "max") !== undefined) {
    return "ttnn.clamp_scalar";
  }
  if (name === "ttnn.batch_norm") {
    const training = attributeOf(module, operation, "training");
    return training?.kind === "bool" && training.value
      ? "ttnn.batch_norm_training"
      : "ttnn.batch_norm_inference";
  }
  // With a device it also took a tensor of the host there; without a destination it changed all of a tensor in 2024.
  const takesAcross = name === "ttnn.to_layout"
    ? operation.operands.length > 1
    : name === "ttnn.to_memory_config" && OF_TT.test(module.text);
  if (takesAcross && crossesFromHost(module, operation)) return "ttnn.to_tensor_spec";
  return TODAYS[name] ?? name;
}

/** The dialect that is `ttcore` since 2025. */
const OF_TT = /[!#]tt\.\w/;

function crossesFromHost(
  module: ModuleText,
  { operands: [source], results: [result] }: Operation,
): boolean {
  const sides = [source?.value, result].map((value) => layoutOfValue(module, value)?.bufferType);
  return sides.every((side) => side !== undefined) &&
    sides.filter((side) => side === "system_memory").length === 1;
}
