// SPDX-License-Identifier: Apache-2.0
import { volume } from "../layout/extents.ts";
import type { CostClass } from "./cost_class.ts";
import type { OpDefinition } from "./definition.ts";
import { definitionOf } from "./op_book.ts";
import type { OpSignature } from "./op_signature.ts";

/** Results of an op that may lie in the buffer of one of its operands. */
export interface SharedBuffer {
  readonly operand: number;
  readonly result: number;
}

/** Kinds of work that leave a tensor where it is when there is nothing to move or to convert. */
const MOVES: ReadonlySet<CostClass> = new Set<CostClass>([
  "ccl",
  "concat",
  "host_transfer",
  "pad",
  "permute",
  "repeat",
  "reshape",
  "reshard",
  "slice",
  "to_layout",
  "typecast",
]);

/**
 * Which results of an op may share a buffer with which operands, whatever the layouts are: what is written into one of
 * them may then be read from the other. Ops that are not listed here make tensors of their own.
 */
export function sharedBuffers(op: OpSignature): readonly SharedBuffer[] {
  const definition = definitionOf(op.name);
  if (passesOn(definition)) {
    return op.operands.flatMap((_, operand) => op.results.map((_, result) => ({ operand, result })));
  }
  if (op.results.length === 0) return [];
  const shared: SharedBuffer[] = [];
  if (definition.inPlaceOperand !== undefined) shared.push({ operand: definition.inPlaceOperand, result: 0 });
  if (mayBeView(definition, op)) shared.push({ operand: 0, result: 0 });
  return shared;
}

/** Operands that an op overwrites. */
export function writtenOperands(name: string): readonly number[] {
  return definitionOf(name).writtenOperands;
}

/** Calls, and ops of which nothing is known: they may return what they were given. */
function passesOn({ family, costClass, name }: OpDefinition): boolean {
  return family === "opaque" || (costClass === "view" && !name.startsWith("ttnn."));
}

function mayBeView(definition: OpDefinition, op: OpSignature): boolean {
  const [operand] = op.operands;
  const [result] = op.results;
  if (operand === undefined || result === undefined) return false;
  if (definition.isView?.(op, true) === true || definition.isView?.(op, false) === true) return true;
  return MOVES.has(definition.costClass) && volume(operand.shape) === volume(result.shape);
}
