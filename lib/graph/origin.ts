// SPDX-License-Identifier: Apache-2.0
import { LOAD_CACHED } from "../ops/calls.ts";
import { type GraphFunction, type GraphOp, opAt, valueAt, type ValueId } from "./graph.ts";

/** What makes a value. */
export interface Origin {
  /** The op, in the const-eval function that returns the value where it is loaded. */
  readonly op: GraphOp;
  /** The op itself, or what loads its result into the function of the value. */
  readonly at: GraphOp;
  /** Number of the value among the results of `at`. */
  readonly result: number;
}

/**
 * What makes a value, in the const-eval function that it is loaded from where it is.
 *
 * @param functions by name
 * @returns `undefined` for arguments, of the function or of what it loads from
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

/** The const-eval function whose results an op hands over; `undefined` for other ops. */
export function loadedFunction(
  functions: ReadonlyMap<string, GraphFunction>,
  { name, attributes }: GraphOp,
): GraphFunction | undefined {
  const callee = name === LOAD_CACHED ? attributes.get("callee") : undefined;
  return callee?.kind === "symbol" ? functions.get(callee.name) : undefined;
}
