// SPDX-License-Identifier: Apache-2.0

/** Least number of insertions, deletions and replacements that turn one string into the other. */
export function levenshteinDistance(str1: string, str2: string): number;
