// SPDX-License-Identifier: Apache-2.0
import type { PropertyText } from "../dialect/memory_op_properties.ts";
import type { AttributeMap } from "../ir/attribute.ts";
import { fusedActivationOf, spelledActivation } from "../op_config/activations.ts";
import type { OpSpecificAttributes } from "../op_config/op_config.ts";
import { parseOpConfig } from "../op_config/parse.ts";

/** The place of a matmul's activation if the op gets another config. */
export interface MovedActivation {
  /** Whether the new program config applies it, so that the op must not spell it: it would be applied twice. */
  readonly isFused: boolean;
  /** The property that spells it, if only the old program config did. */
  readonly property: PropertyText | undefined;
}

/**
 * The change to the activation of a matmul or linear whose config a plan changes; `undefined` for no change
 * (tt-mlir:program-config-fixes).
 *
 * @throws {RangeError} if the op would have to spell an activation with parameters, which no property holds
 */
export function movedActivation(
  opName: string,
  attributes: AttributeMap,
  config: OpSpecificAttributes | undefined,
): MovedActivation | undefined {
  if (config?.kind !== "matmul" || config.programConfig === undefined) return undefined;
  const spelled = spelledActivation(attributes);
  const fused = fusedActivationOf(config);
  if (fused !== undefined) return spelled === undefined ? undefined : { isFused: true, property: undefined };
  const before = fusedActivationOf(parseOpConfig(opName, attributes));
  if (before === undefined || spelled !== undefined) return undefined;
  if (before.params.length > 0) {
    throw new RangeError(
      `Cannot spell ${before.opType} of ${opName} with parameters beside its program config`,
    );
  }
  return { isFused: false, property: { key: "activation", value: `"${before.opType}"` } };
}
