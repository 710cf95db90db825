// SPDX-License-Identifier: Apache-2.0
import { SPILLED_ROUNDS, SPILLED_SHARES } from "../limits.ts";
import { withCaps, withoutCap } from "../l1/l1_caps.ts";
import type { WaitingItem } from "../l1/waits_to_spill.ts";
import type { PlacedSolution, Placing, SolvePlacing } from "./address_search.ts";

/** A solution, and the waits to spill so that it fits. */
export interface SpillableSolution extends PlacedSolution {
  /**
   * Waits to spill so that every step fits a share of L1 by byte sums, the most expensive first; `undefined` if a step
   * holds too many tensors to choose.
   */
  waitsToSpill(share: number): readonly WaitingItem[] | undefined;
}

/** A solution that fits by address, with the waits that are spilled for it. */
interface Fitting<Solution> {
  readonly solution: Solution;
  readonly placing: Placing;
  readonly spilled: readonly WaitingItem[];
}

/**
 * Solutions that fit L1 by address because all values that exceed it are spilled at once. Resolving one conflict after
 * another ({@linkcode leastByAddress}) finds better solutions where few tensors overlap, but none where dozens do, such
 * as activations that wait for a backward pass. In the fastest solution found, every spilled wait is then tried in L1
 * again, the most expensive first: the spills were chosen for a solution that needed more L1.
 *
 * @param inputs restrictions of every solution, apart from the changes; one per order of ops
 * @returns as {@linkcode leastByAddress}
 */
export function* spillingWaits<Solution extends SpillableSolution>(
  inputs: readonly Placing[],
  solve: SolvePlacing<Solution>,
): Generator<Solution | undefined, void, void> {
  let best: Fitting<Solution> | undefined;
  for (const input of inputs) {
    const found = yield* spilledUntilItFits(input, solve);
    if (found === undefined || found.solution.microseconds >= (best?.solution.microseconds ?? Infinity)) {
      continue;
    }
    best = found;
    yield found.solution;
  }
  if (best === undefined) return;
  let { solution, placing } = best;
  for (const item of best.spilled) {
    const without = { ...placing, caps: withoutCap(placing.caps, item) };
    const back = solve(without, true);
    const isBetter = back.microseconds < solution.microseconds && back.conflict === undefined;
    if (isBetter) [solution, placing] = [back, without];
    yield isBetter ? back : undefined;
  }
}

/** Spills until byte sums fit all of L1, then until they fit smaller shares of it, for programs that do not fit by address. */
function* spilledUntilItFits<Solution extends SpillableSolution>(
  input: Placing,
  solve: SolvePlacing<Solution>,
): Generator<undefined, Fitting<Solution> | undefined, void> {
  for (const share of SPILLED_SHARES) {
    let placing = input;
    const spilled: WaitingItem[] = [];
    for (let round = 0; round < SPILLED_ROUNDS; round++) {
      const solution = solve(placing, true);
      yield undefined;
      if (solution.microseconds === Infinity) return undefined;
      if (solution.conflict === undefined) return { solution, placing, spilled };
      const exceeding = solution.waitsToSpill(share);
      if (exceeding === undefined) return undefined;
      // A spilled value still occupies L1 while its reader runs, so it may be listed again.
      const more = exceeding.filter((item) =>
        !spilled.some(({ value, reader }) => value === item.value && reader === item.reader)
      );
      if (more.length === 0) break;
      spilled.push(...more);
      for (const item of more) placing = { ...placing, caps: withCaps(placing.caps, [item], item.bytes) };
    }
  }
  return undefined;
}
