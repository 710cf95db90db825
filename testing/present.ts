// SPDX-License-Identifier: Apache-2.0
import { assert } from "@std/assert";

/** What a test knows to be there; a test that is wrong about it fails here. */
export function present<Item>(item: Item | undefined): Item {
  assert(item !== undefined, "nothing is there");
  return item;
}
