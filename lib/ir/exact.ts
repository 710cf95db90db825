// SPDX-License-Identifier: Apache-2.0

/** A list without the room that was left for more: a module keeps some ten short lists for every op. */
export function exact<Item>(list: Item[]): Item[] {
  return list.length > 1 ? list.slice() : list;
}
