// SPDX-License-Identifier: Apache-2.0
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import fc from "fast-check";
import { type LayoutId, LayoutTable } from "../../layout/layout_table.ts";
import { makeLayout } from "../../layout/make_layout.ts";
import { SharedValue, sharesOf } from "./shared_value.ts";
import { separateShares } from "./sharing.ts";

const TABLE = new LayoutTable();

/** Layouts 0 to 3. */
const LAYOUTS: readonly LayoutId[] = [32, 64, 96, 128].map((rows) =>
  TABLE.intern(
    makeLayout({ shape: [rows, 32], dataType: "bf16", bufferType: "dram", memoryLayout: "interleaved" }, {
      rows: 8,
      columns: 8,
    }),
  )
);

/** Prices between layouts 0 to 3, as shortest paths. */
const prices = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 16, maxLength: 16 }).map((direct) => {
  const closed = direct.map((us, at) => at % 5 === 0 ? 0 : us);
  for (const via of [0, 1, 2, 3]) {
    for (const from of [0, 1, 2, 3]) {
      for (const to of [0, 1, 2, 3]) {
        const detour = (closed[from * 4 + via] ?? 0) + (closed[via * 4 + to] ?? 0);
        closed[from * 4 + to] = Math.min(closed[from * 4 + to] ?? 0, detour);
      }
    }
  }
  return closed;
});

/**
 * Least cost of copies that produce every layout that is read, starting from layout 0; every copy may be made
 * from any other.
 */
function leastCopies(price: readonly number[], reads: readonly number[]): number {
  let least = Infinity;
  // For copies 1 to 3: the source, 4 if the copy is not made.
  for (let code = 0; code < 125; code++) {
    const from = [0, code % 5, Math.floor(code / 5) % 5, Math.floor(code / 25)];
    const isMade = (layout: number, seen: readonly number[] = []): boolean =>
      layout === 0 ||
      (layout < 4 && !seen.includes(layout) && isMade(from[layout] ?? 4, [...seen, layout]));
    if (!reads.every((layout) => isMade(layout))) continue;
    const cost = [1, 2, 3].reduce(
      (us, layout) => us + (from[layout] === 4 ? 0 : price[(from[layout] ?? 0) * 4 + layout] ?? 0),
      0,
    );
    least = Math.min(least, cost);
  }
  return least;
}

function leastCopyTree(shared: SharedValue, reads: readonly LayoutId[]): number {
  return Math.min(
    ...shared.copyTrees.map((copyTree) =>
      reads.reduce((us: number, to, reader) => us + shared.shareOf(copyTree, reader, to), 0)
    ),
  );
}

const readsOf = (count: number) =>
  fc.array(fc.constantFrom(...LAYOUTS), { minLength: count, maxLength: count });

Deno.test("SharedValue never charges more than the cheapest copies that serve all readers", () => {
  fc.assert(
    fc.property(
      prices,
      fc.integer({ min: 1, max: 4 }).chain((readers) =>
        fc.tuple(
          readsOf(readers),
          fc.array(fc.integer({ min: 0, max: 9 }), { minLength: readers, maxLength: readers }),
        )
      ),
      fc.subarray(LAYOUTS.slice(1)),
      fc.boolean(),
      (price, [reads, weights], paid, separatesBranches) => {
        const sum = weights.reduce((all, weight) => all + weight + 1, 0);
        const shares = weights.map((weight) => (weight + 1) / sum);
        const conversions = { microseconds: (from: number, to: number) => price[from * 4 + to] ?? 0 };
        const shared = new SharedValue(
          LAYOUTS.slice(0, 1),
          { separatesBranches, paid, shares },
          LAYOUTS,
          conversions,
        );
        const [charged, least] = [leastCopyTree(shared, reads), leastCopies(price, reads)];
        assert(charged <= least + 1e-9, `charges ${charged} where ${least} is enough`);
      },
    ),
    { numRuns: 2000, seed: 3 },
  );
});

/** Fractions that add up to 1, often 0 or 1. */
const partsOfReaders = (readers: number): fc.Arbitrary<readonly number[]> =>
  fc.array(fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 9 })), {
    minLength: readers,
    maxLength: readers,
  })
    .map((weights) => {
      const sum = weights.reduce((all, weight) => all + weight, 0);
      return weights.map((weight, reader) => sum === 0 ? Number(reader === 0) : weight / sum);
    });

Deno.test("SharedValue has different keys for readers that pay differently", () => {
  const sharings = fc.tuple(partsOfReaders(3), partsOfReaders(3)).map(([one, [part = 0]]) => ({
    one: { separatesBranches: true, paid: [], shares: one },
    // Often the first reader pays the same as before.
    other: {
      separatesBranches: true,
      paid: [],
      shares: [one[0] ?? 0, part * (1 - (one[0] ?? 0)), (1 - part) * (1 - (one[0] ?? 0))],
    },
  }));
  fc.assert(
    fc.property(sharings, ({ one, other }) => {
      const conversions = { microseconds: (from: LayoutId, to: LayoutId) => from === to ? 0 : 1 };
      const [a, b] = [one, other].map((sharing) =>
        new SharedValue(LAYOUTS.slice(0, 1), sharing, LAYOUTS, conversions)
      );
      assert(a !== undefined && b !== undefined);
      for (const reader of [0, 1, 2]) {
        if (a.sharesKey(reader) !== b.sharesKey(reader)) continue;
        assertEquals([...sharesOf(a, reader, LAYOUTS)], [...sharesOf(b, reader, LAYOUTS)]);
      }
    }),
    { numRuns: 1000 },
  );
});

Deno.test("SharedValue charges two readers exactly the cost of their copies if all copies are paid in full", () => {
  fc.assert(
    fc.property(prices, readsOf(2), (price, reads) => {
      const conversions = { microseconds: (from: number, to: number) => price[from * 4 + to] ?? 0 };
      const sharing = { separatesBranches: false, paid: LAYOUTS.slice(1), shares: [0.5, 0.5] };
      const shared = new SharedValue(LAYOUTS.slice(0, 1), sharing, LAYOUTS, conversions);
      assertAlmostEquals(leastCopyTree(shared, reads), leastCopies(price, reads), 1e-9);
    }),
    { numRuns: 500, seed: 4 },
  );
});

Deno.test("SharedValue charges a copy in full that only one reader can use, for either reader", () => {
  // Any copy back to layout 0 costs more than what the copies of one reader save.
  const price = [0, 4, 6, 8, 40, 0, 3, 5, 40, 3, 0, 2, 40, 5, 2, 0];
  const conversions = { microseconds: (from: number, to: number) => price[from * 4 + to] ?? 0 };
  const chargedFor = (separatesBranches: boolean, reads: readonly LayoutId[]): number => {
    const sharing = { separatesBranches, paid: [], shares: [0.75, 0.25] };
    return leastCopyTree(new SharedValue(LAYOUTS.slice(0, 1), sharing, LAYOUTS, conversions), reads);
  };
  const [producedIn = LAYOUTS[0], ...others] = LAYOUTS;
  assert(producedIn !== undefined);
  for (const [index, other] of others.entries()) {
    const us = price[index + 1] ?? 0;
    assertAlmostEquals(chargedFor(true, [other, producedIn]), us, 1e-9);
    assertAlmostEquals(chargedFor(true, [producedIn, other]), us, 1e-9);
    assertAlmostEquals(chargedFor(false, [producedIn, other]), us / 4, 1e-9);
  }
});

Deno.test("SharedValue charges a reader for the maximum over the places that the value passes before it", () => {
  const [producedIn, one, other] = LAYOUTS;
  assert(producedIn !== undefined && one !== undefined && other !== undefined);
  const us = [0, 3, 5, 9, 3, 0, 4, 9, 5, 4, 0, 9, 9, 9, 9, 0];
  const conversions = {
    microseconds: (from: LayoutId, to: LayoutId) => us[LAYOUTS.indexOf(from) * 4 + LAYOUTS.indexOf(to)] ?? 0,
  };
  const sharing = { separatesBranches: false, paid: [], shares: [1] };
  const charged = (...met: readonly LayoutId[]): number => {
    const conditions = met.map((wanted) => (layout: LayoutId) => layout === wanted);
    const shared = new SharedValue([producedIn], sharing, LAYOUTS, conversions, [conditions]);
    return leastCopyTree(shared, [producedIn]);
  };
  assertAlmostEquals(charged(one), 6);
  assertAlmostEquals(charged(other), 10);
  // A plan pays 3 + 4 + 5: it satisfies one condition after the other.
  assertAlmostEquals(charged(one, other), 10);
});

Deno.test("separateShares() raises shares, and all but the smallest sum to at most 1", () => {
  const weights = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(weights.filter((all) => all.some((weight) => weight > 0)), (given) => {
      const total = given.reduce((sum, weight) => sum + weight, 0);
      const shares = given.map((weight) => weight / total);
      const apart = separateShares(shares);
      assert(apart.every((part, reader) => part >= (shares[reader] ?? 0)));
      const sum = apart.reduce((all, part) => all + part, 0);
      const withoutLeast = sum - Math.min(...apart);
      assertAlmostEquals(withoutLeast, shares.length === 1 ? 0 : 1, 1e-12);
    }),
    { numRuns: 500 },
  );
  separateShares([0.25, 0.25, 0.25, 0.25]).forEach((part) => assertAlmostEquals(part, 1 / 3));
});
