// SPDX-License-Identifier: Apache-2.0
import type { TtnnFunction } from "./function.ts";
import type { TtnnOp } from "./op.ts";
import type { TtnnValue } from "./value.ts";

/**
 * The values that a `ttnn.deallocate` frees after each op, later definitions first, as upstream's `TTNNDeallocate`
 * inserts them: after the last use, of unused results after the op that makes them, of what is returned nowhere.
 *
 * Of a function from the text these are the values that the text frees, every new tensor, and results that the text
 * returns and the function no longer does; of a new one all tensors, but the arguments of const-eval functions stay.
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
