// SPDX-License-Identifier: Apache-2.0
import type { TtnnFunction } from "./function.ts";
import type { TtnnOp } from "./op.ts";
import type { TtnnValue } from "./value.ts";

/**
 * By op: the values that a `ttnn.deallocate` frees after it, later definitions first, as upstream's `TTNNDeallocate`
 * inserts them. A value is freed after its last use, an unused result after its op; returned values and unused
 * arguments are not freed. Empty if the function has no explicit deallocation (`hasDeallocates`).
 *
 * In a function from the text these are the values that the text frees, new tensors, and results that the text returns
 * and the function does not. In a new function these are all tensors except `kept` arguments and the arguments of a
 * const-eval function.
 */
export function dyingAfter(func: TtnnFunction): ReadonlyMap<TtnnOp, readonly TtnnValue[]> {
  const dying = new Map<TtnnOp, TtnnValue[]>();
  if (!func.hasDeallocates) return dying;
  const { terminator, header } = func;
  const returnedInText = new Set(terminator.source?.operands.map(({ value }) => value?.name));
  const freesArguments = header.source === undefined && header.kind !== "const_eval";
  const consider = (value: TtnnValue): void => {
    const isFreedInText = func.deallocates.has(value);
    if (value.type.kind !== "tensor" && !isFreedInText) return;
    const isOwn = value.producer !== undefined || freesArguments && !func.kept.has(value);
    const dies = isFreedInText || (isOwn && (value.name === undefined || returnedInText.has(value.name)));
    const last = lastUser(value);
    if (!dies || last === undefined || last === terminator) return;
    dying.getOrInsertComputed(last, () => []).push(value);
  };
  for (const { value } of func.arguments) consider(value);
  for (const op of func.ops()) op.results.forEach(consider);
  for (const values of dying.values()) values.reverse();
  return dying;
}

/** The last op that uses a value, or else the one that makes it. */
function lastUser(value: TtnnValue): TtnnOp | undefined {
  let last = value.producer;
  for (const user of value.uses.keys()) if (last === undefined || last.order < user.order) last = user;
  return last;
}

/**
 * A `ttnn.deallocate`.
 *
 * @param name SSA name of what is freed
 * @param type its type as printed
 * @param properties as printed, with the space before them
 * @param location `loc(…)` with the space before it; empty without one
 */
export function deallocateText(name: string, type: string, properties: string, location: string): string {
  return `"ttnn.deallocate"(${name})${properties} : (${type}) -> ()${location}`;
}
