// SPDX-License-Identifier: Apache-2.0
import type { CostModel, RuntimeEstimate } from "./cost_model.ts";

/**
 * µs that a step takes up on the device before the next one can run: its own, but no less than the dispatcher needs to
 * send the next program meanwhile (tt-metal:pgm-dispatch). A sum of these is the simulator's total without congestion,
 * except that nothing waits after the last step.
 */
export function occupiedMicroseconds({ microseconds, bound }: RuntimeEstimate, cost: CostModel): number {
  if (microseconds === 0 || bound === "HOST") return microseconds;
  return Math.max(microseconds, cost.programSendMicroseconds ?? 0);
}
