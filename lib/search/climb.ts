// SPDX-License-Identifier: Apache-2.0

/** One kind of change in a hill climb, with its sites. */
export interface Pass<Site> {
  /** Sites where the change may save time, most promising first. */
  sites(): Iterable<Site>;
  /** Applies the best change at a site if it saves time; returns whether it did. */
  improveAt(site: Site): boolean;
  /** Whether its budget of work is spent. */
  isSpent(): boolean;
}

/**
 * Hill climbing, the engine of all improvements: every pass visits its sites, round after round, until a
 * round changes nothing. Rounds repeat because one change may enable another.
 *
 * @returns the number of changes
 */
export function climb<Site>(passes: readonly Pass<Site>[], mostRounds: number): number {
  let changes = 0;
  for (let round = 0; round < mostRounds; round++) {
    const before = changes;
    for (const pass of passes) {
      for (const site of pass.sites()) {
        if (pass.isSpent()) break;
        if (pass.improveAt(site)) changes++;
      }
    }
    if (changes === before) break;
  }
  return changes;
}
