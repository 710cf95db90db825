// SPDX-License-Identifier: Apache-2.0

/**
 * Finds the candidate that a mistyped word most likely meant.
 *
 * @returns the nearest candidate by edit distance, or `undefined` when none is within a third of the word's length
 */
export function closest(word: string, candidates: readonly string[]): string | undefined {
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(word.length / 3)) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(word, candidate);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** `; did you mean 'x'?` for the end of a clause, or nothing when no candidate is near. */
export function didYouMean(word: string, candidates: readonly string[]): string {
  const hint = closest(word, candidates);
  return hint === undefined ? "" : `; did you mean '${hint}'?`;
}

/** Least number of insertions, deletions and replacements that turn one word into the other (Levenshtein). */
export function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const replace = (previous[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      current.push(Math.min(replace, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[b.length] ?? 0;
}
