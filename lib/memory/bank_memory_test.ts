// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { BankMemory } from "./bank_memory.ts";

Deno.test("lowestAddressWith() tries buffers without leaving a trace", () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 2000 }), { maxLength: 5 });
  fc.assert(fc.property(sizes, sizes, (tensors, tried) => {
    const memory = new BankMemory(0, 8192, 32, "top_down");
    tensors.forEach((bytes, tensor) => void memory.place(tensor, bytes));
    const before = [memory.placements(), memory.bytes, memory.lowestAddress];
    const lowest = memory.lowestAddressWith(tried);
    assertEquals([memory.placements(), memory.bytes, memory.lowestAddress], before);
    assertEquals(memory.lowestAddressWith(tried), lowest);
  }));
});

Deno.test("lowestAddressWith() counts those that are tried, and is the top where nothing is", () => {
  const memory = new BankMemory(0, 8192, 32, "top_down");
  assertEquals(memory.lowestAddressWith([]), 8192);
  memory.place(0, 1024);
  assertEquals([memory.lowestAddressWith([]), memory.lowestAddressWith([512, 256])], [7168, 6400]);
});

Deno.test("place() returns the missing bytes: all of them without a region", () => {
  assertEquals(new BankMemory(64, 64, 32, "top_down").place(0, 4096), 4096);
  const memory = new BankMemory(0, 8192, 32, "top_down");
  assertEquals([memory.place(0, 6144), memory.place(1, 4096), memory.place(2, 2048)], [0, 2048, 0]);
});
