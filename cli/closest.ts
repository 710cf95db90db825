// SPDX-License-Identifier: Apache-2.0
import { closestString } from "@std/text/closest-string";
import { levenshteinDistance } from "@std/text/levenshtein-distance";

/** Most edits of a mistyped word: a name of several words that differs in more is another one, such as a newer op. */
const MOST_EDITS = 3;

/** Fewest leading letters that a word and a candidate must share. */
const LEAST_COMMON = 4;

/**
 * Finds the most likely candidate for a mistyped word.
 *
 * @returns the nearest candidate within {@linkcode MOST_EDITS}, and a third of the word's length; else the one that
 * begins with two thirds of the word (`policy`, `policies`); `undefined` if there is none, or several, and
 * for words of one or two characters
 */
export function closest(word: string, candidates: readonly string[]): string | undefined {
  if (candidates.length === 0) return undefined;
  const nearest = closestString(word, candidates, { caseSensitive: true });
  const distance = levenshteinDistance(word, nearest);
  if (distance > Math.min(MOST_EDITS, Math.floor(word.length / 3))) return beginsEqually(word, candidates);
  const isOnly = candidates.every((other) =>
    other === nearest || levenshteinDistance(word, other) > distance
  );
  return isOnly ? nearest : undefined;
}

function beginsEqually(word: string, candidates: readonly string[]): string | undefined {
  const start = word.slice(0, Math.max(LEAST_COMMON, Math.ceil(word.length * 2 / 3)));
  const beginning = start.length < LEAST_COMMON ? [] : candidates.filter((other) => other.startsWith(start));
  return beginning.length === 1 ? beginning[0] : undefined;
}

/**
 * `; did you mean 'x'?` for the end of a clause; empty if no candidate is near.
 *
 * @param rest a sentence to follow
 */
export function didYouMean(word: string, candidates: readonly string[], rest?: string): string {
  const hint = closest(word, candidates);
  const question = hint === undefined ? "" : `; did you mean '${hint}'?`;
  return rest === undefined ? question : `${question === "" ? "." : question} ${rest}`;
}
