// SPDX-License-Identifier: Apache-2.0
import type { FunctionModel } from "../../search/function_model.ts";
import type { OpRoles } from "../../search/op_roles.ts";

/**
 * Numbers the parts of a function between single live values. A part ends where only one of the values that ops have made is
 * still to be read; what is derived from constants does not count. What lies in L1 during one part hardly touches the next.
 *
 * @param longest most ops over which a value is read that counts. With a limit, a mask that every layer reads does not tie all
 * layers together, and neither does a value that only waits for `return`
 * @returns by op the number of its part, rising
 */
export function functionParts(
  { fn }: FunctionModel,
  { constantDerived }: OpRoles,
  longest: number = Infinity,
): readonly number[] {
  /** By position: how many values more are still to be read there than at the one before. */
  const more = new Int32Array(fn.ops.length + 2);
  for (const { id, tensor, definition, uses, returned } of fn.values) {
    if (tensor === undefined || definition.kind !== "result" || constantDerived[id] === true) continue;
    const last = returned > 0 && longest === Infinity ? fn.ops.length : uses.at(-1)?.op ?? definition.op;
    if (last - definition.op > longest) continue;
    more[definition.op + 1] = (more[definition.op + 1] ?? 0) + 1;
    more[last + 1] = (more[last + 1] ?? 0) - 1;
  }
  let [part, live] = [0, 0];
  return fn.ops.map(({ id }) => {
    live += more[id] ?? 0;
    return live <= 1 ? ++part : part;
  });
}
