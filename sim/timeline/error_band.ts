// SPDX-License-Identifier: Apache-2.0
import type { TimeBand } from "./timeline.ts";

/** A summand: a time with its published error and error class. */
export interface UncertainTime {
  /** Summands of equal classes share a part of their error. */
  readonly errorClass: string;
  /** The time in µs. */
  readonly microseconds: number;
  /** Half-width of the 68 % interval: 0.08 means between 1/1.08 and 1.08 of the time. */
  readonly relativeError: number;
  /** The part of `relativeError` that two different queries of the class do not share. */
  readonly ownError: number;
}

/**
 * Ratio of the half-widths of the 90 % and the 68 % interval, for errors with the tails of Student's t with
 * two degrees of freedom. Model errors have such tails: most rows are predicted far better than the mean
 * error suggests, a few far worse. A normal distribution was rejected: checked family by family, its claims
 * are overconfident.
 */
export const TAIL = 2.226;

/**
 * |error| at which the distribution of {@linkcode TAIL} reaches 68 %, in units of the scale of {@linkcode heavyTailedShare}.
 */
const SHARE_68 = 0.9274;

/** The intervals of a time with an error: they contain 68 and 90 of 100 true times (see docs/accuracy.md). */
export function bandOf(us: number, relativeError: number): TimeBand {
  const [narrow, wide] = [1 + relativeError, 1 + TAIL * relativeError];
  return { lowerUs: us / narrow, upperUs: us * narrow, lower90Us: us / wide, upper90Us: us * wide };
}

/**
 * Band of a sum of times. The shared error of a class of ops (same kernel model, same constants) shifts all
 * of its summands equally, equal queries err together, and everything else is independent: `error² = Σ_class
 * (Σ_i shared_i × time_i)² + Σ_query (own × time)²`, with `shared² + own² = relativeError²`. An error common
 * to all summands (from gaps between the programs of a whole graph) is added in the same way.
 *
 * @param commonError of the whole sum, half-width of its 68 % interval
 *
 * @example
 * ```ts
 * import { combineErrors } from "@tilewright/tilewright/sim";
 * import { assertAlmostEquals } from "@std/assert";
 *
 * const { upperUs } = combineErrors([
 *   { errorClass: "matmul", microseconds: 30, relativeError: 0.1, ownError: 0.04 },
 *   { errorClass: "eltwise", microseconds: 40, relativeError: 0.1, ownError: 0.04 },
 * ]);
 * // Two classes: sqrt((30 × 0.1)² + (40 × 0.1)²) = 5.
 * assertAlmostEquals(upperUs, 75);
 * ```
 */
export function combineErrors(parts: Iterable<UncertainTime>, commonError: number = 0): TimeBand {
  const sum = new ErrorSum();
  sum.add(parts, 1);
  const { total, error } = sum.result();
  return bandOf(total, total === 0 ? 0 : Math.hypot(error / total, commonError));
}

/** A class, time and error, with its multiplicity in the sum. */
interface ErrorQuestion {
  readonly part: UncertainTime;
  count: number;
}

/**
 * A sum with its error. Summands are counted, not added: rounding left over from adding and subtracting times
 * would look like a difference without error.
 */
class ErrorSum {
  readonly #questions: ErrorQuestion[] = [];
  // Keyed by numbers, because printing their digits would take longer than everything else.
  readonly #known: Map<string, Map<number, ErrorQuestion[]>> = new Map();

  add(parts: Iterable<UncertainTime>, sign: 1 | -1): void {
    for (const part of parts) {
      const ofClass = this.#known.getOrInsertComputed(part.errorClass, () => new Map());
      const ofTime = ofClass.getOrInsertComputed(part.microseconds, () => []);
      const same = ofTime.find((question) => question.part.relativeError === part.relativeError);
      if (same !== undefined) {
        same.count += sign;
        continue;
      }
      const question = { part, count: sign };
      ofTime.push(question);
      this.#questions.push(question);
    }
  }

  /** The sum and its error in µs, half-width of the 68 % interval. */
  result(): { readonly total: number; readonly error: number } {
    const sharedOf = new Map<string, number>();
    let total = 0;
    let squares = 0;
    for (const { part: { errorClass, microseconds, relativeError, ownError }, count } of this.#questions) {
      const net = count * microseconds;
      total += net;
      const shared = Math.sqrt(Math.max(0, relativeError ** 2 - ownError ** 2));
      sharedOf.set(errorClass, (sharedOf.get(errorClass) ?? 0) + shared * net);
      squares += (Math.min(ownError, relativeError) * net) ** 2;
    }
    for (const shift of sharedOf.values()) squares += shift ** 2;
    return { total, error: Math.sqrt(squares) };
  }
}

/** Verdict of a comparison of two predicted times. */
export type TimeVerdict = "faster" | "slower" | "too_close_to_call";

/** A comparison of the second of two sums with the first. */
export interface TimeComparison {
  /** µs of the second minus those of the first. */
  readonly deltaUs: number;
  /** Error of `deltaUs` in µs, half-width of its 68 % interval. */
  readonly errorUs: number;
  /** Probability that the sign of `deltaUs` is right, 0.5 to 1. */
  readonly confidence: number;
  /** `faster` and `slower` are claimed at {@linkcode CLAIM_CONFIDENCE}. */
  readonly verdict: TimeVerdict;
}

/** Least confidence for claiming a difference. */
const CLAIM_CONFIDENCE = 0.8;

/**
 * Compares two sums by the summands that they do not share. Equal summands (class, time and error: the same
 * query to the same model) cancel; the error of the others is that of {@linkcode combineErrors}, with times
 * of the first sum subtracted from those of the second. An error common to both whole sums shifts them
 * equally.
 *
 * @example
 * ```ts
 * import { compareTimes } from "@tilewright/tilewright/sim";
 * import { assertEquals } from "@std/assert";
 *
 * const matmul = { errorClass: "matmul", microseconds: 100, relativeError: 0.1, ownError: 0.04 };
 * const relu = { errorClass: "eltwise", microseconds: 9, relativeError: 0.1, ownError: 0.04 };
 * // The matmul cancels: a relu of 9 µs remains against one of 6, surer than either sum.
 * const before = [matmul, relu];
 * const after = [matmul, { ...relu, microseconds: 6 }];
 * assertEquals(compareTimes(before, after).verdict, "faster");
 * assertEquals(compareTimes(before, before).verdict, "too_close_to_call");
 * ```
 */
export function compareTimes(
  before: Iterable<UncertainTime>,
  after: Iterable<UncertainTime>,
): TimeComparison {
  const sum = new ErrorSum();
  sum.add(after, 1);
  sum.add(before, -1);
  const { total: deltaUs, error: errorUs } = sum.result();
  const confidence = deltaUs === 0 ? 0.5 : heavyTailedShare(Math.abs(deltaUs), errorUs / SHARE_68);
  const claimed = deltaUs < 0 ? "faster" : "slower";
  return {
    deltaUs,
    errorUs,
    confidence,
    verdict: confidence >= CLAIM_CONFIDENCE ? claimed : "too_close_to_call",
  };
}

/** Cumulative distribution of Student's t with two degrees of freedom, scaled by its mean absolute value. */
function heavyTailedShare(value: number, meanError: number): number {
  return (1 + value / Math.hypot(value, meanError)) / 2;
}
