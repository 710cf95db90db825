// SPDX-License-Identifier: Apache-2.0
import type { CostModel } from "./cost_model.ts";

/** What the dispatcher needs for a program, and how many the cores keep ready. */
type Dispatcher = Pick<NonNullable<CostModel["dispatch"]>, "sendMicroseconds" | "readyPrograms">;

/**
 * When the dispatcher has sent a program, in µs: it sends one after the other, and stops while as many are ready as the cores
 * keep. Those that they keep are there when a function begins.
 *
 * @param before when it had sent the program before
 * @param starts when programs started, as far as they did
 * @param program which one is sent, counted from 0
 */
export function sentAfter(
  { sendMicroseconds, readyPrograms }: Dispatcher,
  before: number,
  starts: readonly number[],
  program: number,
): number {
  const freed = starts[program - readyPrograms];
  return freed === undefined ? 0 : Math.max(before, freed) + sendMicroseconds;
}
