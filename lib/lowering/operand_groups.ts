// SPDX-License-Identifier: Apache-2.0
import type { Value } from "../ir/mod.ts";
import { isCreatedEmpty } from "./destination.ts";
import type { FunctionLowering } from "./function_lowering.ts";
import type { LazyTensor } from "./lazy_tensor.ts";
import type { TtirOp } from "./ttir_op.ts";

/**
 * Optional operands by `operandSegmentSizes`, in the order of the groups; by position where the attribute is absent.
 * Older generations have one group more for the destination, last or in the middle.
 *
 * @param groups number of groups at HEAD, each of at most one operand
 * @throws {DiagnosticError} when sizes and operands do not fit together
 */
export function optionalOperands(
  op: TtirOp,
  f: FunctionLowering,
  groups: number,
): readonly (LazyTensor | undefined)[] {
  const sizes = op.integers("operandSegmentSizes");
  if (sizes === undefined) {
    if (op.operands.length > groups) throw misfit(op);
    return Array.from({ length: groups }, (_, at) => at < op.operands.length ? f.operand(op, at) : undefined);
  }
  let next = 0;
  const slots = sizes.map((size): Value | undefined => (size > 0 ? op.operands[next++] : undefined));
  if (next < op.operands.length || sizes.some((size) => size > 1)) throw misfit(op);
  if (sizes.length === groups + 1) {
    // A trailing destination was taken off before; another one is told by how it was made.
    const stripped = sizes.at(-1) === 1 && next === op.operands.length + 1 ? groups : -1;
    const created = slots.findIndex((value) => value !== undefined && isCreatedEmpty(value));
    const destination = stripped === -1 ? created : stripped;
    if (destination === -1) {
      throw op.error("which operand is the destination cannot be told", "lowering/operands");
    }
    slots.splice(destination, 1);
  } else if (next > op.operands.length) throw misfit(op);
  if (slots.length !== groups) throw misfit(op);
  return slots.map((value) => (value === undefined ? undefined : f.lazy(op, value)));
}

function misfit(op: TtirOp): Error {
  return op.error("operandSegmentSizes and operands do not fit together", "lowering/operands");
}
