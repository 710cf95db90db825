// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { TEST_WORMHOLE } from "../../testing/chips.ts";
import { l1Region, type L1Schedule, simulateL1Schedule } from "./l1_timeline.ts";

/** Lowest address of a tensor and end of the circular buffers in six published reports of clashes (tt-metal, tt-xla). */
const REPORTED_CLASHES = [
  [104_448, 107_936],
  [117_600, 124_704],
  [665_600, 890_144],
  [1_236_992, 1_250_432],
  [447_488, 471_808],
  [253_952, 646_208],
] as const;

/** One step that runs with circular buffers beside one tensor. */
function oneStep(tensorBytes: number, circularBufferBytes: number, ownPeakBytes?: number): L1Schedule {
  return {
    tensors: 1,
    steps: [{
      reads: [0],
      defines: [],
      scratchBytes: [],
      circularBufferBytes,
      ...(ownPeakBytes === undefined ? {} : { ownPeakBytes }),
    }],
    liveIn: [{ tensor: 0, l1Bytes: tensorBytes }],
    liveOut: [],
  };
}

Deno.test("simulateL1Schedule() clashes when a tensor and circular buffers lie as in the reported failures", () => {
  const region = l1Region(TEST_WORMHOLE, 1, 0);
  for (const [address, circularBufferEnd] of REPORTED_CLASHES) {
    const run = (end: number) => simulateL1Schedule(oneStep(region.top - address, end - region.base), region);
    assertEquals(run(circularBufferEnd).usage[0]?.lowestTensor, address);
    assertEquals(run(circularBufferEnd).failures.map(({ kind, shortBytes }) => [kind, shortBytes]), [
      ["circular_buffer_clash", circularBufferEnd - address],
    ]);
    assertEquals(run(address).failures, [], "buffers may touch the lowest tensor");
  }
});

Deno.test("l1Region() ends below L1_SMALL and what is reserved", () => {
  const region = l1Region({ ...TEST_WORMHOLE, l1SmallSize: 65_536 }, 1, 2048);
  const { usage } = simulateL1Schedule(oneStep(2048, 0), region);
  const top = 1_499_136 - 65_536 - 2048;
  assertEquals([region.top, usage[0]?.lowestTensor], [top, top - 2048]);
});

Deno.test("simulateL1Schedule() tells what moves relieve from what is too large by itself", () => {
  const region = { base: 0, top: 2048, alignment: 32, budget: 1024 };
  const kinds = (schedule: L1Schedule) => {
    const { failures, oversized, withinBudget } = simulateL1Schedule(schedule, region);
    const words = (list: typeof failures) => list.map(({ kind, shortBytes }) => [kind, shortBytes]);
    return [words(failures), words(oversized), withinBudget];
  };
  assertEquals(kinds(oneStep(512, 512)), [[], [], true]);
  assertEquals(kinds(oneStep(512, 544)), [[["over_budget", 32]], [], false]);
  assertEquals(kinds(oneStep(0, 1056)), [[], [["too_large", 32]], true]);
  assertEquals(kinds(oneStep(512, 1700, 1700)), [[], [["too_large", 676]], true]);
  assertEquals(kinds(oneStep(512, 512, Infinity)), [[], [], true], "an unknown peak accuses nobody");
});
