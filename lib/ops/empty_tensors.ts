// SPDX-License-Identifier: Apache-2.0
import type { OpSignature, TensorShape } from "./op_signature.ts";

/** Whether a tensor of the op has no elements: such ops stay as in the input. */
export function hasEmptyTensor({ operands, results }: Pick<OpSignature, "operands" | "results">): boolean {
  return operands.some(isEmptyTensor) || results.some(isEmptyTensor);
}

/** Whether all results of the op (or all operands, if it has no results) have no elements: it then launches nothing. */
export function worksOnNothing({ operands, results }: Pick<OpSignature, "operands" | "results">): boolean {
  const made = results.filter((result) => result !== undefined);
  const tensors = made.length > 0 ? made : operands.filter((operand) => operand !== undefined);
  return tensors.length > 0 && tensors.every(isEmptyTensor);
}

/** Whether a tensor has no elements. */
export function isEmptyTensor(tensor: TensorShape | undefined): boolean {
  return tensor?.shape.includes(0) === true;
}
