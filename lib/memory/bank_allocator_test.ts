// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { BankAllocator } from "./bank_allocator.ts";

Deno.test("BankAllocator.free() throws when no buffer starts at the address", () => {
  const allocator = new BankAllocator(0, 1024, 32, "top_down");
  assertThrows(() => allocator.free(0), RangeError, "Cannot free 0: no buffer starts there");
});

Deno.test("BankAllocator.reserve() takes every aligned block that a range touches", () => {
  const allocator = new BankAllocator(0, 128, 32, "bottom_up");
  allocator.reserve(40, 30);
  assertEquals([allocator.lowestAddress, allocator.largestFreeBytes], [32, 32]);
  assertEquals([allocator.allocate(32), allocator.allocate(32), allocator.allocate(1)], [0, 96, undefined]);
});

Deno.test("BankAllocator places nothing in a region without an aligned address", () => {
  const allocator = new BankAllocator(1, 63, 32, "bottom_up");
  assertEquals([allocator.allocate(1), allocator.largestFreeBytes], [undefined, 0]);
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
  reserve(start: number, size: number): void {
    for (let unit = Math.max(0, start); unit < Math.min(this.units, start + size); unit++) {
      this.#owner[unit] ??= this.#next;
    }
    this.#next++;
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
  largestHole(): number {
    let largest = 0;
    let hole = 0;
    for (const owner of this.#owner) {
      hole = owner === undefined ? hole + 1 : 0;
      largest = Math.max(largest, hole);
    }
    return largest;
  }
}

const steps = fc.array(
  fc.oneof(
    fc.record({ allocate: fc.integer({ min: 1, max: 9 }) }),
    fc.record({ free: fc.nat({ max: 20 }) }),
    fc.record({ reserve: fc.integer({ min: -3, max: 26 }), units: fc.integer({ min: 0, max: 5 }) }),
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
        const placed = bank.allocate(step.allocate * 32 - 5);
        assertEquals(placed, expected === undefined ? undefined : 64 + expected * 32);
        if (placed !== undefined) live.push(placed);
      } else if ("reserve" in step) {
        bank.reserve(64 + step.reserve * 32, step.units * 32);
        reference.reserve(step.reserve, step.units);
      } else if (live.length > 0) {
        const [address] = live.splice(step.free % live.length, 1);
        assert(address !== undefined);
        bank.free(address);
        reference.free((address - 64) / 32);
      }
      assertEquals(bank.lowestAddress, 64 + reference.lowest() * 32);
      assertEquals(bank.largestFreeBytes, reference.largestHole() * 32);
    }
  }));
});
