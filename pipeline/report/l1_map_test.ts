// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { exampleTimeline } from "../../sim/testing/example_timeline.ts";
import { l1Map } from "./l1_map.ts";

Deno.test("l1Map() draws a buffer over its live steps, and nothing for steps without programs", () => {
  const { graph, plan, timeline } = exampleTimeline();
  const [fn, simulated] = [graph.functions[1], timeline.functions[1]];
  assert(fn !== undefined && simulated !== undefined);
  const { rectangles, base, top, steps } = l1Map(fn, plan.functions[1], simulated);
  const buffers = rectangles.filter(({ kind }) => kind === "circular_buffers");
  const launching = simulated.steps.filter(({ l1 }) => l1.circularBufferBytes > 0);
  assertEquals(steps, simulated.steps.length);
  assert(launching.length > 0 && launching.length < steps, "some steps launch nothing");
  assertEquals(buffers.map(({ from, to }) => [from, to]), launching.map(({ index }) => [index, index]));
  for (const { address, bytes, from, to } of rectangles) {
    assert(bytes > 0 && address >= base && address + bytes <= top && from <= to);
    const holding = simulated.steps.slice(from, to + 1);
    assert(holding.every(({ l1 }) => l1.tensorBytes + l1.circularBufferBytes >= bytes));
  }
});
