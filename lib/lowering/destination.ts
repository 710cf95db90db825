// SPDX-License-Identifier: Apache-2.0
import type { ModuleText, Operation, Value } from "../ir/mod.ts";
import { areLikeResults } from "../ttnn/destinations.ts";
import { operandsByRule } from "./lowering_rule.ts";
import { OP_TABLE } from "./op_table.ts";
import { isCreatedEmpty } from "./operand_groups.ts";

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
  const destinations = extra && results > 0 && areLikeResults(module, operation, candidates) &&
    (fixed !== undefined || candidates.every(isCreatedEmpty));
  return destinations ? operands.slice(0, operands.length - results) : operands;
}
