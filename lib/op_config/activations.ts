// SPDX-License-Identifier: Apache-2.0
import { MATMUL } from "../ops/attributes/matmul.ts";
import { readAttributes } from "../ops/attributes/read_attributes.ts";
import type { AttributeMap } from "../ir/attribute.ts";
import { definitionOf } from "../ops/op_book.ts";
import type { OpSpecificAttributes } from "./op_config.ts";
import { readOpConfig } from "./parse.ts";
import type { UnaryWithParam } from "./value_kinds.ts";

/** The activation that the program config of a matmul applies; `undefined` for other configs and without one. */
export function fusedActivationOf(config: OpSpecificAttributes | undefined): UnaryWithParam | undefined {
  const program = config?.kind === "matmul" ? config.programConfig : undefined;
  return program !== undefined && "fusedActivation" in program ? program.fusedActivation : undefined;
}

/** The `activation` property of an op; `undefined` if it is missing or empty. */
export function spelledActivation(attributes: AttributeMap): string | undefined {
  const { activation } = readAttributes({ attributes }, MATMUL);
  return activation === "" ? undefined : activation;
}

/**
 * Activations that an op with a matmul config applies to its result: that of its program config, then that of its
 * `activation` property. A plan may move the property into the config; the result stays equal. Empty for other ops.
 */
export function appliedActivations(opName: string, attributes: AttributeMap): readonly UnaryWithParam[] {
  if (definitionOf(opName).config?.kind !== "matmul") return [];
  const spelled = spelledActivation(attributes);
  const fused = fusedActivationOf(readOpConfig(opName, attributes).config);
  return [
    ...(fused === undefined ? [] : [fused]),
    ...(spelled === undefined ? [] : [{ opType: spelled, params: [] }]),
  ];
}
