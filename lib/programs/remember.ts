// SPDX-License-Identifier: Apache-2.0

/** Entries of a {@linkcode remember} cache; a search over a model needs some hundreds. */
const MOST_CACHED = 16384;

/** The cached answer for a key, computed if missing. The cache is cleared when full. */
export function remember<Answer>(cache: Map<string, Answer>, key: string, answer: () => Answer): Answer {
  const before = cache.get(key);
  if (before !== undefined) return before;
  if (cache.size >= MOST_CACHED) cache.clear();
  const made = answer();
  cache.set(key, made);
  return made;
}
