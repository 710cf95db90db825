// SPDX-License-Identifier: Apache-2.0
import type { Timeline } from "../sim/timeline/timeline.ts";

/** A predicted saving. */
export interface Saving {
  /** In µs per inference. */
  readonly savedUs: number;
  /** Half-width of its 68 % interval, as a share of it. */
  readonly relativeError: number;
}

/** Least reported saving, as a share of the time. */
const LEAST_SHARE = 0.005;

/** The sum of savings of a plan; `undefined` if it is too small to report. */
export function totalSaving(savings: readonly Saving[], { inference }: Timeline): Saving | undefined {
  const savedUs = savings.reduce((sum, each) => sum + each.savedUs, 0);
  if (savedUs <= 0 || savedUs < LEAST_SHARE * inference.totalUs) return undefined;
  const errorUs = savings.reduce((sum, each) => sum + each.savedUs * each.relativeError, 0);
  return { savedUs, relativeError: errorUs / savedUs };
}
