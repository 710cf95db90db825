// SPDX-License-Identifier: Apache-2.0
import { closestString } from "@std/text/closest-string";
import { levenshteinDistance } from "@std/text/levenshtein-distance";

/**
 * Finds the candidate that a mistyped word most likely meant.
 *
 * @returns the nearest candidate by edit distance, or `undefined` when none is within a third of the word's length, or
 *   several are equally near; of one or two characters everything short is near, so nothing is
 */
export function closest(word: string, candidates: readonly string[]): string | undefined {
  if (candidates.length === 0) return undefined;
  const nearest = closestString(word, candidates, { caseSensitive: true });
  const distance = levenshteinDistance(word, nearest);
  if (distance > Math.floor(word.length / 3)) return undefined;
  const isOnly = candidates.every((other) =>
    other === nearest || levenshteinDistance(word, other) > distance
  );
  return isOnly ? nearest : undefined;
}

/**
 * `; did you mean 'x'?` for the end of a clause, or nothing when no candidate is near.
 *
 * @param rest a sentence to follow
 */
export function didYouMean(word: string, candidates: readonly string[], rest?: string): string {
  const hint = closest(word, candidates);
  const question = hint === undefined ? "" : `; did you mean '${hint}'?`;
  return rest === undefined ? question : `${question === "" ? "." : question} ${rest}`;
}
