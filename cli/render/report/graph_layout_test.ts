// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { layOutGraph, stripsOf } from "./graph_layout.ts";

/** A graph without circles: edges lead from smaller to larger ids. */
const graphs = fc.integer({ min: 2, max: 14 }).chain((count) => {
  const id = fc.integer({ min: 0, max: count - 1 });
  const pairs = fc.uniqueArray(fc.tuple(id, id).filter(([from, to]) => from < to), {
    selector: ([from, to]) => `${from}>${to}`,
    maxLength: 30,
  });
  return fc.tuple(
    fc.array(fc.record({ width: fc.integer({ min: 20, max: 300 }), height: fc.constantFrom(20, 36, 90) }), {
      minLength: count,
      maxLength: count,
    }),
    pairs,
  );
});

Deno.test("layOutGraph() leads downwards without overlaps, and stripsOf() shows every box once", () => {
  fc.assert(
    fc.property(graphs, ([sizes, pairs]) => {
      const boxes = sizes.map((size, index) => ({ id: `${index}`, ...size }));
      const connections = pairs.map(([from, to]) => ({ from: `${from}`, to: `${to}` }));
      const drawing = layOutGraph(boxes, connections);
      assertEquals(layOutGraph(boxes, connections), drawing);
      const placed = [...drawing.boxes.values()];
      for (const [index, a] of placed.entries()) {
        for (const b of placed.slice(index + 1)) {
          assert(
            Math.abs(a.x - b.x) >= (a.width + b.width) / 2 ||
              Math.abs(a.y - b.y) >= (a.height + b.height) / 2,
          );
        }
      }
      for (const { from, to } of connections) {
        assert((drawing.boxes.get(from)?.y ?? Infinity) < (drawing.boxes.get(to)?.y ?? -Infinity));
      }
      const strips = stripsOf(drawing, 200);
      for (const { x, y, width, height } of placed) {
        const shown = strips.filter((strip) =>
          y - height / 2 >= strip.y && y + height / 2 <= strip.y + strip.height + 1 &&
          x - width / 2 >= strip.x && x + width / 2 <= strip.x + strip.width
        );
        assertEquals(shown.length, 1);
      }
    }),
    { numRuns: 25 },
  );
});

Deno.test("layOutGraph() refuses a connection without an end", () => {
  const box = { id: "a", width: 10, height: 10 };
  assertThrows(() => layOutGraph([box], [{ from: "a", to: "b" }]), RangeError, "a to b");
});
