// SPDX-License-Identifier: Apache-2.0
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import fc from "fast-check";
import { type LayoutId, LayoutTable } from "../../layout/layout_table.ts";
import { makeLayout } from "../../layout/make_layout.ts";
import { type CopyTree, type SharedCopy, SharedValue, sharesOf } from "./shared_value.ts";
import { separateShares, type SharesInto } from "./sharing.ts";

const TABLE = new LayoutTable();

const MANY_LAYOUTS: readonly LayoutId[] = [32, 64, 96, 128, 160, 192].map((rows) =>
  TABLE.intern(
    makeLayout({ shape: [rows, 32], dataType: "bf16", bufferType: "dram", memoryLayout: "interleaved" }, {
      rows: 8,
      columns: 8,
    }),
  )
);

/** Layouts 0 to 3. */
const LAYOUTS = MANY_LAYOUTS.slice(0, 4);

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

/** Up to six layouts, the first of which exist, with prices of single copies and of cheapest paths. */
interface Place {
  readonly layouts: readonly LayoutId[];
  readonly present: number;
  readonly direct: (from: number, to: number) => number;
  readonly conversions: { microseconds(from: LayoutId, to: LayoutId): number };
}

const places: fc.Arbitrary<Place> = fc.record({
  count: fc.integer({ min: 3, max: 6 }),
  present: fc.integer({ min: 1, max: 2 }),
  // Some copies cannot be made.
  us: fc.array(fc.oneof(fc.integer({ min: 0, max: 20 }), fc.constantFrom(1, 100, Infinity)), {
    minLength: 36,
    maxLength: 36,
  }),
}).map(({ count, present, us }): Place => {
  const all = [...Array(count).keys()];
  const direct = (from: number, to: number): number => from === to ? 0 : us[from * 6 + to] ?? 0;
  const least = all.map((from) => all.map((to) => direct(from, to)));
  for (const via of all) {
    for (const from of all) {
      for (const to of all) {
        const row = least[from] ?? [];
        row[to] = Math.min(row[to] ?? 0, (row[via] ?? 0) + (least[via]?.[to] ?? 0));
      }
    }
  }
  const starts = (from: number): readonly number[] => from === 0 ? all.slice(0, present) : [from];
  const conversions = {
    microseconds: (from: LayoutId, to: LayoutId): number => {
      const end = MANY_LAYOUTS.indexOf(to);
      return Math.min(...starts(MANY_LAYOUTS.indexOf(from)).map((start) => least[start]?.[end] ?? 0));
    },
  };
  return { layouts: MANY_LAYOUTS.slice(0, count), present, direct, conversions };
});

/** Least cost of making copies one after the other, each from what exists, until every read layout exists. */
function leastInTurn({ layouts, present, direct }: Place, reads: readonly LayoutId[]): number {
  const least = new Array<number>(1 << layouts.length).fill(Infinity);
  least[(1 << present) - 1] = 0;
  const wanted = reads.reduce((set, layout) => set | 1 << layouts.indexOf(layout), 0);
  let best = Infinity;
  for (let set = 0; set < least.length; set++) {
    const us = least[set] ?? Infinity;
    if ((set & wanted) === wanted) best = Math.min(best, us);
    for (let to = 0; to < layouts.length; to++) {
      const sources = [...layouts.keys()].filter((from) => (set & 1 << from) !== 0);
      const copy = Math.min(...sources.map((from) => direct(from, to)));
      const next = set | 1 << to;
      least[next] = Math.min(least[next] ?? Infinity, us + copy);
    }
  }
  return best;
}

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

/** A value, how its readers share copies by where these lead, and what they read. */
const sharedByLayout = fc.tuple(places, fc.integer({ min: 2, max: 5 })).chain(([place, readers]) =>
  fc.record({
    place: fc.constant(place),
    reads: fc.array(fc.constantFrom(...place.layouts), { minLength: readers, maxLength: readers }),
    separatesBranches: fc.boolean(),
    paid: fc.subarray(place.layouts.slice(place.present)),
    shares: partsOfReaders(readers),
    lists: fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 6, maxLength: 6 }),
    partsOfLists: fc.array(partsOfReaders(readers), { minLength: 6, maxLength: 6 }),
    isOwned: fc.boolean(),
  })
).map(({ place, reads, lists, partsOfLists, isOwned, ...sharing }) => {
  const inLists = place.layouts.map((_, list) => place.layouts.filter((_, layout) => lists[layout] === list));
  // Charges come near the price of copies if these are paid by those who read them.
  const alone = place.layouts.map((layout) => [layout]);
  const ownParts = alone.map(([layout], list) => {
    const count = reads.filter((read) => read === layout).length;
    return count === 0 ? partsOfLists[list] ?? [] : reads.map((read) => read === layout ? 1 / count : 0);
  });
  const sharesInto = (isOwned ? alone : inLists).map((layouts, list): SharesInto => ({
    layouts,
    shares: (isOwned ? ownParts : partsOfLists)[list] ?? [],
  }));
  return {
    place,
    reads,
    sharing: { ...sharing, sharesInto: sharesInto.filter(({ layouts }) => layouts.length > 0) },
  };
});

Deno.test("SharedValue never charges more than the cheapest copies, for any shares of readers by layout", () => {
  let tight = 0;
  fc.assert(
    fc.property(sharedByLayout, ({ place, reads, sharing }) => {
      const shared = new SharedValue(place.layouts.slice(0, 1), sharing, place.layouts, place.conversions);
      // What exists already is read for free.
      const root = place.layouts[0];
      const present = place.layouts.slice(0, place.present);
      const asked = reads.map((layout) => present.includes(layout) && root !== undefined ? root : layout);
      const [charged, least] = [leastCopyTree(shared, asked), leastInTurn(place, asked)];
      assert(charged <= least * (1 + 1e-9) + 1e-9, `charges ${charged} where ${least} is enough`);
      const isSeveral = new Set(asked).size > 3 && sharing.paid.length < 3;
      if (isSeveral && least < Infinity && charged > 0.9 * least) tight++;
    }),
    { numRuns: 4000, seed: 5 },
  );
  assert(tight > 20, `only ${tight} charges of several copies are near their price`);
});

Deno.test("SharedValue charges equal shares by layout like shares without layout", () => {
  fc.assert(
    fc.property(
      sharedByLayout,
      ({ place: { layouts, conversions }, sharing: { sharesInto, ...sharing } }) => {
        const producedLayouts = layouts.slice(0, 1);
        const byLayout = sharesInto.map((list) => ({ ...list, shares: sharing.shares }));
        const one = new SharedValue(producedLayouts, sharing, layouts, conversions);
        const other = new SharedValue(
          producedLayouts,
          { ...sharing, sharesInto: byLayout },
          layouts,
          conversions,
        );
        for (const reader of sharing.shares.keys()) {
          const shares = sharesOf(one, reader, layouts);
          sharesOf(other, reader, layouts).forEach((us, at) => assertAlmostEquals(us, shares[at] ?? 0, 1e-9));
        }
      },
    ),
    { numRuns: 1000, seed: 7 },
  );
});

Deno.test("SharedValue charges several copies in full if each reader pays for its own", () => {
  const [producedIn, ...copies] = LAYOUTS;
  assert(producedIn !== undefined);
  const us = [0, 4, 6, 8, 9, 0, 9, 9, 9, 9, 0, 9, 9, 9, 9, 0];
  const conversions = {
    microseconds: (from: LayoutId, to: LayoutId) => us[LAYOUTS.indexOf(from) * 4 + LAYOUTS.indexOf(to)] ?? 0,
  };
  const ownParts = copies.map((layout, own): SharesInto => ({
    layouts: [layout],
    shares: [0, 1, 2, 3].map((reader) => Number(reader === own)),
  }));
  const charged = (sharesInto: readonly SharesInto[]): number => {
    const sharing = { separatesBranches: false, paid: [], shares: [0.25, 0.25, 0.25, 0.25], sharesInto };
    return leastCopyTree(new SharedValue([producedIn], sharing, LAYOUTS, conversions), [
      ...copies,
      producedIn,
    ]);
  };
  assertAlmostEquals(charged([]), (4 + 6 + 8) / 4);
  assertAlmostEquals(charged(ownParts), 4 + 6 + 8);
});

Deno.test("SharedValue charges readers for the copies of which it reports shares", () => {
  fc.assert(
    fc.property(sharedByLayout, ({ place, reads, sharing }) => {
      const shared = new SharedValue(place.layouts.slice(0, 1), sharing, place.layouts, place.conversions);
      const [root] = place.layouts;
      const shareAmong = (reader: number, { into }: SharedCopy, kind: CopyTree["branch"]): number => {
        const shares = sharing.sharesInto.find(({ layouts }) => layouts.includes(into))?.shares ?? [];
        return (kind === "any" || kind === "common" ? shares : separateShares(shares))[reader] ?? 0;
      };
      for (const copyTree of shared.copyTrees) {
        for (const [reader, to] of reads.entries()) {
          const share = shared.shareOf(copyTree, reader, to);
          if (share === Infinity || root === undefined) continue;
          const { branch } = copyTree;
          const own = shared.shareOf(copyTree, reader, undefined);
          const moves = shared.movesOf(copyTree, reader, to);
          const us = moves.reduce((sum, move) => sum + shareAmong(reader, move, branch) * move.us, own);
          assertAlmostEquals(us, share, 1e-9);
        }
      }
    }),
    { numRuns: 1000, seed: 6 },
  );
});

Deno.test("SharedValue has different keys for readers that pay differently", () => {
  const sharings = partsOfReaders(3).chain((shares) =>
    fc.tuple(fc.constant(shares), partsOfReaders(3), partsOfReaders(3)).map(([own, other, into]) => ({
      one: {
        separatesBranches: true,
        paid: [],
        shares: own,
        sharesInto: [{ layouts: LAYOUTS.slice(1, 2), shares: into }],
      },
      // Often the first reader pays the same as before.
      other: {
        separatesBranches: true,
        paid: [],
        shares: [own[0] ?? 0, 0.25 * (1 - (own[0] ?? 0)), 0.75 * (1 - (own[0] ?? 0))],
        sharesInto: [{ layouts: LAYOUTS.slice(1, 2), shares: other }],
      },
    }))
  );
  fc.assert(
    fc.property(sharings, fc.boolean(), ({ one, other }, isByLayout) => {
      const conversions = { microseconds: (from: LayoutId, to: LayoutId) => from === to ? 0 : 1 };
      const [a, b] = [one, other].map(({ sharesInto, ...sharing }) =>
        new SharedValue(
          LAYOUTS.slice(0, 1),
          isByLayout ? { ...sharing, sharesInto } : sharing,
          LAYOUTS,
          conversions,
        )
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
