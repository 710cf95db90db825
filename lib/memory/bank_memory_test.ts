// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { BankMemory } from "./bank_memory.ts";

Deno.test("depthWith() tries buffers without leaving a trace", () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 2000 }), { maxLength: 5 });
  fc.assert(fc.property(sizes, sizes, (tensors, tried) => {
    const memory = new BankMemory(0, 8192, 32, "top_down");
    tensors.forEach((bytes, tensor) => void memory.place(tensor, bytes));
    const before = [memory.placements(), memory.bytes, memory.lowestAddress];
    const depth = memory.depthWith(tried);
    assertEquals([memory.placements(), memory.bytes, memory.lowestAddress], before);
    assertEquals(memory.depthWith(tried), depth);
  }));
});

Deno.test("depthWith() counts from the top to the lowest buffer, those that are tried included", () => {
  const memory = new BankMemory(0, 8192, 32, "top_down");
  assertEquals(memory.depthWith([]), 0);
  memory.place(0, 1024);
  assertEquals([memory.depthWith([]), memory.depthWith([512, 256])], [1024, 1792]);
});

Deno.test("place() says how many bytes are missing: all of them where there is no region", () => {
  assertEquals(new BankMemory(64, 64, 32, "top_down").place(0, 4096), 4096);
  const memory = new BankMemory(0, 8192, 32, "top_down");
  assertEquals([memory.place(0, 6144), memory.place(1, 4096), memory.place(2, 2048)], [0, 2048, 0]);
});
