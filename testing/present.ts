// SPDX-License-Identifier: Apache-2.0
import { assert } from "@std/assert";

/** Asserts that a value is present. */
export function present<Item>(item: Item | undefined): Item {
  assert(item !== undefined, "nothing is there");
  return item;
}
