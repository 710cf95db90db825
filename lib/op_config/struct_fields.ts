// SPDX-License-Identifier: Apache-2.0
import { splitTopLevel } from "../ir/balanced.ts";

/**
 * The fields of a struct attribute's body by name, each with its exact text: `key = value, …` in any order, as
 * `struct(params)` in tt-mlir's TableGen reads them.
 *
 * @param positions names of fields that stand by position instead, as in `<l1_full, 0>`
 */
export function structFields(body: string, positions: readonly string[] = []): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  splitTopLevel(body, ",").forEach((part, index) => {
    const equals = part.indexOf("=");
    const position = positions[index];
    if (position !== undefined) fields.set(position, part);
    else if (equals > 0) fields.set(part.slice(0, equals).trim(), part.slice(equals + 1).trim());
  });
  return fields;
}
