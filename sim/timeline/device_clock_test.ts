// SPDX-License-Identifier: Apache-2.0
import { assertAlmostEquals, assertEquals } from "@std/assert";
import type { Bound, RuntimeEstimate } from "../../lib/cost/cost_model.ts";
import { withConstants } from "../devices/device.ts";
import { createClock } from "./device_clock.ts";
import { getDevice } from "../devices/device_registry.ts";

const device = withConstants(
  getDevice("n150"),
  { dispatch: { programSend: 3.5, untracedHost: 50, tracedGap: 1 } },
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

Deno.test("createClock() lets kernels that are shorter than their successor's sending wait for it", () => {
  // Starts at 1, 4.5 and 8: the dispatcher sends a program every 3.5 µs.
  assertEquals(gaps(true, [estimate(1), estimate(1), estimate(20), estimate(5)]), [1, 2.5, 2.5, 1]);
});

Deno.test("createClock() gives steps without work no time and no place in the dispatcher", () => {
  assertEquals(gaps(true, [estimate(10), estimate(0, 0), estimate(10)]), [1, 0, 1]);
});

Deno.test("createClock() lets the host run ahead of long kernels, and wait for what ends on it", () => {
  assertEquals(gaps(false, [estimate(200), estimate(10), estimate(10)]), [50, 1, 1]);
  const clock = createClock(false, device);
  clock(estimate(200));
  const read = clock(estimate(0, 60, "HOST"));
  assertEquals(read.startUs, 310);
  // The host starts to issue the next op when it has the data.
  assertAlmostEquals(clock(estimate(5)).startUs, 360, 1e-9);
});

Deno.test("createClock() waits for the first program of an op of several, whose launches hide nothing", () => {
  // The first of three programs is sent at 4.5, the launches of the two others follow.
  assertEquals(gaps(true, [estimate(1), estimate(10, 3)]), [1, 4.5]);
  assertEquals(gaps(true, [estimate(10), estimate(10, 3)]), [1, 3]);
});
