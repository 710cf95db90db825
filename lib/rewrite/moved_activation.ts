// SPDX-License-Identifier: Apache-2.0
import type { AttributeMap } from "../ir/attribute.ts";
import { fusedActivationOf, spelledActivation } from "../op_config/activations.ts";
import type { OpSpecificAttributes } from "../op_config/op_config.ts";
import { parseOpConfig } from "../op_config/parse.ts";

/** The property that spells an activation. */
export const ACTIVATION = "activation";

/** The place of a matmul's activation if the op gets another config. */
export interface MovedActivation {
  /**
   * Text of the property that spells it, if only the old program config did; `undefined` if the new program config applies
   * it, so that the op must not spell it: it would be applied twice.
   */
  readonly text: string | undefined;
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
  config: OpSpecificAttributes,
): MovedActivation | undefined {
  if (config.kind !== "matmul" || config.programConfig === undefined) return undefined;
  const spelled = spelledActivation(attributes);
  const fused = fusedActivationOf(config);
  if (fused !== undefined) return spelled === undefined ? undefined : { text: undefined };
  const before = fusedActivationOf(parseOpConfig(opName, attributes));
  if (before === undefined || spelled !== undefined) return undefined;
  if (before.params.length > 0) {
    throw new RangeError(
      `Cannot spell ${before.opType} of ${opName} with parameters beside its program config`,
    );
  }
  return { text: `"${before.opType}"` };
}
