// SPDX-License-Identifier: Apache-2.0
import { type ModuleText, type Operation, textOf, type Value } from "../ir/mod.ts";
import { isCreatedEmpty } from "./created_empty.ts";
import { operandsByRule } from "./lowering_rule.ts";
import { OP_TABLE } from "./op_table.ts";

/**
 * The operands of an op without the destinations that older generations append: one tensor per result, of the result's
 * type; if the number of operands alone does not tell, made by `ttir.empty` or `tensor.empty` (destination-passing
 * style, removed from TTIR in November 2025). No op with a variable number of operands has an input of its result's
 * type in last place that could be uninitialised.
 */
export function inputsOf(module: ModuleText, operation: Operation): readonly Value[] {
  const operands = operation.operands.flatMap(({ value }) => (value === undefined ? [] : [value]));
  const results = operation.results.length;
  const fixed = operandsByRule(OP_TABLE.get(operation.name), operation);
  const candidates = operands.slice(operands.length - results);
  const extra = fixed === undefined || operands.length === fixed + results;
  const destinations = extra && results > 0 && candidates.length === results &&
    candidates.every((value, index) =>
      hasResultType(module, operation, value, index) && (fixed !== undefined || isCreatedEmpty(value))
    );
  return destinations ? operands.slice(0, operands.length - results) : operands;
}

function hasResultType(module: ModuleText, operation: Operation, value: Value, index: number): boolean {
  const result = operation.resultTypes?.[index];
  return value.type !== undefined && result !== undefined &&
    textOf(module, value.type) === textOf(module, result);
}
