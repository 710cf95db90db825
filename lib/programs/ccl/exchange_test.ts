// SPDX-License-Identifier: Apache-2.0
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import fc from "fast-check";
import type { MeshAxis, Topology } from "../../device/mesh.ts";
import { edgeLoads, type Exchange, exchange, packetBytes } from "./exchange.ts";

const axes: fc.Arbitrary<MeshAxis> = fc.record({
  chips: fc.integer({ min: 1, max: 16 }),
  links: fc.integer({ min: 1, max: 4 }),
  topology: fc.constantFrom<Topology>("linear", "ring"),
});

/** Bytes that cross each link of a line or ring one way and the other, when every part takes its shortest way. */
function loads(bytes: number, { chips, topology }: MeshAxis): number[] {
  const closed = topology === "ring" && chips > 2;
  const forward = new Array<number>(chips).fill(0);
  const backward = new Array<number>(chips).fill(0);
  const part = bytes / chips;
  const carry = (from: number, to: number) => {
    const ahead = (to - from + chips) % chips;
    const walk = (load: number[], steps: number, sign: number, share: number) => {
      for (let step = 0, at = from; step < steps; step++, at += sign) {
        const link = ((sign > 0 ? at : at - 1) + chips) % chips;
        load[link] = (load[link] ?? 0) + part * share;
      }
    };
    if (!closed) return to > from ? walk(forward, to - from, 1, 1) : walk(backward, from - to, -1, 1);
    if (2 * ahead === chips) {
      walk(forward, ahead, 1, 0.5);
      walk(backward, ahead, -1, 0.5);
    } else if (2 * ahead < chips) walk(forward, ahead, 1, 1);
    else walk(backward, chips - ahead, -1, 1);
  };
  for (let from = 0; from < chips; from++) {
    for (let to = 0; to < chips; to++) if (to !== from) carry(from, to);
  }
  return [...forward, ...backward];
}

Deno.test("all_to_all loads the busiest link as routing every part by its shortest way does", () => {
  fc.assert(fc.property(axes, fc.integer({ min: 1, max: 1e9 }), (axis, bytes) => {
    const { linkBytes } = exchange("all_to_all", bytes, axis);
    assertAlmostEquals(
      linkBytes * axis.links,
      Math.max(0, ...loads(bytes, axis)),
      bytes * 1e-9,
    );
  }));
});

Deno.test("a gathered part passes every link once: what crosses is no less than what each chip lacks", () => {
  fc.assert(fc.property(axes, fc.integer({ min: 1, max: 1e9 }), (axis, bytes) => {
    for (const kind of ["all_gather", "reduce_scatter"] as const) {
      const { linkBytes, bidirectional, steps } = exchange(kind, bytes, axis);
      const directions = bidirectional ? 2 : 1;
      const lacking = bytes * (axis.chips - 1) / axis.chips;
      // A chip at the end of a line has one neighbour, one on a ring has two.
      assertAlmostEquals(linkBytes * axis.links * directions, lacking, bytes * 1e-9);
      assertEquals(steps, axis.chips - 1);
    }
  }));
});

Deno.test("more links, and a ring instead of a line, never load the busiest link more", () => {
  fc.assert(fc.property(axes, fc.integer({ min: 1, max: 1e9 }), (axis, bytes) => {
    for (const kind of ["all_gather", "reduce_scatter", "all_to_all"] as const) {
      const { linkBytes } = exchange(kind, bytes, axis);
      assert(exchange(kind, bytes, { ...axis, links: axis.links + 1 }).linkBytes <= linkBytes);
      assert(exchange(kind, bytes, { ...axis, topology: "ring" }).linkBytes <= linkBytes + 1e-6);
    }
  }));
});

Deno.test("one chip exchanges nothing", () => {
  for (const kind of ["all_gather", "reduce_scatter", "all_to_all"] as const) {
    const { linkBytes, steps } = exchange(kind, 4096, { chips: 1, links: 2, topology: "linear" });
    assertEquals([linkBytes, steps], [0, 0]);
  }
});

const kinds = fc.constantFrom<Exchange>("all_gather", "reduce_scatter", "all_to_all");

Deno.test("bytes over all edges are those of every part over every hop that it takes", () => {
  fc.assert(fc.property(kinds, axes, fc.integer({ min: 1, max: 1e9 }), (kind, axis, bytes) => {
    const edges = edgeLoads(kind, bytes, axis);
    const busiest = edges.reduce((most, { forward, backward }) => Math.max(most, forward, backward), 0);
    assertAlmostEquals(exchange(kind, bytes, axis).linkBytes * axis.links, busiest, bytes * 1e-9);
    const carried = edges.reduce((sum, { forward, backward }) => sum + forward + backward, 0);
    // What all chips need crosses as many edges as there are other chips; what each needs takes its own way.
    const hops = kind === "all_to_all"
      ? loads(bytes, axis).reduce((sum, load) => sum + load, 0)
      : bytes * (axis.chips - 1);
    assertAlmostEquals(carried, hops, bytes * 1e-6);
  }));
});

Deno.test("the narrowest cut is never beaten: each side's chips get what only the other side has", () => {
  fc.assert(fc.property(kinds, axes, fc.integer({ min: 1, max: 1e9 }), fc.nat(), (kind, axis, bytes, at) => {
    if (axis.chips < 2) return;
    const edges = edgeLoads(kind, bytes, axis);
    const index = at % (axis.chips - 1);
    // A line is cut at one edge, a ring at two.
    const cut = axis.topology === "ring" && axis.chips > 2
      ? [edges[index], edges[axis.chips - 1]]
      : [edges[index]];
    const [left, right] = [index + 1, axis.chips - index - 1];
    const one = kind === "all_to_all" ? left * right : Math.min(left, right);
    const over = cut.reduce((sum, edge) => sum + (edge?.forward ?? 0) + (edge?.backward ?? 0), 0);
    assert(over >= 2 * one * bytes / axis.chips - bytes * 1e-6);
  }));
});

Deno.test("a packet takes whole pages, four when gathering and two when reducing, or a part of a large one", () => {
  assertEquals(packetBytes("all_gather", 2048), 4096);
  assertEquals(packetBytes("all_gather", 1088), 4352);
  assertEquals(packetBytes("reduce_scatter", 1088), 2176);
  assertEquals(packetBytes("all_gather", 64), 256);
  assertEquals(packetBytes("permute", 64), 4352);
  assertEquals(packetBytes("reduce_scatter", 8192), 4096);
});

Deno.test("transfers between two chips use the edges between them, on a ring the shorter way", () => {
  const line = { chips: 4, links: 1, topology: "linear" } as const;
  const over = (axis: MeshAxis, from: number, to: number) =>
    edgeLoads("permute", 8, axis, { from, to }).map(({ forward, backward }) => forward - backward);
  assertEquals(over(line, 0, 2), [8, 8, 0]);
  assertEquals(over(line, 3, 1), [0, -8, -8]);
  assertEquals(over({ ...line, topology: "ring" }, 0, 3), [0, 0, 0, -8]);
  assertEquals(over({ ...line, topology: "ring" }, 3, 1), [8, 0, 0, 8]);
});
