// SPDX-License-Identifier: Apache-2.0
import type { DispatcherTimes, RuntimeEstimate } from "./cost_model.ts";

/** What the dispatcher needs for a program, and how many the cores keep ready. */
type Dispatcher = Pick<DispatcherTimes, "sendMicroseconds" | "readyPrograms">;

/**
 * When the dispatcher has sent a program, in µs: it sends one after the other, and stops while as many are ready as the
 * cores keep. Those that they keep are there when a function begins.
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

/** What the clock has to know of a program. */
export interface TimedProgram extends Pick<RuntimeEstimate, "microseconds" | "bound"> {
  readonly terms: Pick<RuntimeEstimate["terms"], "launch">;
}

/**
 * When a program's kernel starts, in µs: one launch after the end of the one before, and not before it was sent; of an
 * op of several programs, the dispatcher has to have sent the first. What runs on the host is not sent.
 *
 * @param gapMicroseconds µs between two programs that are both there
 * @param end when the one before ended
 * @param sent when the dispatcher had sent this one
 */
export function startAfter(
  { gapMicroseconds }: Pick<DispatcherTimes, "gapMicroseconds">,
  { bound, terms: { launch } }: TimedProgram,
  end: number,
  sent: number,
): number {
  if (bound === "HOST") return end + launch;
  const first = Math.min(launch, gapMicroseconds);
  return Math.max(end + first, sent) + launch - first;
}
