// SPDX-License-Identifier: Apache-2.0

/** The result and the number of tries. */
export interface Minimal<Item> {
  /** In the order of the input. Without any single one of them the condition does not hold, unless tries ran out. */
  readonly items: readonly Item[];
  readonly tries: number;
  /** Whether the tries ran out before the result was minimal. */
  readonly stoppedEarly: boolean;
}

/**
 * Removes as many items as possible while a condition still holds: delta debugging (ddmin) of A. Zeller and R.
 * Hildebrandt, first each part alone, then all but each part, in ever smaller parts.
 *
 * @param items for which the condition holds; nothing is asked about all of them
 * @param holds whether the condition holds for some of the items, in their order
 * @param mostTries questions to `holds`, at most
 */
export function minimise<Item>(
  items: readonly Item[],
  holds: (some: readonly Item[]) => boolean,
  mostTries: number,
): Minimal<Item> {
  let current = items;
  let tries = 0;
  const keeps = (some: readonly Item[]): boolean => {
    tries++;
    return holds(some);
  };
  let parts = 2;
  while (current.length > 1) {
    const chunks = split(current, Math.min(parts, current.length));
    let found: readonly Item[] | undefined;
    let isPart = false;
    for (const chunk of chunks) {
      if (tries >= mostTries) return { items: current, tries, stoppedEarly: true };
      if (!keeps(chunk)) continue;
      found = chunk;
      isPart = true;
      break;
    }
    // With two parts all but one is the other one.
    if (found === undefined && chunks.length > 2) {
      for (const chunk of chunks) {
        if (tries >= mostTries) return { items: current, tries, stoppedEarly: true };
        const left = new Set(chunk);
        const rest = current.filter((item) => !left.has(item));
        if (!keeps(rest)) continue;
        found = rest;
        break;
      }
    }
    if (found !== undefined) {
      current = found;
      parts = isPart ? 2 : Math.max(2, parts - 1);
    } else if (parts >= current.length) {
      break;
    } else {
      parts = Math.min(current.length, parts * 2);
    }
  }
  return { items: current, tries, stoppedEarly: false };
}

/** Parts of nearly equal length, in order. */
function split<Item>(items: readonly Item[], parts: number): readonly (readonly Item[])[] {
  return Array.from({ length: parts }, (_, part) =>
    items.slice(
      Math.floor(items.length * part / parts),
      Math.floor(items.length * (part + 1) / parts),
    ));
}
