// SPDX-License-Identifier: Apache-2.0
import type { TtnnFunction } from "./function.ts";
import type { TtnnOp } from "./op.ts";
import type { TtnnValue } from "./value.ts";

/**
 * By op: the values that a `ttnn.deallocate` frees after it, later definitions first, as upstream's `TTNNDeallocate`
 * inserts them. A value is freed after its last use, an unused result after its op; returned values are not freed. What
 * dies at all follows from {@linkcode TtnnFunction.frees}:
 *
 * - `tensors`: in a function from the text the values that the text frees, new tensors, and results that the text returns
 *   and the function does not; in a new function all tensors except `kept` arguments and the arguments of a const-eval
 *   function;
 * - `l1`: the tensors that ops put in L1.
 */
export function dyingAfter(func: TtnnFunction): ReadonlyMap<TtnnOp, readonly TtnnValue[]> {
  const dying = new Map<TtnnOp, TtnnValue[]>();
  if (func.frees === "nothing") return dying;
  const { terminator, header } = func;
  const [first] = func.ops();
  const returnedInText = new Set(terminator.source?.operands.map(({ value }) => value?.name));
  const freesArguments = header.source === undefined && header.kind !== "const_eval";
  const dies = (value: TtnnValue): boolean => {
    if (func.deallocates.has(value)) return true;
    if (value.type.kind !== "tensor") return false;
    const isMade = value.producer !== undefined;
    if (func.frees === "l1") return isMade && value.type.layout.bufferType === "l1";
    const isOwn = isMade || freesArguments && !func.kept.has(value);
    return isOwn && (value.name === undefined || returnedInText.has(value.name));
  };
  const consider = (value: TtnnValue): void => {
    if (!dies(value)) return;
    // An argument that nothing uses any more dies first of all.
    const last = lastUser(value) ?? (func.deallocates.has(value) ? first : undefined);
    if (last === undefined || last === terminator) return;
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
