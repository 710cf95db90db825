// SPDX-License-Identifier: Apache-2.0
import type { GraphFunction, OpId } from "./graph.ts";

/** An op as named in messages, so that it can be found in every table: `ttnn.add (op 12)`. */
export function describeOp(name: string, op: number): string {
  return `${name} (op ${op})`;
}

/**
 * An op of a function as named in messages.
 *
 * @throws {RangeError} for an id that the function does not have
 */
export function describeOpOf(fn: GraphFunction, id: OpId): string {
  const op = fn.ops[id];
  if (op === undefined) throw new RangeError(`Cannot describe op ${id}: ${fn.name} has ${fn.ops.length}`);
  return describeOp(op.name, id);
}
