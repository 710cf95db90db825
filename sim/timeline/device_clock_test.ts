// SPDX-License-Identifier: Apache-2.0
import { assertAlmostEquals, assertEquals } from "@std/assert";
import type { Bound, RuntimeEstimate } from "../../lib/cost/cost_model.ts";
import { withConstants } from "../devices/device.ts";
import { createClock } from "./device_clock.ts";
import { getDevice } from "../devices/device_registry.ts";

const device = withConstants(
  getDevice("n150"),
  { dispatch: { programSend: 3.5, launchSlots: 4, untracedHost: 50, tracedGap: 1 } },
  "test",
  "guess",
);

function estimate(kernelUs: number, launchUs = 1, bound: Bound = "SLOW"): RuntimeEstimate {
  return {
    programs: [],
    microseconds: kernelUs + launchUs,
    bound,
    relativeError: 0.1,
    ownError: 0.1,
    cores: 1,
    dramBytes: 0,
    nocBytes: 0,
    flops: 0,
    terms: { launch: launchUs, read: 0, compute: 0, write: 0 },
    dominant: "launch",
  };
}

function gaps(traced: boolean, steps: readonly RuntimeEstimate[]): number[] {
  return steps.map(createClock(traced, device)).map(({ gapUs }) => Math.round(gapUs * 1e6) / 1e6);
}

Deno.test("createClock() leaves a launch between kernels that hide the sending of the next program", () => {
  assertEquals(gaps(true, [estimate(10), estimate(10), estimate(3)]), [1, 1, 1]);
});

Deno.test("createClock() starts the first kernel of a function one launch after the call, however short that is", () => {
  assertEquals(gaps(true, [estimate(10, 0.25)]), [0.25]);
});

Deno.test("createClock() lets kernels that are shorter than their successor's sending wait for it", () => {
  // Four programs are there from the start, the fifth is at 4.5, and one more every 3.5 µs: the eighth at 15, just in time,
  // the ninth at 18.5.
  const short = Array.from({ length: 8 }, () => estimate(1));
  const free = [1, 1, 1, 1, 1, 1, 1, 1];
  assertEquals(gaps(true, [...short, estimate(1), estimate(20), estimate(5)]), [...free, 2.5, 2.5, 1]);
});

Deno.test("createClock() has as many short kernels ready behind a long one as there are slots", () => {
  const short = Array.from({ length: 6 }, () => estimate(0.5, 0.5));
  // Four are there when the first kernel ends. The fifth is sent when the first of them starts, at 101.5, and
  // there at 105, the sixth at 108.5.
  assertEquals(gaps(true, [estimate(100), ...short]), [1, 0.5, 0.5, 0.5, 0.5, 0.5, 2.5]);
  // However long a kernel is, no more are there behind it.
  assertEquals(gaps(true, [estimate(10_000), ...short]), [1, 0.5, 0.5, 0.5, 0.5, 0.5, 2.5]);
});

Deno.test("createClock() gives steps without work no time and no place in the dispatcher", () => {
  assertEquals(gaps(true, [estimate(10), estimate(0, 0), estimate(10)]), [1, 0, 1]);
});

Deno.test("createClock() lets the host run ahead of long kernels, and wait for results that it reads", () => {
  assertEquals(gaps(false, [estimate(200), estimate(10), estimate(10)]), [50, 1, 1]);
  const clock = createClock(false, device);
  clock(estimate(200));
  const read = clock(estimate(0, 60, "HOST"));
  assertEquals(read.startUs, 310);
  // The host starts to issue the next op when it has the data.
  assertAlmostEquals(clock(estimate(5)).startUs, 360, 1e-9);
});

Deno.test("createClock() waits for the first program of an op of several, whose launches hide nothing", () => {
  // The first of three programs is there 2.5 µs after the eighth kernel, the launches of the two others follow.
  const short = Array.from({ length: 8 }, () => estimate(1));
  assertEquals(gaps(true, [...short, estimate(10, 3)]).at(-1), 4.5);
  assertEquals(gaps(true, [estimate(10), estimate(10, 3)]), [1, 3]);
});
