// SPDX-License-Identifier: Apache-2.0

/** Options of {@linkcode closestString}. */
export interface ClosestStringOptions {
  /** Whether upper and lower case differ; `false` by default. */
  caseSensitive?: boolean;
}

/** The word that is nearest to another. Throws a `TypeError` for no words. */
export function closestString(
  givenWord: string,
  possibleWords: ReadonlyArray<string>,
  options?: ClosestStringOptions,
): string;
