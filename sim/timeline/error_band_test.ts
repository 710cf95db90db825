// SPDX-License-Identifier: Apache-2.0
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { combineErrors, type ComparedTime, compareTimes } from "./error_band.ts";

Deno.test("combineErrors() adds errors of one class and combines classes in quadrature", () => {
  const band = combineErrors([
    { errorClass: "matmul", microseconds: 10, relativeError: 0.1 },
    { errorClass: "matmul", microseconds: 20, relativeError: 0.1 },
    { errorClass: "softmax", microseconds: 20, relativeError: 0.2 },
  ]);
  assertAlmostEquals(band.upperUs, 50 + 5, 1e-9);
  assertAlmostEquals(band.lowerUs, 50 - 5, 1e-9);
});

Deno.test("combineErrors() never goes below nothing", () => {
  assertEquals(combineErrors([{ errorClass: "host", microseconds: 4, relativeError: 2 }]).lowerUs, 0);
  assertEquals(combineErrors([]), { lowerUs: 0, upperUs: 0 });
});

/** A part of a sum. */
function part(errorClass: string, microseconds: number, relativeError = 0.2, ownError = 0.1): ComparedTime {
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
  const bands = [before, after].map(combineErrors);
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
  // Own and shared errors are mean absolute ones: that of a t deviate with two degrees of freedom is sqrt(2).
  const scale = Math.sqrt(1 / 2);
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
  let sum = 0;
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
    sum += Math.abs(error);
  }
  assertAlmostEquals(right / trials, confidence, 0.01);
  assertAlmostEquals(sum / trials, errorUs, 0.1 * errorUs);
});

/** A linear congruential generator of numbers between 0 and 1. */
function generator(seed: number): () => number {
  let state = seed;
  return () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0, (state + 1) / 2 ** 32);
}
