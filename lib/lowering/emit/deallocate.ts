// SPDX-License-Identifier: Apache-2.0
import { attributes } from "../../dialect/printed_attributes.ts";
import type { TtnnFunction } from "./ttnn_function.ts";
import { isTensor, type TtnnOp, type TtnnValue } from "./ttnn_value.ts";

/**
 * The ops of a function with a `ttnn.deallocate` after the last use of every tensor that is not returned, as upstream's
 * `TTNNDeallocate` inserts them: later definitions first, results that nobody uses right after their op, arguments that
 * nobody uses not at all, arguments of const-eval functions not at all.
 */
export function withDeallocates(func: TtnnFunction): readonly TtnnOp[] {
  const lastUse = new Map<TtnnValue, number>();
  const definition = new Map<TtnnValue, number>();
  const consider = (value: TtnnValue): void => {
    if (isTensor(value)) definition.set(value, definition.size);
  };
  if (func.header.attributes.get("tt.function_type") !== '"const_eval"') {
    for (const { value } of func.arguments) consider(value);
  }
  func.ops.forEach((op, index) => {
    for (const operand of op.operands) if (definition.has(operand)) lastUse.set(operand, index);
    for (const result of op.results) {
      consider(result);
      if (definition.has(result)) lastUse.set(result, index);
    }
  });
  for (const result of func.results) lastUse.delete(result);
  const dying = Map.groupBy(lastUse.keys(), (value) => lastUse.get(value));
  const properties = attributes({ force: "false" });
  const order = (value: TtnnValue): number => definition.get(value) ?? 0;
  return func.ops.flatMap((op, index) => [
    op,
    ...(dying.get(index) ?? []).sort((a, b) => order(b) - order(a)).map((value): TtnnOp => ({
      name: "ttnn.deallocate",
      operands: [value],
      results: [],
      properties,
      attributes: new Map(),
      ...(op.location === undefined ? {} : { location: op.location }),
    })),
  ]);
}
