// SPDX-License-Identifier: Apache-2.0
import { assertAlmostEquals, assertEquals } from "@std/assert";
import fc from "fast-check";
import { simulateL1Schedule } from "../../lib/memory/l1_timeline.ts";
import { l1OfSteps, l1Pressure } from "./l1_pressure.ts";

const region = { base: 0, top: 1000 };

Deno.test("l1Pressure() counts holes as ttnn-visualizer does", () => {
  assertEquals(l1Pressure([], region), {
    fullnessPercent: 0,
    freeSegments: 1,
    largestFreeBytes: 1000,
    largestFreePercent: 100,
  });
  assertEquals(l1Pressure([{ start: 0, end: 100 }, { start: 300, end: 400 }], region), {
    fullnessPercent: 20,
    freeSegments: 2,
    largestFreeBytes: 600,
    largestFreePercent: 60,
  });
});

Deno.test("l1Pressure() agrees with a map of every byte", () => {
  const range = fc.tuple(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 0, max: 30 }))
    .map(([start, length]) => ({ start, end: start + length }));
  fc.assert(fc.property(fc.array(range, { maxLength: 8 }), (used) => {
    const small = { base: 10, top: 50 };
    const bytes = Array.from(
      { length: 40 },
      (_, index) => used.some(({ start, end }) => start <= index + 10 && index + 10 < end),
    );
    const holes = bytes.map((byte) => byte ? "#" : ".").join("").split(/#+/).filter((hole) => hole !== "");
    const pressure = l1Pressure(used, small);
    assertAlmostEquals(pressure.fullnessPercent, bytes.filter(Boolean).length / 40 * 100, 1e-9);
    assertEquals(pressure.freeSegments, holes.length);
    assertEquals(pressure.largestFreeBytes, Math.max(0, ...holes.map((hole) => hole.length)));
  }));
});

Deno.test("l1Pressure() of no region is nothing", () => {
  assertEquals(l1Pressure([{ start: 0, end: 9 }], { base: 5, top: 5 }).freeSegments, 0);
});

Deno.test("l1OfSteps() counts earlier tensors as before: neither results nor intermediates of the step", () => {
  const l1 = { base: 0, top: 4096, budget: 4096, alignment: 32 };
  const timeline = simulateL1Schedule({
    tensors: 2,
    steps: [{
      reads: [0],
      defines: [{ tensor: 1, l1Bytes: 256, aliasOf: undefined }],
      events: [
        { kind: "allocate", tensor: 0, bytes: 256, result: 0 },
        { kind: "allocate", tensor: 1, bytes: 128, result: undefined },
        { kind: "run", circularBufferBytes: 64 },
      ],
      circularBufferBytes: 64,
    }],
    liveIn: [{ tensor: 0, l1Bytes: 512 }],
    liveOut: [1],
  }, l1);
  const [step] = l1OfSteps(timeline, l1);
  assertEquals([step?.beforeBytes, step?.tensorBytes, step?.circularBufferBytes], [512, 512 + 256 + 128, 64]);
  assertEquals(
    step?.fullnessPercent,
    (512 + 256 + 128 + 64) / 4096 * 100,
    "circular buffers take L1 as well",
  );
});

Deno.test("l1Pressure() of a region without a byte is none", () => {
  assertEquals(l1Pressure([{ start: 0, end: 400 }], { base: 100, top: 100 }), {
    fullnessPercent: 0,
    freeSegments: 0,
    largestFreeBytes: 0,
    largestFreePercent: 0,
  });
});
