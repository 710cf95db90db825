// SPDX-License-Identifier: Apache-2.0
import type { CostClass } from "./cost_class.ts";
import { attributeFaults } from "./op_attributes.ts";
import { definitionOf } from "./op_book.ts";
import { hasEmptyTensor, worksOnNothing } from "./empty_tensors.ts";
import type { OpSignature } from "./op_signature.ts";

/** How an op relates to its buffers. */
export interface OpTraits {
  /** False for ops that no policy may change: they run with the layouts of the input. */
  readonly movable: boolean;
  /** Whether the op has no definition. Opaque ops are legal as in the input and never moved. */
  readonly isOpaque: boolean;
  /** Operand whose buffer result 0 shares if the op is a view for these shapes; layouts may still forbid it. */
  readonly viewOf: number | undefined;
  /** Operand that the op overwrites (caches); such ops have no result of their own. */
  readonly inPlaceOperand: number | undefined;
  /** All operands that it overwrites. */
  readonly writtenOperands: readonly number[];
  /** Cost class that the simulator chooses a kernel by. */
  readonly costClass: CostClass;
}

/** The traits of one use of an op, independent of layouts. */
export function traitsOf(op: OpSignature): OpTraits {
  const definition = definitionOf(op.name);
  return {
    movable: definition.movable && !hasEmptyTensor(op),
    isOpaque: definition.family === "opaque",
    viewOf: attributeFaults(op).length === 0 && definition.isView?.(op, true) === true ? 0 : undefined,
    inPlaceOperand: definition.inPlaceOperand,
    writtenOperands: definition.writtenOperands,
    costClass: worksOnNothing(op) ? "free" : definition.costClass,
  };
}
