// SPDX-License-Identifier: Apache-2.0

/** A shortened value, with descriptions of the omissions. */
export interface BoundedJson {
  readonly value: unknown;
  /** In words: `ops: 200 of 295 left out`. */
  readonly omitted: readonly string[];
}

/** A list inside a value. */
interface List {
  readonly path: string;
  readonly items: unknown[];
  readonly before: number;
}

/** Rounds of cutting: each cuts lists with a text above `share · characters`, down to `items` items. */
const SPARED = [{ share: 0.05, items: 1 }, { share: 0, items: 1 }, { share: 0, items: 0 }] as const;

/**
 * Cuts the ends of long lists until a value prints in at most so many characters. The beginning of a document
 * matters most and is cut last: lists of its last key are halved first, the longest first, down to one item
 * each. Objects and texts stay whole.
 */
export function boundedJson(value: unknown, characters: number): BoundedJson {
  const copy: unknown = structuredClone(value);
  const parts = (typeof copy === "object" && copy !== null ? Object.entries(copy) : []).map(([key, part]) => {
    const lists: List[] = [];
    collect(part, Array.isArray(copy) ? `[${key}]` : key, lists);
    return lists;
  });
  if (Array.isArray(copy)) parts.unshift([{ path: "the list", items: copy, before: copy.length }]);
  const all = parts.flat();
  let over = JSON.stringify(copy).length - characters;
  for (const spared of SPARED) {
    for (const lists of parts.toReversed()) {
      while (over > 0) {
        const longest = longestOf(lists, spared.items, spared.share * characters);
        if (longest === undefined) break;
        const { items } = longest;
        items.length = Math.max(spared.items, Math.floor(items.length / 2));
        over = JSON.stringify(copy).length - characters;
      }
    }
  }
  const omitted = all.filter(({ items, before }) => items.length < before).map(({ path, items, before }) =>
    `${path}: ${before - items.length} of ${before} left out`
  );
  return { value: copy, omitted };
}

/**
 * The list of more than `least` items with the longest own text, of at least `enough` characters, nested
 * lists excluded.
 */
function longestOf(lists: readonly List[], least: number, enough: number): List | undefined {
  let longest: List | undefined;
  let most = enough;
  for (const list of lists) {
    if (list.items.length <= least) continue;
    const own = ownLength(list.items);
    if (own > most) [longest, most] = [list, own];
  }
  return longest;
}

/** Characters of a value without those of the lists in its items. */
function ownLength(items: readonly unknown[]): number {
  return JSON.stringify(items, (_, part) => part !== items && Array.isArray(part) ? 0 : part).length;
}

function collect(value: unknown, path: string, lists: List[]): void {
  if (Array.isArray(value)) {
    lists.push({ path, items: value, before: value.length });
    value.forEach((item, index) => collect(item, `${path}[${index}]`, lists));
  } else if (typeof value === "object" && value !== null) {
    for (const [key, item] of Object.entries(value)) collect(item, `${path}.${key}`, lists);
  }
}
