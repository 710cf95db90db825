// SPDX-License-Identifier: Apache-2.0

/**
 * Milliseconds of the quickest of several runs: what the code can do, on a machine that others use as well. Stops at
 * the first run below the limit.
 *
 * @param runs most runs
 * @param limit milliseconds that are quick enough
 */
export function quickest(runs: number, limit: number, run: () => void): number {
  let best = Infinity;
  for (let count = 0; count < runs && best >= limit; count++) {
    const start = performance.now();
    run();
    best = Math.min(best, performance.now() - start);
  }
  return best;
}
