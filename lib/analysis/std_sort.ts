// SPDX-License-Identifier: Apache-2.0

/** Ranges up to this length are left to the insertion sort at the end. */
const THRESHOLD = 16;

/**
 * Sorts as libstdc++'s `std::sort` does: equal items end in the order in which its median-of-three quicksort leaves
 * them. tt-mlir's compiler ranks layouts with it, so this order decides between shards over equally many cores
 * (`tt-mlir:greedy-2026-10`). The heap sort of degenerate ranges is left out: lists of layouts are none.
 *
 * @param isBefore a strict weak order
 */
export function stdSort<Item>(
  items: readonly Item[],
  isBefore: (a: Item, b: Item) => boolean,
): readonly Item[] {
  const sorted = [...items];
  quicksort(sorted, 0, sorted.length, isBefore);
  for (const [at, item] of sorted.entries()) {
    let place = at;
    for (let before = sorted[place - 1]; before !== undefined && isBefore(item, before);) {
      sorted[place] = before;
      place--;
      before = sorted[place - 1];
    }
    sorted[place] = item;
  }
  return sorted;
}

/** Partitions a range until only short ranges are left. */
function quicksort<Item>(
  items: Item[],
  from: number,
  to: number,
  isBefore: (a: Item, b: Item) => boolean,
): void {
  const less = (a: number, b: number): boolean => {
    const [first, second] = [items[a], items[b]];
    return first !== undefined && second !== undefined && isBefore(first, second);
  };
  const swap = (a: number, b: number): void => {
    const [first, second] = [items[a], items[b]];
    if (first === undefined || second === undefined) return;
    items[a] = second;
    items[b] = first;
  };
  for (let end = to; end - from > THRESHOLD;) {
    const [a, b, c] = [from + 1, from + Math.floor((end - from) / 2), end - 1];
    const [low, high] = less(a, b) ? [a, b] : [b, a];
    swap(from, less(high, c) ? high : less(low, c) ? c : low);
    let [left, right] = [from + 1, end];
    while (true) {
      while (less(left, from)) left++;
      right--;
      while (less(from, right)) right--;
      if (left >= right) break;
      swap(left, right);
      left++;
    }
    quicksort(items, left, end, isBefore);
    end = left;
  }
}
