// SPDX-License-Identifier: Apache-2.0
import { assert } from "@std/assert";
import fc from "fast-check";
import { type LayoutId, LayoutTable } from "../../layout/layout_table.ts";
import { makeLayout } from "../../layout/make_layout.ts";
import { PricedWaits } from "./priced_waits.ts";

const TABLE = new LayoutTable();

/** Layouts 0 to 3; which of them are in L1 is up to the test. */
const LAYOUTS: readonly LayoutId[] = [32, 64, 96, 128].map((rows) =>
  TABLE.intern(
    makeLayout({ shape: [rows, 32], dataType: "bf16", bufferType: "dram", memoryLayout: "interleaved" }, {
      rows: 8,
      columns: 8,
    }),
  )
);
const ALL = [0, 1, 2, 3];

/** Shortest paths between layouts, row by row. */
const prices = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 16, maxLength: 16 }).map((direct) => {
  const closed = direct.map((us, at) => at % 5 === 0 ? 0 : us);
  for (const via of ALL) {
    for (const from of ALL) {
      for (const to of ALL) {
        const detour = (closed[from * 4 + via] ?? 0) + (closed[via * 4 + to] ?? 0);
        closed[from * 4 + to] = Math.min(closed[from * 4 + to] ?? 0, detour);
      }
    }
  }
  return closed;
});

/** A set of layouts as bits, and the µs of making those beyond the ones that exist already. */
interface Made {
  readonly set: number;
  readonly us: number;
}

/** All sets that copies can make from some layouts, each at its least cost. */
function madeFrom(existing: number, price: readonly number[]): readonly Made[] {
  const least = new Map<number, number>([[existing, 0]]);
  const open = [existing];
  for (let set = open.pop(); set !== undefined; set = open.pop()) {
    for (const to of ALL) {
      if ((set >> to & 1) === 1) continue;
      const into = Math.min(
        ...ALL.filter((from) => (set >> from & 1) === 1).map((from) => price[from * 4 + to] ?? 0),
      );
      const next = set | 1 << to;
      const us = (least.get(set) ?? 0) + into;
      if (us >= (least.get(next) ?? Infinity)) continue;
      least.set(next, us);
      open.push(next);
    }
  }
  return [...least].map(([set, us]) => ({ set, us }));
}

interface Reader {
  readonly place: "before" | "after" | "free";
  readonly to: number;
}

/**
 * The least µs of all ways to serve some readers of a value that is produced in layout 0: copies before a wait, what is
 * live during the wait and pays for its bytes, and copies after it.
 */
function leastOfPlans(
  readers: readonly Reader[],
  price: readonly number[],
  bytes: readonly number[],
  perByte: number,
): number {
  const needs = (place: Reader["place"]): number =>
    readers.reduce((set, reader) => reader.place === place ? set | 1 << reader.to : set, 0);
  const holds = (set: number, needed: number): boolean => (set & needed) === needed;
  let least = Infinity;
  for (const early of madeFrom(1, price)) {
    if (!holds(early.set, needs("before"))) continue;
    for (let live = 1; live < 16; live++) {
      if (!holds(early.set, live)) continue;
      const liveUs = ALL.reduce((us, at) => us + (live >> at & 1) * perByte * (bytes[at] ?? 0), 0);
      for (const late of madeFrom(live, price)) {
        if (!holds(late.set, needs("after")) || !holds(early.set | late.set, needs("free"))) continue;
        least = Math.min(least, early.us + liveUs + late.us);
      }
    }
  }
  return least;
}

Deno.test("readers of a waiting value pay no more than any way to serve them, and often all of it", () => {
  let tight = 0;
  fc.assert(
    fc.property(
      prices,
      fc.array(fc.constantFrom(0, 0, 3, 10), { minLength: 4, maxLength: 4 }),
      fc.constantFrom(0.1, 1, 5),
      fc.array(
        fc.record({
          place: fc.constantFrom("before" as const, "after" as const, "free" as const),
          to: fc.nat({ max: 3 }),
        }),
        { maxLength: 3 },
      ),
      fc.nat({ max: 3 }),
      (price, bytes, perByte, others, to) => {
        const readers: readonly Reader[] = [...others, { place: "after", to }];
        const after = readers.filter(({ place }) => place === "after").length;
        const value = new PricedWaits(
          {
            perByte: readers.map(({ place }) => place === "after" ? perByte / after : 0),
            before: new Set(readers.flatMap(({ place }, reader) => place === "before" ? [reader] : [])),
          },
          LAYOUTS,
          { microseconds: (from, into) => price[LAYOUTS.indexOf(from) * 4 + LAYOUTS.indexOf(into)] ?? 0 },
          (layout) => bytes[LAYOUTS.indexOf(layout)] ?? 0,
        );
        const [from] = LAYOUTS;
        const paid = readers.reduce((us, reader, index) => {
          const layout = LAYOUTS[reader.to];
          assert(from !== undefined && layout !== undefined);
          return us + value.microseconds(from, index, layout);
        }, 0);
        const least = leastOfPlans(readers, price, bytes, perByte);
        assert(paid <= least + 1e-9, `readers pay ${paid} µs, a plan takes ${least}`);
        if (paid > least - 1e-9) tight++;
      },
    ),
    { numRuns: 1000, endOnFailure: true },
  );
  assert(tight > 120, `${tight} of 1000 pay all`);
});
