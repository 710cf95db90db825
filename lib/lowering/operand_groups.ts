// SPDX-License-Identifier: Apache-2.0
import type { Value } from "../ir/mod.ts";
import type { FunctionLowering } from "./function_lowering.ts";
import type { LazyTensor } from "./lazy_tensor.ts";
import type { TtirOp } from "./ttir_op.ts";

/** Operands by group: the first group is never empty, the others may be. */
export type OperandGroups = readonly [LazyTensor, ...(LazyTensor | undefined)[]];

/** The `operandSegmentSizes` of groups of at most one operand. */
export function segmentSizes(groups: readonly (LazyTensor | undefined)[]): readonly number[] {
  return groups.map((group) => (group === undefined ? 0 : 1));
}

/**
 * Optional operands by `operandSegmentSizes`, in the order of the groups; by position where the attribute is absent.
 * Older generations have one group more for the destination, last or in the middle.
 *
 * @param groups number of groups at HEAD, each of at most one operand
 * @throws {DiagnosticError} when sizes and operands do not fit together, or the first group is empty
 */
export function optionalOperands(op: TtirOp, f: FunctionLowering, groups: number): OperandGroups {
  const [first, ...others] = operandsByGroup(op, groups).map((value) =>
    value === undefined ? undefined : f.lazy(op, value)
  );
  if (first === undefined) throw op.error("operand 0 is missing", "operands");
  return [first, ...others];
}

function operandsByGroup(op: TtirOp, groups: number): readonly (Value | undefined)[] {
  const sizes = op.integers("operandSegmentSizes");
  if (sizes === undefined) {
    if (op.operands.length > groups) throw misfit(op);
    return Array.from({ length: groups }, (_, at) => op.operands[at]);
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
      throw op.error("it is unclear which operand is the destination", "operands");
    }
    slots.splice(destination, 1);
  } else if (next > op.operands.length) throw misfit(op);
  if (slots.length !== groups) throw misfit(op);
  return slots;
}

function misfit(op: TtirOp): Error {
  return op.error("operandSegmentSizes and operands do not match", "operands");
}

const CREATES_DESTINATION: ReadonlySet<string> = new Set(["ttir.empty", "tensor.empty"]);

/** Whether a value is an uninitialised tensor, as destinations of older generations are. */
export function isCreatedEmpty({ source }: Value): boolean {
  return source.kind === "result" && CREATES_DESTINATION.has(source.operation.name);
}
