// SPDX-License-Identifier: Apache-2.0
import { assert, assertAlmostEquals } from "@std/assert";
import { type DispatchedProgram, dispatchMicroseconds } from "./dispatch.ts";
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

Deno.test("dispatchMicroseconds() grows with what has to be sent", () => {
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
