// SPDX-License-Identifier: Apache-2.0

/** Answers that a {@linkcode remember} keeps; a search over a model needs some hundreds. */
const MOST_CACHED = 16384;

/** The answer to a question that was asked before, or a new one, which is kept. All are forgotten when there are too many. */
export function remember<Answer>(cache: Map<string, Answer>, key: string, answer: () => Answer): Answer {
  const before = cache.get(key);
  if (before !== undefined) return before;
  if (cache.size >= MOST_CACHED) cache.clear();
  const made = answer();
  cache.set(key, made);
  return made;
}
