// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { TEST_WORMHOLE } from "../../testing/chips.ts";
import { type AllocationEvent, replayAllocations } from "./allocation_log.ts";
import { BankAllocator } from "./bank_allocator.ts";
import { createDramAllocator } from "./dram_allocator.ts";
import { circularBufferClash, L1Allocator } from "./l1_allocator.ts";

/** `[L1 address, end of circular buffers]` of six reported clashes (tt-xla:l1-clashes). */
const REPORTED_CLASHES = [
  [104_448, 107_936],
  [117_600, 124_704],
  [665_600, 890_144],
  [1_236_992, 1_250_432],
  [447_488, 471_808],
  [253_952, 646_208],
] as const;

Deno.test("L1Allocator clashes when a tensor and circular buffers lie as in the reported failures", () => {
  for (const [address, circularBufferEnd] of REPORTED_CLASHES) {
    const allocator = new L1Allocator(TEST_WORMHOLE);
    assertEquals(allocator.allocate(allocator.end - address), address);
    const clash = allocator.clash(circularBufferEnd - allocator.base);
    assertEquals(clash, {
      circularBufferEnd,
      lowestTensorAddress: address,
      overlapBytes: circularBufferEnd - address,
    });
    assertEquals(allocator.clash(address - allocator.base), undefined);
  }
});

Deno.test("circularBufferClash() lets buffers touch the lowest tensor", () => {
  assertEquals(circularBufferClash(1000, 1000), undefined);
  assertEquals(circularBufferClash(1001, 1000)?.overlapBytes, 1);
});

Deno.test("L1Allocator places tensors top-down below L1_SMALL and reserved bytes", () => {
  const chip = { ...TEST_WORMHOLE, l1SmallSize: 65_536 };
  const allocator = new L1Allocator(chip, 2048);
  const end = 1_499_136 - 65_536 - 2048;
  assertEquals(allocator.allocate(2048), end - 2048);
  assertEquals(allocator.allocate(10), end - 2048 - 32);
  assertEquals(allocator.lowestAddress, end - 2080);
  assertEquals(allocator.allocatedBytes, 2080);
});

Deno.test("L1Allocator reports fragmentation when a hole stays open", () => {
  const allocator = new L1Allocator(TEST_WORMHOLE);
  const first = allocator.allocate(300_000 / 32 * 32);
  const second = allocator.allocate(200_000);
  assert(first !== undefined && second !== undefined);
  allocator.free(first);
  const figures = allocator.fragmentation();
  assertEquals(figures.freeSegments, 2);
  assertEquals(figures.largestFreeBytes, second - allocator.base);
  assert(!allocator.wouldFit(figures.largestFreeBytes + 1));
  assert(allocator.wouldFit(figures.largestFreeBytes));
});

Deno.test("createDramAllocator() places buffers bottom-up from the unreserved base", () => {
  const allocator = createDramAllocator(TEST_WORMHOLE);
  assertEquals([allocator.allocate(100), allocator.allocate(32)], [1024, 1152]);
});

Deno.test("BankAllocator.free() throws when no buffer starts at the address", () => {
  const allocator = new BankAllocator(0, 1024, 32, "top_down");
  assertThrows(() => allocator.free(0), RangeError, "Cannot free 0: no buffer starts there");
});

/** Brute force over units: an array of owners, searched address by address. */
class ReferenceBank {
  readonly #owner: (number | undefined)[];
  #next = 0;
  readonly units: number;
  readonly topDown: boolean;
  constructor(units: number, topDown: boolean) {
    this.units = units;
    this.topDown = topDown;
    this.#owner = new Array<number | undefined>(units).fill(undefined);
  }
  allocate(size: number): number | undefined {
    for (let step = 0; step + size <= this.units; step++) {
      const start = this.topDown ? this.units - size - step : step;
      const range = this.#owner.slice(start, start + size);
      if (!range.every((owner) => owner === undefined)) continue;
      this.#owner.fill(this.#next++, start, start + size);
      return start;
    }
    return undefined;
  }
  free(start: number): void {
    const owner = this.#owner[start];
    this.#owner.forEach((value, index) => {
      if (value === owner) this.#owner[index] = undefined;
    });
  }
  lowest(): number {
    const index = this.#owner.findIndex((owner) => owner !== undefined);
    return index < 0 ? this.units : index;
  }
}

const steps = fc.array(
  fc.oneof(
    fc.record({ allocate: fc.integer({ min: 1, max: 9 }) }),
    fc.record({ free: fc.nat({ max: 20 }) }),
  ),
  { maxLength: 40 },
);

Deno.test("BankAllocator agrees with brute force on small banks", () => {
  fc.assert(fc.property(steps, fc.boolean(), (sequence, topDown) => {
    const units = 24;
    const bank = new BankAllocator(64, 64 + units * 32, 32, topDown ? "top_down" : "bottom_up");
    const reference = new ReferenceBank(units, topDown);
    const live: number[] = [];
    for (const step of sequence) {
      if ("allocate" in step) {
        const expected = reference.allocate(step.allocate);
        const speculative = bank.wouldAllocate(step.allocate * 32);
        const placed = bank.allocate(step.allocate * 32 - 5);
        assertEquals(placed, expected === undefined ? undefined : 64 + expected * 32);
        assertEquals(speculative, placed);
        if (placed !== undefined) live.push(placed);
      } else if (live.length > 0) {
        const [address] = live.splice(step.free % live.length, 1);
        assert(address !== undefined);
        bank.free(address);
        reference.free((address - 64) / 32);
      }
      assertEquals(bank.lowestAddress, 64 + reference.lowest() * 32);
      assertEquals(bank.liveBuffers, live.length);
    }
  }));
});

Deno.test("replayAllocations() reaches the state of the incremental allocator", () => {
  fc.assert(fc.property(steps, (sequence) => {
    const incremental = new L1Allocator({
      ...TEST_WORMHOLE,
      l1SmallSize: 0,
      l1Size: TEST_WORMHOLE.l1UnreservedBase + 32 * 24,
    });
    const log: AllocationEvent[] = [];
    const live = new Map<number, number>();
    for (const [buffer, step] of sequence.entries()) {
      if ("allocate" in step) {
        const address = incremental.allocate(step.allocate * 32);
        if (address === undefined) continue;
        live.set(buffer, address);
        log.push({ kind: "allocate", buffer, bytes: step.allocate * 32 });
      } else if (live.size > 0) {
        const victim = [...live.keys()][step.free % live.size];
        assert(victim !== undefined);
        incremental.free(live.get(victim) ?? -1);
        live.delete(victim);
        log.push({ kind: "free", buffer: victim });
      }
    }
    const fresh = new L1Allocator({
      ...TEST_WORMHOLE,
      l1SmallSize: 0,
      l1Size: TEST_WORMHOLE.l1UnreservedBase + 32 * 24,
    });
    const result = replayAllocations(fresh, log);
    assertEquals(result.failedAt, undefined);
    assertEquals(new Map(result.addresses), live);
    assertEquals(fresh.buffers(), incremental.buffers());
  }));
});

Deno.test("replayAllocations() stops at the first buffer without room and does not record it", () => {
  const allocator = new L1Allocator({
    ...TEST_WORMHOLE,
    l1SmallSize: 0,
    l1Size: TEST_WORMHOLE.l1UnreservedBase + 1024,
  });
  const half = (allocator.end - allocator.base) / 2;
  const log: AllocationEvent[] = [0, 1, 2].map((buffer) => ({ kind: "allocate", buffer, bytes: half }));
  const result = replayAllocations(allocator, log);
  assertEquals(result.failedAt, 2);
  assertEquals([...result.addresses.keys()], [0, 1]);
  assertThrows(() => replayAllocations(allocator, [{ kind: "free", buffer: 9 }]), RangeError, "not live");
});

Deno.test("L1Allocator.restore() brings back occupancy and fit", () => {
  const allocator = new L1Allocator(TEST_WORMHOLE);
  allocator.allocate(60_000);
  const snapshot = allocator.snapshot();
  const before = allocator.buffers();
  const address = allocator.allocate(90_000);
  assert(address !== undefined);
  allocator.free(address);
  allocator.allocate(500_000);
  allocator.restore(snapshot);
  assertEquals(allocator.buffers(), before);
  assertEquals(allocator.allocate(90_000), address);
});
