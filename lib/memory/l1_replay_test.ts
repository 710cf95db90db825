// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { L1Replay } from "./l1_replay.ts";
import { simulateL1Schedule } from "./l1_timeline.ts";
import type { L1Schedule, L1Step } from "./l1_schedule.ts";

const REGION = { base: 0, top: 2048, alignment: 32, budget: 1792 };

/** Steps that define one tensor each and read earlier ones; a third of the tensors is not in L1. */
const steps = fc.array(
  fc.record({
    reads: fc.array(fc.nat(30), { maxLength: 2 }),
    size: fc.nat(12),
    scratch: fc.nat(4),
    buffers: fc.nat(8),
  }),
  { minLength: 150, maxLength: 260 },
).map((list) =>
  list.map(({ reads, size, scratch, buffers }, index): L1Step => ({
    reads: reads.filter((back) => back <= index).map((back) => index - back),
    defines: [{ tensor: index + 1, l1Bytes: size < 4 ? 0 : 32 * size, aliasOf: undefined }],
    circularBufferBytes: 32 * buffers,
    ...(scratch === 0 ? {} : {
      events: [
        { kind: "allocate", tensor: 0, bytes: 32 * scratch, result: undefined },
        { kind: "allocate", tensor: 1, bytes: size < 4 ? 0 : 32 * size, result: 0 },
        { kind: "run", circularBufferBytes: 32 * buffers },
        { kind: "free", tensor: 0 },
      ],
    }),
  }))
);

function scheduleOf(list: readonly L1Step[]): L1Schedule {
  return {
    tensors: list.length + 1,
    steps: list,
    liveIn: [{ tensor: 0, l1Bytes: 64 }],
    liveOut: [list.length],
  };
}

/**
 * A program as pass 2 changes it: some tensors leave L1, some readers disappear, all other steps are the same
 * objects.
 */
function changed(list: readonly L1Step[], place: number, keepsReads: boolean): readonly L1Step[] {
  return list.map((step, index) =>
    index !== place % list.length ? step : {
      ...step,
      reads: keepsReads ? step.reads : [],
      defines: step.defines.map((definition) => ({ ...definition, l1Bytes: 0 })),
    }
  );
}

Deno.test("L1Replay equals a simulation from scratch after any earlier replays", () => {
  const edits = fc.array(fc.tuple(fc.nat(1000), fc.boolean()), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(steps, edits, (start, places) => {
      const replay = new L1Replay(REGION);
      let list: readonly L1Step[] = start;
      for (const [place, keepsReads] of places) {
        const schedule = scheduleOf(list);
        assertEquals(replay.play(schedule), simulateL1Schedule(schedule, REGION, "failures"));
        list = changed(list, place, keepsReads);
      }
    }),
    { numRuns: 40 },
  );
});

Deno.test("L1Replay ends at the first failure too many, and goes on from there as if it had not", () => {
  const edits = fc.array(fc.tuple(fc.nat(1000), fc.nat(6)), { minLength: 1, maxLength: 12 });
  let ended = 0;
  fc.assert(
    fc.property(steps, edits, (start, places) => {
      const replay = new L1Replay(REGION);
      let list: readonly L1Step[] = start;
      for (const [place, most] of places) {
        const schedule = scheduleOf(list);
        const whole = simulateL1Schedule(schedule, REGION, "failures");
        const total = whole.failures.length + whole.oversized.length;
        const { failures, oversized } = replay.play(schedule, { most });
        assertEquals(failures.length + oversized.length, Math.min(total, most + 1));
        assertEquals(failures, whole.failures.slice(0, failures.length));
        if (total > most + 1) ended++;
        list = changed(list, place, true);
      }
    }),
    { numRuns: 40 },
  );
  assert(ended > 20, `${ended} ended before their last failure`);
});

Deno.test("L1Replay ends at the first failure too many also where a schedule with more of them was played before", () => {
  const list = Array.from({ length: 130 }, (_, index): L1Step => ({
    reads: [index],
    // Every tenth step alone defines more than fits.
    defines: [{ tensor: index + 1, l1Bytes: index % 10 === 5 ? 4096 : 32, aliasOf: undefined }],
    circularBufferBytes: 0,
  }));
  const replay = new L1Replay(REGION);
  const count = (most: number = Infinity): number => {
    const { failures, oversized } = replay.play(scheduleOf(list), { most });
    return failures.length + oversized.length;
  };
  const all = count();
  assert(all >= 13, `${all}`);
  for (const most of [all, 8, 3, 0, 5]) assertEquals(count(most), Math.min(all, most + 1));
});

Deno.test("L1Replay starts over when other tensors are there from the start", () => {
  const replay = new L1Replay(REGION);
  const step: L1Step = {
    reads: [0],
    defines: [{ tensor: 1, l1Bytes: 1024, aliasOf: undefined }],
    circularBufferBytes: 0,
  };
  const schedule = (l1Bytes: number): L1Schedule => ({
    tensors: 2,
    steps: [step],
    liveIn: [{ tensor: 0, l1Bytes }],
    liveOut: [1],
  });
  assertEquals(replay.play(schedule(64)).withinBudget, true);
  assertEquals(replay.play(schedule(1024)).withinBudget, false);
});

Deno.test("L1Replay starts over if the initial buffers moved", () => {
  const replay = new L1Replay(REGION);
  const steps: readonly L1Step[] = [{
    reads: [0],
    defines: [{ tensor: 1, l1Bytes: 1024, aliasOf: undefined }],
    circularBufferBytes: 0,
  }];
  const schedule = (address: number): L1Schedule => ({
    tensors: 2,
    steps,
    liveIn: [{ tensor: 0, l1Bytes: 64, address }],
    liveOut: [1],
  });
  for (const address of [0, 1024]) {
    const played = schedule(address);
    assertEquals(
      replay.play(played),
      simulateL1Schedule(played, REGION, "failures"),
      `${address}`,
    );
  }
});
