// SPDX-License-Identifier: Apache-2.0
import { APPLIED_FUNCTIONS } from "../ops/attributes/elementwise.ts";
import { type AttributedOp, readAttributes } from "../ops/attributes/read_attributes.ts";
import type { Attribute, AttributeMap } from "../ir/attribute.ts";
import type { VectorFunction } from "../ops/definition.ts";
import { definitionOf, isKnownOp } from "../ops/op_book.ts";

/** The elementwise functions that an op applies beside its own. */
export interface Activations {
  /** Of each operand, before the op: the operand goes through a buffer of its own. */
  readonly ofOperands: readonly (readonly VectorFunction[])[];
  /** Of the result, in the same program. */
  readonly ofResult: readonly VectorFunction[];
  /** The first function that is no op, so that nobody knows what it takes. */
  readonly unknown: string | undefined;
}

/** The functions that an op's attributes name. */
export function activationsOf(op: AttributedOp): Activations {
  const applied = readAttributes(op, APPLIED_FUNCTIONS);
  const ofOperands = [applied.input_tensor_a_activations, applied.input_tensor_b_activations].map(
    functionNames,
  );
  const ofResult = [applied.activation, applied.activations, applied.fused_activation].flatMap(functionNames);
  const known = (names: readonly string[]) =>
    names.map(vectorFunctionOf).filter((found) => found !== undefined);
  return {
    ofOperands: ofOperands.map(known),
    ofResult: known(ofResult),
    unknown: [...ofOperands.flat(), ...ofResult].find((name) => vectorFunctionOf(name) === undefined),
  };
}

/**
 * Names of unary functions in a property: `"relu"`, `#ttnn.unary_with_param<op_type = relu>`, or a list of either
 * (tt-mlir:ttnn-fusing).
 */
function functionNames(attribute: Attribute | undefined): readonly string[] {
  switch (attribute?.kind) {
    case "string":
      return attribute.value === "" ? [] : [attribute.value];
    case "array":
      return attribute.elements.flatMap(functionNames);
    case "dialect":
      return [/\bop_type\s*=\s*(?:#[\w.]+)?<?(\w+)/.exec(attribute.body)?.[1] ?? attribute.body.trim()];
    default:
      return [];
  }
}

function vectorFunctionOf(name: string): VectorFunction | undefined {
  const op = `ttnn.${name}`;
  return isKnownOp(op) ? definitionOf(op).vectorFunction : undefined;
}
