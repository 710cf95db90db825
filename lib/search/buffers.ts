// SPDX-License-Identifier: Apache-2.0
import type { OpId, ValueId } from "../graph/graph.ts";
import { definitionOf } from "../ops/op_book.ts";
import type { FunctionModel } from "./function_model.ts";

/** Whether an op copies a tensor to another layout, and does nothing where the tensor has that layout already. */
export function isCopy(model: FunctionModel, id: OpId): boolean {
  return definitionOf(model.op(id).name).memoryOp;
}

/**
 * By value: the value that stands for its buffer. Views share a buffer with their operand; so do copies between equal
 * layouts of the input.
 */
export function buffersAsWritten(model: FunctionModel): readonly ValueId[] {
  return buffers(model, (id, source, result) =>
    isCopy(model, id) && model.declared[source] !== undefined &&
    model.declared[source] === model.declared[result]);
}

/** As {@linkcode buffersAsWritten}, with every copy, because a plan may choose equal layouts. */
export function buffersOfAnyPlan(model: FunctionModel): readonly ValueId[] {
  return buffers(model, (id) => isCopy(model, id));
}

function buffers(
  model: FunctionModel,
  sharesCopy: (id: OpId, source: ValueId, result: ValueId) => boolean,
): readonly ValueId[] {
  const owner = model.fn.values.map(({ id }) => id);
  // Ops come in order, so the owner of an operand is final.
  for (const { id, operands, results: [result] } of model.fn.ops) {
    const { viewOf } = model.traits(id);
    const source = operands[viewOf ?? 0];
    if (source === undefined || result === undefined) continue;
    if (viewOf !== undefined || sharesCopy(id, source, result)) owner[result] = owner[source] ?? source;
  }
  return owner;
}
