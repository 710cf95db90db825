// SPDX-License-Identifier: Apache-2.0
import type { Operation, Value } from "../ir/mod.ts";
import { CACHE_OPS } from "./argument_place.ts";
import { OP_TABLE } from "./op_table.ts";

/** Ops that change operands in place; their results denote these operands. */
const IN_PLACE_OPS: ReadonlySet<string> = new Set([...CACHE_OPS, "ttir.adamw"]);

/** Ops that something needs: all but those without side effects whose results are unused. */
export function liveOperations(operations: readonly Operation[]): readonly Operation[] {
  const needed = new Set<Value>();
  const live: Operation[] = [];
  for (const operation of operations.toReversed()) {
    const used = operation.results.length === 0 || hasEffect(operation) ||
      operation.results.some((result) => needed.has(result));
    if (!used) continue;
    live.push(operation);
    addUsed(operation, needed);
  }
  return live.reverse();
}

/** Adds the operands of an op, and what its regions use of the values around it. */
function addUsed(operation: Operation, used: Set<Value>): void {
  for (const { value } of operation.operands) if (value !== undefined) used.add(value);
  for (const { blocks } of operation.regions) {
    for (const block of blocks) for (const inner of block.operations) addUsed(inner, used);
  }
}

function hasEffect(operation: Operation): boolean {
  return IN_PLACE_OPS.has(operation.name) || operation.name === "func.call" || !OP_TABLE.has(operation.name);
}
