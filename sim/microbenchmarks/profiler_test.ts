// SPDX-License-Identifier: Apache-2.0
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { getMeasuredDevice } from "./measured_device.ts";
import { recordedWait } from "./profiler.ts";

const P150 = getMeasuredDevice("p150");

Deno.test("programs back to back end as late on one core as on several; only their records begin elsewhere", () => {
  const kernel = 0.75;
  const end = (cores: number, gap: number) => gap + kernel + recordedWait(P150, cores, gap);
  const written = P150.profiler.recordWritten;
  assertAlmostEquals(end(4, written - 0.5), end(1, written), 1e-9);
  assertAlmostEquals(end(32, written - 0.3), end(1, written), 1e-9);
});

Deno.test("a program that waits for the host, or has no gap in the profile, is recorded as it runs", () => {
  assertEquals([recordedWait(P150, 110, 60), recordedWait(P150, 110, undefined)], [0, 0]);
  assert(recordedWait(P150, 110, 0.55) > 0);
});
