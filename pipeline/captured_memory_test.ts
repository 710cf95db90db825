// SPDX-License-Identifier: Apache-2.0
import { assertEquals, assertMatch } from "@std/assert";
import fc from "fast-check";
import { memoryOfCapture } from "./captured_memory.ts";

const event = (node_type: string, params: Readonly<Record<string, unknown>> | null = null) => ({
  node_type,
  params,
});

Deno.test("the peak of a capture's events is the most that lies at once, whatever is in DRAM", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.integer({ min: 1, max: 9 }), fc.boolean(), fc.boolean())), (steps) => {
      const live: number[] = [];
      let most = 0;
      const events = steps.flatMap(([size, isDram, isFreed], at) => {
        const made = event("buffer_allocate", {
          type: isDram ? "DRAM" : "L1",
          address: at * 100,
          max_size_per_bank: size * 32,
        });
        if (!isDram) live.push(size * 32);
        most = Math.max(most, live.reduce((all, one) => all + one, 0));
        if (!isFreed) return [made];
        if (!isDram) live.pop();
        return [made, event("buffer_deallocate", { type: isDram ? "DRAM" : "L1", address: at * 100 })];
      });
      const [, bytes] = /at most ([\d,]+) bytes/.exec(memoryOfCapture(JSON.stringify(events)) ?? "") ?? [];
      assertEquals(bytes?.replaceAll(",", ""), String(most));
    }),
  );
});

Deno.test("circular buffers that reach into a tensor are told with their op; other JSON is no capture", () => {
  const graph = [
    event("function_start", { name: "ttnn.add" }),
    event("buffer_allocate", { type: "L1", address: 1000, max_size_per_bank: 64 }),
    event("circular_buffer_allocate", { address: 990, size: 32, globally_allocated: "0" }),
  ];
  const told = memoryOfCapture(JSON.stringify(graph));
  assertEquals(memoryOfCapture(JSON.stringify({ version: 1, graph })), told);
  assertMatch(told ?? "", /buffers of ttnn\.add reach into a tensor$/);
  assertEquals([memoryOfCapture("{}"), memoryOfCapture("[")], [undefined, undefined]);
});
