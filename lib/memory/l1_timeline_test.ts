// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { TEST_WORMHOLE } from "../../testing/chips.ts";
import { simulateL1Schedule, type SimulationEnd } from "./l1_timeline.ts";
import { l1Region, type L1Schedule, type L1Step } from "./l1_schedule.ts";

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
      circularBufferBytes,
      ...(ownPeakBytes === undefined ? {} : { ownPeakBytes }),
    }],
    liveIn: [{ tensor: 0, l1Bytes: tensorBytes }],
    liveOut: [],
  };
}

Deno.test("simulateL1Schedule() clashes when a tensor and circular buffers lie as in the reported failures", () => {
  // The base of the revisions that the reports are of.
  const region = l1Region({ ...TEST_WORMHOLE, l1UnreservedBase: 103_712 }, 1, 0);
  for (const [address, circularBufferEnd] of REPORTED_CLASHES) {
    const run = (end: number) => simulateL1Schedule(oneStep(region.top - address, end - region.base), region);
    assertEquals(run(circularBufferEnd).usage[0]?.lowestTensor, address);
    assertEquals(run(circularBufferEnd).failures.map(({ kind, shortBytes }) => [kind, shortBytes]), [
      ["circular_buffer_clash", circularBufferEnd - address],
    ]);
    assertEquals(run(address).failures, [], "buffers may touch the lowest tensor");
  }
});

Deno.test("l1Region() ends below L1_SMALL and reserved bytes", () => {
  const region = l1Region({ ...TEST_WORMHOLE, l1SmallSize: 65_536 }, 1, 2048);
  const { usage } = simulateL1Schedule(oneStep(2048, 0), region);
  const top = 1_499_136 - 65_536 - 2048;
  assertEquals([region.top, usage[0]?.lowestTensor], [top, top - 2048]);
});

Deno.test("simulateL1Schedule() reports asked = available + missing bytes", () => {
  const region = { base: 0, top: 2048, alignment: 32, budget: 1024 };
  const shortages = (schedule: L1Schedule) => {
    const { failures, oversized } = simulateL1Schedule(schedule, region);
    return [...failures, ...oversized].map(({ kind, askedBytes, shortBytes }) => [
      kind,
      askedBytes,
      askedBytes - shortBytes,
    ]);
  };
  assertEquals(shortages(oneStep(512, 544)), [["over_budget", 1056, region.budget]]);
  assertEquals(shortages(oneStep(1536, 1024)), [["circular_buffer_clash", 2560, region.top]]);
  assertEquals(shortages(oneStep(512, 100, 1600)), [["too_large", 1600, region.budget]]);
  // A result and an intermediate without a hole; another result of the step did fit and does not count as missing.
  const step = {
    reads: [0],
    defines: [1, 2].map((tensor) => ({ tensor, l1Bytes: 256 * tensor, aliasOf: undefined })),
    events: [
      { kind: "allocate", tensor: 0, bytes: 256, result: 0 },
      { kind: "allocate", tensor: 1, bytes: 512, result: 1 },
      { kind: "allocate", tensor: 2, bytes: 416, result: undefined },
    ],
    circularBufferBytes: 0,
  } satisfies L1Step;
  const crowded = { tensors: 3, steps: [step], liveIn: [{ tensor: 0, l1Bytes: 1536 }], liveOut: [] };
  assertEquals(shortages(crowded), [["no_space", 512 + 416, 256 + 256]]);
});

Deno.test("simulateL1Schedule() distinguishes failures that moves relieve from ops that are too large by themselves", () => {
  const region = { base: 0, top: 2048, limit: 1024, alignment: 32, budget: 1024 };
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

const REGION = { base: 0, top: 2048, alignment: 32, budget: 2048 };

/** Steps that each read some tensors and define one of so many bytes. */
function scheduleOf(
  steps: readonly { reads?: readonly number[]; makes: number; bytes: number; aliasOf?: number }[],
): L1Schedule {
  return {
    tensors: steps.length,
    steps: steps.map(({ reads = [], makes, bytes, aliasOf }) => ({
      reads,
      defines: [{ tensor: makes, l1Bytes: bytes, aliasOf }],
      circularBufferBytes: 0,
    })),
    liveIn: [],
    liveOut: [],
  };
}

Deno.test("simulateL1Schedule() frees a tensor behind its last reader and gives a view no bytes of its own", () => {
  const steps = [
    { makes: 0, bytes: 1024 },
    { reads: [0], makes: 1, bytes: 512 },
    { reads: [1], makes: 2, bytes: 512, aliasOf: 1 },
    { reads: [2], makes: 3, bytes: 1024 },
  ];
  const { usage, failures } = simulateL1Schedule(scheduleOf(steps), REGION);
  assertEquals(usage.map(({ bytes }) => bytes), [1024, 1536, 512, 1536]);
  assertEquals(failures, []);
});

Deno.test("simulateL1Schedule() counts what a buffer takes: whole multiples of the alignment", () => {
  const { usage } = simulateL1Schedule(
    scheduleOf([{ makes: 0, bytes: 16 }, { reads: [0], makes: 1, bytes: 40 }]),
    REGION,
  );
  assertEquals(usage.map(({ bytes }) => bytes), [32, 96]);
});

Deno.test("simulateL1Schedule() measures extent by address, holes included, and distinguishes fragmentation from a lack of room", () => {
  // 0 at 1024-2048 is freed after step 1; 1 is at 512-1024, below the hole that it leaves.
  const low = [
    { makes: 0, bytes: 1024 },
    { reads: [0], makes: 1, bytes: 512 },
    { reads: [1], makes: 2, bytes: 32 },
  ];
  const deep = simulateL1Schedule(scheduleOf(low), { ...REGION, budget: 1504 });
  assertEquals(deep.failures.map(({ position, kind, shortBytes }) => [position, kind, shortBytes]), [
    [1, "over_budget", 32],
    [2, "over_budget", 32],
  ]);
  assertEquals([deep.placeable, deep.withinBudget], [true, false]);
  // 1536 bytes are free in total; the larger hole has 1024.
  const torn = simulateL1Schedule(
    scheduleOf([...low.slice(0, 2), { reads: [1], makes: 2, bytes: 1056 }]),
    REGION,
  );
  assertEquals(torn.failures.map(({ kind, shortBytes }) => [kind, shortBytes]), [["no_space", 32]]);
  assertEquals(torn.placeable, false);
});

Deno.test("a schedule can be placed where every failure is one of the budget; no failure at all is the best case", () => {
  const region = { base: 0, top: 4096, budget: 3600, alignment: 32 };
  const step = (circularBufferBytes: number) => ({
    reads: [0],
    defines: [],
    circularBufferBytes,
  });
  const placeable = (...buffers: readonly number[]) =>
    simulateL1Schedule({
      tensors: 1,
      steps: buffers.map(step),
      liveIn: [{ tensor: 0, l1Bytes: 3008 }],
      liveOut: [],
    }, region).placeable;
  // The tensor is at 1088: 800 bytes of buffers exceed the budget, 1200 reach the tensor.
  assertEquals([placeable(500), placeable(800), placeable(500, 1200), placeable(800, 1200)], [
    true,
    true,
    false,
    false,
  ]);
});

Deno.test("simulateL1Schedule() refuses from the first byte beyond the region or the budget", () => {
  const kindOf = (circularBufferBytes: number, budget: number) =>
    simulateL1Schedule(oneStep(1024, circularBufferBytes), { ...REGION, budget }).failures
      .map(({ kind, shortBytes }) => [kind, shortBytes]);
  assertEquals(kindOf(1024, 2048), []);
  assertEquals(kindOf(1025, 2048), [["circular_buffer_clash", 1]]);
  assertEquals(kindOf(512, 1536), []);
  assertEquals(kindOf(513, 1536), [["over_budget", 1]]);
});

Deno.test("simulateL1Schedule() does not call an op too large for a result that could go elsewhere", () => {
  const step = { reads: [], circularBufferBytes: 512, ownPeakBytes: 1600 };
  const schedule: L1Schedule = {
    tensors: 1,
    steps: [{ ...step, defines: [{ tensor: 0, l1Bytes: 1088, aliasOf: undefined }] }],
    liveIn: [],
    liveOut: [],
  };
  const { failures, oversized } = simulateL1Schedule(schedule, { ...REGION, budget: 1024 });
  assertEquals(oversized, []);
  assertEquals(failures.map(({ kind, shortBytes }) => [kind, shortBytes]), [["over_budget", 576]]);
});

Deno.test("simulateL1Schedule() replays allocations, programs and frees of an op in order", () => {
  // As a convolution: shards (512), halo (256), the shards go, the result (512) takes their place, the halo goes.
  const step: L1Step = {
    reads: [0],
    defines: [{ tensor: 1, l1Bytes: 512, aliasOf: undefined }],
    events: [
      { kind: "allocate", tensor: 0, bytes: 512, result: undefined },
      { kind: "run", circularBufferBytes: 64 },
      { kind: "allocate", tensor: 1, bytes: 256, result: undefined },
      { kind: "run", circularBufferBytes: 96 },
      { kind: "free", tensor: 0 },
      { kind: "allocate", tensor: 2, bytes: 512, result: 0 },
      { kind: "run", circularBufferBytes: 256 },
      { kind: "free", tensor: 1 },
    ],
    circularBufferBytes: 256,
    ownPeakBytes: 1024,
  };
  const next: L1Step = {
    reads: [1],
    defines: [{ tensor: 2, l1Bytes: 32, aliasOf: undefined }],
    circularBufferBytes: 0,
  };
  const schedule: L1Schedule = {
    tensors: 3,
    steps: [step, next],
    liveIn: [{ tensor: 0, l1Bytes: 128 }],
    liveOut: [],
  };
  const { usage, failures, peakBytes } = simulateL1Schedule(schedule, REGION);
  assertEquals(failures, []);
  const at = (index: number, tensor: number) =>
    usage[index]?.placements.find((each) => each.tensor === tensor)?.address;
  // Below the operand (1920); the halo lay at 1152 until the op ended, so the next tensor goes on top of the hole.
  assertEquals([at(0, 1), at(1, 1), at(1, 2)], [1408, 1408, 1376]);
  assertEquals(peakBytes, 128 + 256 + 512 + 256);
});

Deno.test("simulateL1Schedule() frees the operand that an op frees, through views", () => {
  const steps: readonly L1Step[] = [
    { reads: [0], defines: [{ tensor: 1, l1Bytes: 1024, aliasOf: 0 }], circularBufferBytes: 0 },
    {
      reads: [1],
      defines: [{ tensor: 2, l1Bytes: 1536, aliasOf: undefined }],
      events: [
        { kind: "free_operand", operand: 0 },
        { kind: "allocate", tensor: 0, bytes: 1536, result: 0 },
        { kind: "run", circularBufferBytes: 512 },
      ],
      circularBufferBytes: 512,
    },
  ];
  const made: L1Step = {
    reads: [],
    defines: [{ tensor: 0, l1Bytes: 1024, aliasOf: undefined }],
    circularBufferBytes: 0,
  };
  const { failures, usage } = simulateL1Schedule(
    { tensors: 3, steps: [made, ...steps], liveIn: [], liveOut: [2] },
    REGION,
  );
  assertEquals([failures, usage[2]?.lowestTensor], [[], 512]);
});

Deno.test("simulateL1Schedule() chooses a step's programs by the remaining room, and reports a step without one", () => {
  const asked: number[][] = [];
  const step: L1Step = {
    reads: [0],
    defines: [{ tensor: 1, l1Bytes: 512, aliasOf: undefined }],
    circularBufferBytes: 4096,
    inRoom: ({ beforeResults, besideResults, freeBytes }) => {
      asked.push([beforeResults, besideResults, freeBytes]);
      return beforeResults < 1024 ? undefined : { ...step, circularBufferBytes: 256 };
    },
  };
  const run = (l1Bytes: number) =>
    simulateL1Schedule({ tensors: 2, steps: [step], liveIn: [{ tensor: 0, l1Bytes }], liveOut: [] }, REGION);
  assertEquals([run(256).failures, run(256).peakBytes], [[], 256 + 512 + 256]);
  assertEquals(asked[0], [2048 - 256, 2048 - 256 - 512, 2048 - 256]);
  assertEquals(run(1056).failures.map(({ kind }) => kind), ["no_program"]);
  // Above an operand is the hole of its own operand: free, but not below the lowest tensor.
  const made = (tensor: number, l1Bytes: number, reads: readonly number[]): L1Step => ({
    reads,
    defines: [{ tensor, l1Bytes, aliasOf: undefined }],
    circularBufferBytes: 0,
  });
  const steps = [made(2, 320, []), made(0, 256, [2]), step];
  simulateL1Schedule({ tensors: 3, steps, liveIn: [], liveOut: [] }, REGION);
  assertEquals(asked.at(-1), [2048 - 320 - 256, 2048 - 320 - 256 - 512, 2048 - 256]);
});

Deno.test("simulateL1Schedule() lets circular buffers reach the end of L1 where no tensor is", () => {
  const region = { ...REGION, limit: 2304, budget: 1900 };
  const kinds = (tensorBytes: number, buffers: number) => {
    const { failures, oversized } = simulateL1Schedule(oneStep(tensorBytes, buffers), region);
    return [...failures, ...oversized].map(({ kind }) => kind);
  };
  assertEquals([kinds(0, 2304), kinds(0, 2305), kinds(32, 2048)], [[], ["too_large"], [
    "circular_buffer_clash",
  ]]);
  const alone = simulateL1Schedule(oneStep(0, 2305), region).oversized;
  assertEquals(alone.map(({ askedBytes, shortBytes }) => [askedBytes, shortBytes]), [[2305, 1]]);
  // A program that is over before the result of its op is allocated.
  const before = (circularBufferBytes: number): L1Step => ({
    reads: [],
    defines: [{ tensor: 0, l1Bytes: 640, aliasOf: undefined }],
    events: [
      { kind: "run", circularBufferBytes },
      { kind: "allocate", tensor: 0, bytes: 640, result: 0 },
    ],
    circularBufferBytes,
  });
  const shortBytes = (buffers: number) =>
    simulateL1Schedule({ tensors: 1, steps: [before(buffers)], liveIn: [], liveOut: [] }, region)
      .failures.map((failure) => [failure.kind, failure.shortBytes]);
  assertEquals([shortBytes(2304), shortBytes(2336)], [[], [["circular_buffer_clash", 32]]]);
});

Deno.test("simulateL1Schedule() ends at the first failure too many, or at one where it is told to", () => {
  const steps = Array.from({ length: 130 }, (_, index): L1Step => ({
    reads: [index],
    // Every tenth step alone defines more than fits, every other tenth has too large circular buffers.
    defines: [{ tensor: index + 1, l1Bytes: index % 10 === 5 ? 4096 : 32, aliasOf: undefined }],
    circularBufferBytes: index % 10 === 8 ? 4096 : 0,
  }));
  const schedule = { tensors: 131, steps, liveIn: [{ tensor: 0, l1Bytes: 64 }], liveOut: [130] };
  const region = { base: 0, top: 2048, alignment: 32, budget: 1792 };
  const found = (end?: SimulationEnd): readonly (readonly number[])[] => {
    const { failures, oversized } = simulateL1Schedule(schedule, region, "failures", end);
    return [failures, oversized].map((list) => list.map(({ position }) => position));
  };
  assertEquals(found().map(({ length }) => length), [13, 13]);
  assertEquals(found({ most: 2 }), [[5, 15], [8]]);
  assertEquals(found({ most: 0 }), [[5], []]);
  assertEquals(found({ endsAt: ({ position }) => position > 10 }), [[5, 15], [8]]);
});
