// SPDX-License-Identifier: Apache-2.0
import type { FunctionModel } from "../../search/function_model.ts";
import type { OpRoles } from "../../search/op_roles.ts";

/**
 * Numbers the parts of a function between single live values. A part ends where only one value produced by ops
 * is still to be read; values derived from constants do not count. The L1 contents of one part hardly affect
 * the next.
 *
 * @returns by op: the number of its part, ascending
 */
export function functionParts(
  { fn }: FunctionModel,
  { constantDerived }: OpRoles,
): readonly number[] {
  /** By position: how many more values are still to be read there than at the position before. */
  const more = new Int32Array(fn.ops.length + 2);
  for (const { id, tensor, definition, uses, returned } of fn.values) {
    if (tensor === undefined || definition.kind !== "result" || constantDerived[id] === true) continue;
    const last = returned > 0 ? fn.ops.length : uses.at(-1)?.op ?? definition.op;
    more[definition.op + 1] = (more[definition.op + 1] ?? 0) + 1;
    more[last + 1] = (more[last + 1] ?? 0) - 1;
  }
  let [part, live] = [0, 0];
  return fn.ops.map(({ id }) => {
    live += more[id] ?? 0;
    return live <= 1 ? ++part : part;
  });
}
