// SPDX-License-Identifier: Apache-2.0
import type { DispatcherTimes, RuntimeEstimate } from "./cost_model.ts";

/** The time that the dispatcher needs for a program, and how many programs the cores keep ready. */
type Dispatcher = Pick<DispatcherTimes, "dispatchMicroseconds" | "readyPrograms">;

/**
 * When the dispatcher has dispatched a program, in µs: it sends them one after the other, and pauses while
 * the cores have as many ready as they can keep. That many are ready when a function begins.
 *
 * @param before when it had dispatched the previous program
 * @param starts start times of the programs that have started
 * @param program index of the program that is dispatched, from 0
 */
export function dispatchedAfter(
  { dispatchMicroseconds, readyPrograms }: Dispatcher,
  before: number,
  starts: readonly number[],
  program: number,
): number {
  const freed = starts[program - readyPrograms];
  return freed === undefined ? 0 : Math.max(before, freed) + dispatchMicroseconds;
}

/** The facts about a program that determine its start. */
export interface TimedProgram extends Pick<RuntimeEstimate, "microseconds" | "bound"> {
  readonly terms: Pick<RuntimeEstimate["terms"], "launch">;
}

/**
 * When a program's kernel starts, in µs: one launch after the end of the previous one, and not before it was
 * dispatched. For an op of several programs, the first one must be dispatched. Programs on the host are not
 * dispatched.
 *
 * @param gapMicroseconds µs between two programs that are both dispatched
 * @param end when the previous one ended
 * @param dispatched when the dispatcher had dispatched this one
 */
export function startAfter(
  { gapMicroseconds }: Pick<DispatcherTimes, "gapMicroseconds">,
  { bound, terms: { launch } }: TimedProgram,
  end: number,
  dispatched: number,
): number {
  if (bound === "HOST") return end + launch;
  const first = Math.min(launch, gapMicroseconds);
  return Math.max(end + first, dispatched) + launch - first;
}
