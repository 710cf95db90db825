// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { TEST_WORMHOLE } from "../../testing/chips.ts";
import { computeLiveness } from "../graph/liveness.ts";
import { dramRegion, simulateDramSchedule } from "./dram_timeline.ts";

const REGION = { base: 0, top: 1024, alignment: 32 };

/** Each step reads the previous tensor and defines the next one. */
function chain(bytes: readonly number[], residentBytes: number) {
  const liveness = computeLiveness(
    bytes.length + 1,
    bytes.map((_, index) => ({ reads: [index], defines: [{ tensor: index + 1, aliasOf: undefined }] })),
    [0],
    [],
  );
  const steps = bytes.map((size, index) => [{ tensor: index + 1, bytes: size }]);
  return simulateDramSchedule({ residents: [{ tensor: 0, bytes: residentBytes }], steps }, liveness, REGION);
}

Deno.test("simulateDramSchedule() keeps residents, frees dead tensors and reports the overflowing step", () => {
  assertEquals(chain([256, 256, 256, 256], 512), { peakBytes: 1024, failures: [] });
  assertEquals(chain([256, 288, 256], 512).failures, [{ position: 1, shortBytes: 32 }]);
  assertEquals(chain([32], 1056).failures, [{ position: 0, shortBytes: 64 }], "the argument and a result");
});

Deno.test("simulateDramSchedule() keeps results of load_cached: they exist before and are never freed", () => {
  // For liveness, the first step defines tensor 0 and the second one is its last reader.
  const liveness = computeLiveness(
    3,
    [
      { reads: [], defines: [{ tensor: 0, aliasOf: undefined }] },
      { reads: [0], defines: [{ tensor: 1, aliasOf: undefined }] },
      { reads: [1], defines: [{ tensor: 2, aliasOf: undefined }] },
    ],
    [],
    [2],
  );
  const steps = [[], [{ tensor: 1, bytes: 32 }], [{ tensor: 2, bytes: 480 }]];
  const residents = [{ tensor: 0, bytes: 512 }];
  assertEquals(simulateDramSchedule({ residents, steps }, liveness, REGION), {
    peakBytes: 1024,
    failures: [],
  });
  const wider = [{ tensor: 0, bytes: 544 }];
  assertEquals(simulateDramSchedule({ residents: wider, steps }, liveness, REGION).failures, [
    { position: 2, shortBytes: 32 },
  ]);
});

Deno.test("what is missing for several arguments is what all of them have beyond the bank", () => {
  const short = (...sizes: readonly number[]) => {
    const liveness = computeLiveness(sizes.length, [{ reads: [], defines: [] }], [], []);
    const residents = sizes.map((bytes, tensor) => ({ tensor, bytes }));
    return simulateDramSchedule({ residents, steps: [[]] }, liveness, REGION).failures;
  };
  assertEquals(short(512, 512), []);
  assertEquals(short(992, 416, 416, 416), [{ position: 0, shortBytes: 992 + 3 * 416 - 1024 }]);
});

Deno.test("dramRegion() is the range of a chip's allocator", () => {
  const { base, top, alignment } = dramRegion(TEST_WORMHOLE);
  assertEquals([base, top, alignment], [
    TEST_WORMHOLE.dramUnreservedBase,
    TEST_WORMHOLE.dramUnreservedEnd,
    TEST_WORMHOLE.dramAlignment,
  ]);
});

Deno.test("simulateDramSchedule() of equal sizes never overflows while the live sum fits", () => {
  const sizes = fc.array(fc.integer({ min: 0, max: 1 }), { maxLength: 20 });
  fc.assert(fc.property(sizes, fc.integer({ min: 0, max: 16 }), (present, blocks) => {
    const bytes = present.map((bit) => bit * 128);
    const { peakBytes, failures } = chain(bytes, blocks * 64);
    const needed = bytes.map((size, index) => blocks * 64 + size + (bytes[index - 1] ?? 0));
    assertEquals(failures.length > 0, needed.some((sum) => sum > 1024) || blocks * 64 > 1024);
    if (failures.length === 0) assertEquals(peakBytes, Math.max(blocks * 64, ...needed));
    assert(peakBytes <= 1024);
  }));
});
