// SPDX-License-Identifier: Apache-2.0
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import fc from "fast-check";
import type { MeshAxis, Topology } from "../device/mesh.ts";
import { exchange } from "./collective.ts";

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
      const { linkBytes, bothWays, steps } = exchange(kind, bytes, axis);
      const ways = bothWays ? 2 : 1;
      const lacking = bytes * (axis.chips - 1) / axis.chips;
      // A chip at the end of a line has one neighbour, one on a ring has two.
      assertAlmostEquals(linkBytes * axis.links * ways, lacking, bytes * 1e-9);
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
