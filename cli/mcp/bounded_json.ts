// SPDX-License-Identifier: Apache-2.0

/** A shortened value, and what was left out. */
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

/**
 * Cuts the ends of long lists off until a value prints in so many characters: always half of the list that prints the
 * longest. Objects and texts stay whole, so that the value keeps its schema.
 */
export function boundedJson(value: unknown, characters: number): BoundedJson {
  const copy: unknown = structuredClone(value);
  const lists: List[] = [];
  collect(copy, "", lists);
  const cut = new Set<List>();
  while (JSON.stringify(copy).length > characters) {
    let longest: Longest = { list: undefined, length: 0 };
    for (const list of lists) {
      const length = list.items.length === 0 ? 0 : JSON.stringify(list.items).length;
      if (length > longest.length) longest = { list, length };
    }
    if (longest.list === undefined) break;
    const { items } = longest.list;
    items.length = Math.floor(items.length / 2);
    cut.add(longest.list);
  }
  const omitted = [...cut].map(({ path, items, before }) =>
    `${path}: ${before - items.length} of ${before} left out`
  );
  return { value: copy, omitted };
}

interface Longest {
  readonly list: List | undefined;
  readonly length: number;
}

function collect(value: unknown, path: string, lists: List[]): void {
  if (Array.isArray(value)) {
    lists.push({ path: path === "" ? "the list" : path, items: value, before: value.length });
    value.forEach((item, index) => collect(item, `${path}[${index}]`, lists));
  } else if (typeof value === "object" && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      collect(item, path === "" ? key : `${path}.${key}`, lists);
    }
  }
}
