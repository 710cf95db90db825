// SPDX-License-Identifier: Apache-2.0
import type { TimeBand } from "./timeline.ts";

/** One part of a sum: a time and its published relative error, with the class that shares the error's cause. */
export interface UncertainTime {
  /** Parts with equal classes share the cause of their error. */
  readonly errorClass: string;
  /** The time in µs. */
  readonly microseconds: number;
  /** Published error of the class; 0.08 means ±8 %. */
  readonly relativeError: number;
}

/**
 * Band of a sum of times. Within one class errors share a cause (the same kernel model, the same constants), so they
 * are added linearly; errors of different classes are independent, so their sums are added in quadrature: `half width =
 * sqrt(Σ_class (Σ_i error_i × time_i)²)`.
 *
 * @example
 * ```ts
 * import { combineErrors } from "@tilewright/tilewright/sim";
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

/** Verdict of a comparison of two predicted times. */
export type TimeVerdict = "faster" | "slower" | "too_close_to_call";

/** A part of a sum that is compared with another sum. */
export interface ComparedTime extends UncertainTime {
  /** The part of `relativeError` that two different questions of the class do not share. */
  readonly ownError: number;
}

/** A comparison of the second of two sums with the first. */
export interface TimeComparison {
  /** µs of the second minus those of the first. */
  readonly deltaUs: number;
  /** Mean absolute error of `deltaUs` in µs. */
  readonly errorUs: number;
  /** Probability that the sign of `deltaUs` is right, 0.5 to 1. */
  readonly confidence: number;
  /** `faster` and `slower` are claimed at {@linkcode CLAIM_CONFIDENCE}. */
  readonly verdict: TimeVerdict;
}

/** A class, time and error, and how many more parts with them the second sum has than the first. */
interface ErrorQuestion {
  readonly part: ComparedTime;
  more: number;
}

/** Least confidence for claiming a difference. */
const CLAIM_CONFIDENCE = 0.8;

/**
 * Compares two sums by what they do not share. Equal parts (class, time and error: the same question to the same
 * model) cancel. Of the others, the part of the error that a class has in common shifts both sums alike, and each
 * question's own error is independent:
 * `error² = Σ_class (Σ_i shared_i × net_i)² + Σ_question (own × net)²`, where a net time is that of the second sum minus
 * that of the first and `shared² + own² = relativeError²`. Errors are mean absolute ones, large or small together: all
 * of a comparison have the tails of one t distribution with two degrees of freedom.
 *
 * @example
 * ```ts
 * import { compareTimes } from "@tilewright/tilewright/sim";
 * import { assertEquals } from "@std/assert";
 *
 * const matmul = { errorClass: "matmul", microseconds: 100, relativeError: 0.1, ownError: 0.04 };
 * const relu = { errorClass: "eltwise", microseconds: 9, relativeError: 0.1, ownError: 0.04 };
 * // Both have the matmul: what is left is a relu of 9 µs against one of 6, surer than either sum.
 * const before = [matmul, relu];
 * const after = [matmul, { ...relu, microseconds: 6 }];
 * assertEquals(compareTimes(before, after).verdict, "faster");
 * assertEquals(compareTimes(before, before).verdict, "too_close_to_call");
 * ```
 */
export function compareTimes(before: Iterable<ComparedTime>, after: Iterable<ComparedTime>): TimeComparison {
  // Parts are counted, not summed: rounding left over from adding and subtracting times would look like a difference
  // without error.
  const questions: ErrorQuestion[] = [];
  // Keyed by numbers, because printing their digits would take longer than everything else.
  const known = new Map<string, Map<number, ErrorQuestion[]>>();
  const add = (parts: Iterable<ComparedTime>, sign: 1 | -1) => {
    for (const part of parts) {
      const ofClass = known.getOrInsertComputed(part.errorClass, () => new Map());
      const ofTime = ofClass.getOrInsertComputed(part.microseconds, () => []);
      const same = ofTime.find((question) => question.part.relativeError === part.relativeError);
      if (same !== undefined) {
        same.more += sign;
        continue;
      }
      const question = { part, more: sign };
      ofTime.push(question);
      questions.push(question);
    }
  };
  add(after, 1);
  add(before, -1);
  const sharedOf = new Map<string, number>();
  let deltaUs = 0;
  let squares = 0;
  for (const { part: { errorClass, microseconds, relativeError, ownError }, more } of questions) {
    const net = more * microseconds;
    deltaUs += net;
    const shared = Math.sqrt(Math.max(0, relativeError ** 2 - ownError ** 2));
    sharedOf.set(errorClass, (sharedOf.get(errorClass) ?? 0) + shared * net);
    squares += (Math.min(ownError, relativeError) * net) ** 2;
  }
  for (const shift of sharedOf.values()) squares += shift ** 2;
  const errorUs = Math.sqrt(squares);
  const confidence = deltaUs === 0 ? 0.5 : heavyTailedShare(Math.abs(deltaUs), errorUs);
  const claimed = deltaUs < 0 ? "faster" : "slower";
  return {
    deltaUs,
    errorUs,
    confidence,
    verdict: confidence >= CLAIM_CONFIDENCE ? claimed : "too_close_to_call",
  };
}

/**
 * Cumulative distribution of |error| under Student's t with two degrees of freedom and the given mean
 * absolute value. Model errors have such tails: most pairs of measured runs are predicted far better than the
 * mean error says, a few far worse. A normal distribution was rejected: checked family by family, its claims
 * are overconfident.
 */
function heavyTailedShare(value: number, meanError: number): number {
  return (1 + value / Math.hypot(value, meanError)) / 2;
}
