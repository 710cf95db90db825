// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { Heap } from "./heap.ts";

Deno.test("Heap hands entries out in order, pushes and pops mixed", () => {
  fc.assert(fc.property(fc.array(fc.option(fc.integer({ min: 0, max: 20 }))), (moves) => {
    const heap = new Heap<number>((a, b) => a < b);
    const model: number[] = [];
    for (const move of moves) {
      if (move === null) {
        model.sort((a, b) => a - b);
        assertEquals(heap.pop(), model.shift());
      } else {
        heap.push(move);
        model.push(move);
      }
    }
    for (const entry of model.sort((a, b) => a - b)) assertEquals(heap.pop(), entry);
    assertEquals(heap.pop(), undefined);
  }));
});
