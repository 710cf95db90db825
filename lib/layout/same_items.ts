// SPDX-License-Identifier: Apache-2.0

/**
 * Whether two lists hold the same items in the same order.
 *
 * @param isSame whether two items that are not identical count as the same; by default they do not
 */
export function sameItems<Item>(
  a: readonly Item[],
  b: readonly Item[],
  isSame: (item: Item, other: Item) => boolean = () => false,
): boolean {
  return a.length === b.length &&
    a.every((item, index) => {
      const other = b[index];
      return item === other || (other !== undefined && isSame(item, other));
    });
}
