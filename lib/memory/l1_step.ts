// SPDX-License-Identifier: Apache-2.0
import type { L1Step } from "./l1_schedule.ts";
import type { OpFootprint } from "./op_footprint.ts";

/**
 * One step of the L1 simulation, from a footprint. Its `inRoom` gives the step as the backend runs it in the free L1 at
 * its begin, `undefined` if the op is refused there and not as planned.
 *
 * @param reads tensors that it reads, one per operand
 * @param results tensors that it produces; the first shares the buffer of the footprint's `aliasedOperand`
 */
export function l1Step(reads: readonly number[], results: readonly number[], footprint: OpFootprint): L1Step {
  const {
    aliasedOperand,
    resultBytes,
    events,
    circularBufferBytes,
    largestCircularBuffers,
    ownPeakBytes,
    inRoom,
    refusal,
  } = footprint;
  return {
    reads,
    defines: results.map((tensor, index) => ({
      tensor,
      l1Bytes: resultBytes[index] ?? 0,
      aliasOf: index === 0 && aliasedOperand !== undefined ? reads[aliasedOperand] : undefined,
    })),
    events,
    circularBufferBytes,
    largestCircularBuffers,
    ownPeakBytes,
    ...(inRoom === undefined ? {} : {
      inRoom: (room) => {
        const inside = inRoom(room);
        return inside.refusal === undefined || inside.refusal === refusal
          ? l1Step(reads, results, { ...inside, aliasedOperand })
          : undefined;
      },
    }),
  };
}
