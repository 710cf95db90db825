// SPDX-License-Identifier: Apache-2.0

/** One kind of change to something that is improved in place. */
export interface Pass<Site> {
  /** Where it may save time, the most promising first. */
  sites(): Iterable<Site>;
  /** Makes the best change at a site, if that saves time. */
  improveAt(site: Site): boolean;
  /** Whether its budget of work is spent. */
  isSpent(): boolean;
}

/**
 * Hill climbing, the engine of all improvements: every pass visits its sites, round after round, because one
 * change may allow another, until a round changes nothing.
 *
 * @returns how many changes were made
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
