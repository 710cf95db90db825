// SPDX-License-Identifier: Apache-2.0
import { SPILLED_ROUNDS, SPILLED_SHARES } from "../limits.ts";
import { withCaps, withoutCap } from "../l1/l1_branching.ts";
import type { WaitingItem } from "../l1/waits_to_spill.ts";
import type { PlacedSolution, Placing } from "./address_search.ts";

/** A solution that tells which waits to spill. */
export interface SpillableSolution extends PlacedSolution {
  /**
   * Waits to spill so that its steps fit a share of L1 by byte sums, the dearest first; `undefined` if a step holds too
   * many tensors to tell.
   */
  waitsToSpill(share: number): readonly WaitingItem[] | undefined;
}

/**
 * Solutions that fit L1 by address because the values that exceed it wait elsewhere, all at once. A search that resolves
 * one conflict after another ({@linkcode leastByAddress}) finds better ones where few tensors are in the way, and none
 * where dozens are, such as activations that wait for a backward pass. Where byte sums fit and addresses do not, less of
 * L1 is filled. Then every spilled wait is tried in L1 again, the dearest first, because the solution under the others
 * needs less L1 than the one that they were chosen for.
 *
 * @returns as {@linkcode leastByAddress}
 */
export function* spillingWaits<Solution extends SpillableSolution>(
  input: Placing,
  solve: (placing: Placing, isFollowed: boolean) => Solution,
): Generator<Solution | undefined, void, void> {
  for (const share of SPILLED_SHARES) {
    let placing = input;
    const spilled: WaitingItem[] = [];
    let solution: Solution | undefined;
    for (let round = 0; round < SPILLED_ROUNDS; round++) {
      solution = solve(placing, true);
      const more = solution.microseconds === Infinity ? undefined : solution.waitsToSpill(share);
      if (more === undefined) return;
      if (more.length === 0) break;
      spilled.push(...more);
      for (const item of more) placing = { ...placing, caps: withCaps(placing.caps, [item], item.bytes) };
      yield undefined;
    }
    if (solution === undefined || solution.conflict !== undefined) continue;
    yield solution;
    let best = solution;
    for (const item of spilled) {
      const without = { ...placing, caps: withoutCap(placing.caps, item) };
      const back = solve(without, true);
      const isBetter = back.microseconds < best.microseconds && back.conflict === undefined;
      if (isBetter) [best, placing] = [back, without];
      yield isBetter ? back : undefined;
    }
    return;
  }
}
