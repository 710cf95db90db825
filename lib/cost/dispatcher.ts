// SPDX-License-Identifier: Apache-2.0
import type { DispatcherTimes, RuntimeEstimate } from "./cost_model.ts";

/** The time that the dispatcher needs for a program, and how many programs the cores keep ready. */
type Dispatcher = Pick<DispatcherTimes, "sendMicroseconds" | "readyPrograms">;

/**
 * When the dispatcher has sent a program, in µs: it sends them one after the other, and pauses while the cores
 * have as many ready as they can keep. That many are ready when a function begins.
 *
 * @param before when it had sent the previous program
 * @param starts start times of the programs that have started
 * @param program index of the program that is sent, from 0
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

/** The facts about a program that determine its start. */
export interface TimedProgram extends Pick<RuntimeEstimate, "microseconds" | "bound"> {
  readonly terms: Pick<RuntimeEstimate["terms"], "launch">;
}

/**
 * When a program's kernel starts, in µs: one launch after the end of the previous one, and not before it was
 * sent. For an op of several programs, the first one must be sent. Programs on the host are not sent.
 *
 * @param gapMicroseconds µs between two programs that are both sent
 * @param end when the previous one ended
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
