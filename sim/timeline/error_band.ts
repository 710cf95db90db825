// SPDX-License-Identifier: Apache-2.0
import type { TimeBand } from "./timeline.ts";

/** One part of a sum: a time and its published relative error, with the class that shares the error's cause. */
export interface UncertainTime {
  /** Parts with equal classes err together. */
  readonly errorClass: string;
  /** The time in µs. */
  readonly microseconds: number;
  /** Published error of the class; 0.08 means ±8 %. */
  readonly relativeError: number;
}

/**
 * Band of a sum of times. Within one class errors share a cause (the same kernel model, the same constants), so they
 * are added up as they are; different classes err independently, so their sums are added in quadrature:
 * `half width = sqrt(Σ_class (Σ_i error_i × time_i)²)`.
 *
 * @example
 * ```ts
 * import { combineErrors } from "@tilewright/tilewright";
 * import { assertEquals } from "@std/assert";
 *
 * const band = combineErrors([
 *   { errorClass: "matmul", microseconds: 30, relativeError: 0.1 },
 *   { errorClass: "eltwise", microseconds: 40, relativeError: 0.1 },
 * ]);
 * assertEquals(band, { lowerUs: 65, upperUs: 75 });
 * ```
 */
export function combineErrors(parts: Iterable<UncertainTime>): TimeBand {
  const halfWidthOf = new Map<string, number>();
  let total = 0;
  for (const { errorClass, microseconds, relativeError } of parts) {
    total += microseconds;
    halfWidthOf.set(errorClass, (halfWidthOf.get(errorClass) ?? 0) + microseconds * relativeError);
  }
  let squares = 0;
  for (const halfWidth of halfWidthOf.values()) squares += halfWidth ** 2;
  const halfWidth = Math.sqrt(squares);
  return { lowerUs: Math.max(0, total - halfWidth), upperUs: total + halfWidth };
}

/** What a comparison of two predicted times may claim. */
export type Verdict = "faster" | "slower" | "too_close_to_call";

/**
 * Compares two times with their bands: a difference inside the bands is no difference.
 *
 * @example
 * ```ts
 * import { compareTimes } from "@tilewright/tilewright";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(compareTimes({ lowerUs: 90, upperUs: 110 }, { lowerUs: 70, upperUs: 80 }), "faster");
 * assertEquals(compareTimes({ lowerUs: 90, upperUs: 110 }, { lowerUs: 80, upperUs: 95 }), "too_close_to_call");
 * ```
 */
export function compareTimes(before: TimeBand, after: TimeBand): Verdict {
  if (after.upperUs < before.lowerUs) return "faster";
  if (after.lowerUs > before.upperUs) return "slower";
  return "too_close_to_call";
}
