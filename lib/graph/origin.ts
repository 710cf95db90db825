// SPDX-License-Identifier: Apache-2.0
import { LOAD_CACHED } from "../ops/calls.ts";
import { type GraphFunction, type GraphOp, opAt, valueAt, type ValueId } from "./graph.ts";

/** The op that produces a value. */
export interface Origin {
  /** The producing op; for a loaded value, the op in the const-eval function that returns it. */
  readonly op: GraphOp;
  /** The same op, or the op that loads its result into the function of the value. */
  readonly at: GraphOp;
  /** Index of the value among the results of `at`. */
  readonly result: number;
}

/**
 * Finds the op that produces a value; for a value loaded from a const-eval function, the op in that function.
 *
 * @param functions by name
 * @returns `undefined` for arguments, of the function itself or of the const-eval function
 */
export function originOf(
  functions: ReadonlyMap<string, GraphFunction>,
  fn: GraphFunction,
  value: ValueId,
): Origin | undefined {
  const { definition } = valueAt(fn, value);
  if (definition.kind === "argument") return undefined;
  const at = opAt(fn, definition.op);
  const result = definition.index;
  if (at.name !== LOAD_CACHED) return { op: at, at, result };
  const loaded = loadedFunction(functions, at);
  const returned = loaded?.results[result];
  if (loaded === undefined || returned === undefined) return undefined;
  const made = valueAt(loaded, returned).definition;
  return made.kind === "argument" ? undefined : { op: opAt(loaded, made.op), at, result };
}

/** The const-eval function whose results an op loads; `undefined` for other ops. */
export function loadedFunction(
  functions: ReadonlyMap<string, GraphFunction>,
  { name, attributes }: GraphOp,
): GraphFunction | undefined {
  const callee = name === LOAD_CACHED ? attributes.get("callee") : undefined;
  return callee?.kind === "symbol" ? functions.get(callee.name) : undefined;
}
