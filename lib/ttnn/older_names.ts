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
  // With a device it also took a tensor of the host there.
  if (name === "ttnn.to_layout" && movesFromHost(module, operation)) return "ttnn.to_tensor_spec";
  return TODAYS[name] ?? name;
}

function movesFromHost(
  module: ModuleText,
  { operands: [source, device], results: [result] }: Operation,
): boolean {
  if (device === undefined) return false;
  const [from, to] = [source?.value, result].map((value) => layoutOfValue(module, value)?.bufferType);
  return from === "system_memory" && to !== undefined && to !== from;
}
