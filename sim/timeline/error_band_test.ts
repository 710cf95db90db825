// SPDX-License-Identifier: Apache-2.0
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { bandOf, combineErrors, compareTimes, type UncertainTime } from "./error_band.ts";

Deno.test("bandOf() holds 68 and 90 of 100 deviates of Student's t with two degrees of freedom, above nothing", () => {
  const random = generator(3);
  let [narrow, wide] = [0, 0];
  const trials = 40_000;
  const band = bandOf(100, 0.1);
  for (let trial = 0; trial < trials; trial++) {
    const normal = Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random());
    // A normal deviate over a chi deviate has the quantile 1.3116 at 68 %.
    const error = 0.1 / 1.3116 * normal / Math.sqrt(-Math.log(random()));
    const share = error >= 0 ? 1 + error : 1 / (1 - error);
    if (100 * share >= band.lowerUs && 100 * share <= band.upperUs) narrow++;
    if (100 * share >= band.lower90Us && 100 * share <= band.upper90Us) wide++;
  }
  assertAlmostEquals(narrow / trials, 0.68, 0.01);
  assertAlmostEquals(wide / trials, 0.9, 0.01);
  assert(bandOf(4, 20).lower90Us > 0);
});

Deno.test("combineErrors() adds shared errors of a class linearly, and the others in quadrature, per distinct question", () => {
  const shared = combineErrors([part("a", 10, 0.1, 0), part("a", 20, 0.1, 0), part("b", 20, 0.2, 0)]);
  assertAlmostEquals(shared.upperUs, 50 + 5, 1e-9);
  const own = combineErrors([part("a", 30, 0.1, 0.1), part("a", 40, 0.1, 0.1)]);
  assertAlmostEquals(own.upperUs, 70 + 5, 1e-9);
  const repeated = combineErrors([part("a", 30, 0.1, 0.1), part("a", 30, 0.1, 0.1)]);
  assertAlmostEquals(repeated.upperUs, 60 + 6, 1e-9);
  assertAlmostEquals(combineErrors([part("a", 10, 0.3, 0)], 0.4).upperUs, 10 * 1.5, 1e-9);
  assertEquals(combineErrors([], 0.2), bandOf(0, 0));
});

/** A part of a sum. */
function part(errorClass: string, microseconds: number, relativeError = 0.2, ownError = 0.1): UncertainTime {
  return { errorClass, microseconds, relativeError, ownError };
}

Deno.test("compareTimes() claims nothing about equal sums, and all about sums without error", () => {
  const parts = [part("matmul", 10), part("softmax", 20)];
  assertEquals(compareTimes(parts, parts).verdict, "too_close_to_call");
  assertEquals(compareTimes(parts, [...parts].reverse()), compareTimes(parts, parts));
  const exact = compareTimes([part("matmul", 10, 0, 0)], [part("matmul", 9, 0, 0)]);
  assertEquals([exact.verdict, exact.confidence, exact.errorUs], ["faster", 1, 0]);
});

Deno.test("compareTimes() claims nothing about the same questions, however often each is asked", () => {
  // Summed up and taken away again, 500 times 3.45011 leave some 1e-13 µs.
  const parts = Array.from({ length: 500 }, (_, index) => part("relu", index % 3 === 0 ? 3.45011 : 0.1));
  const { deltaUs, verdict } = compareTimes(parts, parts);
  assertEquals([deltaUs, verdict], [0, "too_close_to_call"]);
});

Deno.test("compareTimes() sees a small change behind a long common part, which bands of sums do not", () => {
  const common = Array.from({ length: 20 }, (_, index) => part("matmul", 100 + index));
  const before = [...common, part("relu", 10)];
  const after = [...common, part("relu", 7)];
  assertEquals(compareTimes(before, after).verdict, "faster");
  assertEquals(compareTimes(after, before).verdict, "slower");
  const bands = [before, after].map((parts) => combineErrors(parts));
  assert((bands[1]?.upperUs ?? 0) > (bands[0]?.lowerUs ?? 0));
});

Deno.test("compareTimes() is surer within a class than between classes, and less sure of more repeats", () => {
  const within = compareTimes([part("a", 10)], [part("a", 8)]);
  const between = compareTimes([part("a", 10)], [part("b", 8)]);
  assert(within.confidence > between.confidence);
  // Ten times the same question err together: the error grows as the time does.
  const repeated = compareTimes(
    Array.from({ length: 10 }, () => part("a", 10)),
    Array.from({ length: 10 }, () => part("a", 8)),
  );
  assertAlmostEquals(repeated.confidence, within.confidence, 1e-6);
});

Deno.test("compareTimes(): the claimed confidence is the share of random truths with that sign", () => {
  const random = generator(7);
  const normal = () => Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random());
  // Errors are half-widths of 68 % intervals: that of a normal deviate over a chi deviate is 1.3116.
  const scale = 1 / 1.3116;
  const before = [part("a", 50, 0.2, 0.12), part("b", 30, 0.1, 0.1), part("a", 20, 0.2, 0.12)];
  const after = [
    part("a", 44, 0.2, 0.12),
    part("b", 30, 0.1, 0.1),
    part("a", 20, 0.2, 0.12),
    part("c", 1.5, 0.5, 0.2),
  ];
  const { deltaUs, confidence, errorUs } = compareTimes(before, after);
  const shared = (error: number, own: number) => Math.sqrt(error ** 2 - own ** 2);
  let right = 0;
  let inside = 0;
  const trials = 40_000;
  for (let trial = 0; trial < trials; trial++) {
    // Normal deviates over one and the same chi deviate: they are large or small together.
    const chi = Math.sqrt(-Math.log(random()));
    const deviate = () => normal() * scale / chi;
    const [a, c] = [deviate(), deviate()];
    const own = (us: number, error: number) => us * error * deviate();
    // What both have (30 of b, 20 of a) cancels.
    const error = (44 - 50) * a * shared(0.2, 0.12) + 1.5 * c * shared(0.5, 0.2) +
      own(44, 0.12) - own(50, 0.12) + own(1.5, 0.2);
    if (Math.sign(deltaUs + error) === Math.sign(deltaUs)) right++;
    if (Math.abs(error) <= errorUs) inside++;
  }
  assertAlmostEquals(right / trials, confidence, 0.01);
  assertAlmostEquals(inside / trials, 0.68, 0.01);
});

/** A linear congruential generator of numbers between 0 and 1. */
function generator(seed: number): () => number {
  let state = seed;
  return () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0, (state + 1) / 2 ** 32);
}
