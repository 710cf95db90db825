// SPDX-License-Identifier: Apache-2.0
import { assert, assertAlmostEquals } from "@std/assert";
import { type DispatchedProgram, dispatchMicroseconds, periodMicroseconds, startTimes } from "./dispatch.ts";
import { getMeasuredDevice } from "./measured_device.ts";

const N150 = getMeasuredDevice("n150");

/** A program whose sending takes longer than finishing it. */
const SMALL: DispatchedProgram = {
  processors: 1,
  kernelBytes: 2048,
  configures: false,
  uniqueArguments: 16,
  allCores: true,
  launchGroups: 1,
  kernelGroups: 1,
  kernelCycles: 0,
  ethernet: false,
};

Deno.test("dispatchMicroseconds() grows with the sent bytes", () => {
  const base = dispatchMicroseconds(SMALL, N150);
  const more: readonly Partial<DispatchedProgram>[] = [
    { processors: 5 },
    { kernelBytes: 12_288 },
    { configures: true },
    { uniqueArguments: 128 },
    { launchGroups: 16 },
    { kernelGroups: 8 },
    { ethernet: true },
  ];
  for (const part of more) {
    assert(dispatchMicroseconds({ ...SMALL, ...part }, N150) > base, Object.keys(part).join());
  }
});

Deno.test("dispatchMicroseconds() is hidden behind a kernel that runs longer", () => {
  const kernelCycles = 50_000;
  const expected = kernelCycles / N150.clock.aiclk + N150.dispatcher.kernelDone;
  for (const processors of [1, 5]) {
    assertAlmostEquals(dispatchMicroseconds({ ...SMALL, processors, kernelCycles }, N150), expected);
  }
});

Deno.test("programs of a trace follow at a period that grows with their cores, except behind a long one", () => {
  const p150 = getMeasuredDevice("p150");
  // Published: 2.24 us on 4 cores whatever kernels of 0.82 to 1.57 us take, and 7.57 us on 88.
  for (const kernelUs of [0.82, 1.57]) {
    assertAlmostEquals(periodMicroseconds({ cores: 4, kernelUs }, p150), 2.24, 0.01);
  }
  assertAlmostEquals(periodMicroseconds({ cores: 88, kernelUs: 1.4 }, p150), 7.57, 0.01);
  assertAlmostEquals(
    periodMicroseconds({ cores: 88, kernelUs: 20 }, p150),
    20 + p150.dispatcher.launchedGap,
    1e-9,
  );
  const short = { cores: 4, kernelUs: 0.5 };
  const starts = startTimes([{ cores: 88, kernelUs: 200 }, ...Array.from({ length: 20 }, () => short)], p150);
  const gaps = starts.slice(2).map((start, index) => start - (starts[index + 1] ?? 0) - short.kernelUs);
  const held = gaps.findIndex((gap) => gap > p150.dispatcher.launchedGap + 1e-9);
  // Eight are there when the long kernel ends, and a few more arrive while these run.
  const { launchBuffer } = p150.dispatcher;
  assert(held >= launchBuffer - 1 && held < 2 * launchBuffer, `${held} gaps of the launch buffer`);
  assertAlmostEquals(gaps.at(-1) ?? 0, 2.24 - short.kernelUs, 0.01);
});
