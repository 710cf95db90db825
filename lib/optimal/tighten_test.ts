// SPDX-License-Identifier: Apache-2.0
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import fc from "fast-check";
import { idAt, type ValueId } from "../graph/graph.ts";
import { type LayoutId, LayoutTable } from "../layout/layout_table.ts";
import { makeLayout } from "../layout/make_layout.ts";
import type { SharedCharge, Sharing } from "./factors/sharing.ts";
import { onSimplex, tighten } from "./tighten.ts";

const TABLE = new LayoutTable();

const LAYOUTS: readonly LayoutId[] = [1, 2, 3, 4, 5, 6].map((tiles) =>
  TABLE.intern(
    makeLayout({
      shape: [32 * tiles, 32],
      dataType: "bf16",
      bufferType: "dram",
      memoryLayout: "interleaved",
    }, { rows: 8, columns: 8 }),
  )
);

/** A charge for copies in lists of one layout each; µs per reader, for each list. */
function charge(
  value: ValueId,
  sharing: Sharing,
  paths: readonly (readonly number[])[],
  payNext: readonly LayoutId[] = [],
): SharedCharge {
  const into = paths.map((own, list) => ({
    layouts: LAYOUTS.slice(list, list + 1),
    shares: sharing.sharesInto?.[list]?.shares ?? sharing.shares,
    paths: own,
  }));
  return { value, sharing, into, payNext };
}

Deno.test("onSimplex() gives shares with a sum of 1, never more, for numbers of any size", () => {
  const numbers = fc.array(fc.double({ min: -1e17, max: 1e17, noNaN: true }), { minLength: 1, maxLength: 9 });
  fc.assert(
    fc.property(numbers, (given) => {
      const shares = onSimplex(given);
      const sum = shares.reduce((all, part) => all + part, 0);
      assert(shares.every((part) => part >= 0));
      assert(sum <= 1 + 1e-12, `the parts are together ${sum}`);
    }),
  );
  assertEquals(onSimplex([3, 0, 0]), [1, 0, 0]);
  onSimplex([0.5, 0.5, 0.5]).forEach((part) => assertAlmostEquals(part, 1 / 3));
});

Deno.test("tighten() moves no shares between readers whose paths differ only by rounding", () => {
  const value = idAt<ValueId>(0);
  const us = 2.4417920000000004;
  const seen: (readonly number[])[] = [];
  tighten((sharings) => {
    const sharing: Sharing = sharings.get(value) ??
      { separatesBranches: false, paid: [], shares: new Array<number>(9).fill(1 / 9) };
    seen.push(sharing.sharesInto?.[0]?.shares ?? sharing.shares);
    const undercharged = [charge(value, sharing, [new Array<number>(9).fill(us)])];
    return { bound: 1, assignmentUs: 2, sharings, undercharged, isCongested: false, work: 0 };
  }, () => false);
  for (const shares of seen) assertAlmostEquals(shares.reduce((all, part) => all + part, 0), 1, 1e-12);
});

Deno.test("tighten() keeps the shares of a copy at a sum of 1 if no assignment is feasible", () => {
  const value = idAt<ValueId>(0);
  const seen: (readonly number[])[] = [];
  tighten((sharings) => {
    const sharing: Sharing = sharings.get(value) ??
      { separatesBranches: false, paid: [], shares: [0.2, 0.2, 0.2, 0.2, 0.2] };
    seen.push(sharing.sharesInto?.[0]?.shares ?? sharing.shares);
    const undercharged = [charge(value, sharing, [[0, 0, 0, 7.767168, 3.883584]])];
    return { bound: 100, assignmentUs: Infinity, sharings, undercharged, isCongested: false, work: 0 };
  }, () => false);
  assert(new Set(seen.map((shares) => shares.join())).size > 1, "parts are moved");
  for (const shares of seen) assertAlmostEquals(shares.reduce((all, part) => all + part, 0), 1, 1e-12);
});

Deno.test("tighten() charges each reader in full for the layouts that it alone uses, at any copy cost", () => {
  const value = idAt<ValueId>(0);
  let last: Sharing | undefined;
  tighten((sharings) => {
    const sharing: Sharing = sharings.get(value) ??
      { separatesBranches: false, paid: [], shares: [0.5, 0.5] };
    last = sharing.separatesBranches ? last : sharing;
    const undercharged = [charge(value, sharing, [[100, 0], [0, 1], [2, 2]])];
    const bound = 100 + (sharing.sharesInto?.[0]?.shares[0] ?? 0.5);
    return { bound, assignmentUs: 1000, sharings, undercharged, isCongested: false, work: 0 };
  }, () => false);
  assertEquals(last?.sharesInto?.map(({ shares }) => shares), [[1, 0], [0, 1], [0.5, 0.5]]);
});

Deno.test("tighten() distinguishes values whose shares moved, even if the best solution pays all of their copies", () => {
  const [one, other] = [idAt<ValueId>(0), idAt<ValueId>(1)];
  let rounds = 0;
  const apart = new Set<ValueId>();
  tighten((sharings) => {
    const sharingOf = (value: ValueId): Sharing =>
      sharings.get(value) ?? { separatesBranches: false, paid: [], shares: [0.5, 0.5] };
    for (const value of [one, other]) if (sharingOf(value).separatesBranches) apart.add(value);
    const charged = rounds++ === 0 ? [one, other] : [other];
    const undercharged = charged.map((value) => charge(value, sharingOf(value), [[1, 0]]));
    return { bound: 99 + rounds, assignmentUs: 1000, sharings, undercharged, isCongested: false, work: 0 };
  }, () => false);
  assertEquals(apart, new Set([one, other]));
});

Deno.test("tighten() moves shares by the least step that closes a small gap", () => {
  const value = idAt<ValueId>(0);
  const seen: number[] = [];
  tighten((sharings) => {
    const sharing: Sharing = sharings.get(value) ??
      { separatesBranches: false, paid: [], shares: [0.5, 0.5] };
    seen.push(sharing.sharesInto?.[0]?.shares[0] ?? 0.5);
    const undercharged = seen.length > 1 ? [] : [charge(value, sharing, [[10, 0]])];
    return { bound: 100, assignmentUs: 101, sharings, undercharged, isCongested: false, work: 0 };
  }, () => false);
  // A reader that pays a tenth more of 10 µs pays 1 µs more.
  assertAlmostEquals((seen[1] ?? 0) - (seen[0] ?? 0), 0.1, 1e-12);
});

Deno.test("tighten() solves the best sharing again only after prices rose", () => {
  const value = idAt<ValueId>(0);
  const roundsOf = (risesAt: number): number => {
    let rounds = 0;
    tighten((sharings) => {
      const sharing: Sharing = sharings.get(value) ??
        { separatesBranches: false, paid: [], shares: [0.5, 0.5] };
      const undercharged = [charge(value, sharing, [[0, 1]])];
      rounds++;
      // The second solution is the best; moving on from there lowers the bound.
      const bound = 100 - Math.abs(rounds - 2);
      return { bound, assignmentUs: 101, sharings, undercharged, isCongested: rounds === risesAt, work: 0 };
    }, () => false);
    return rounds;
  };
  assertEquals(roundsOf(Infinity), 1 + 4 + 5, "the first one, those that move parts, those that pay copies");
  assertEquals(roundsOf(3), 1 + 4 + 1 + 5 + 1, "and the best one again before and behind the latter");
});

Deno.test("tighten() stops charging further copies after an expensive one gained almost nothing", () => {
  const value = idAt<ValueId>(0);
  const paidRounds = (work: number, gain: number): number => {
    let paidMost = 0;
    tighten((sharings) => {
      const sharing: Sharing = sharings.get(value) ??
        { separatesBranches: false, paid: [], shares: [0.5, 0.5] };
      const { separatesBranches, paid: { length } } = sharing;
      assert(separatesBranches || length === 0, "branches are told apart before any copy is paid");
      paidMost = Math.max(paidMost, length);
      const undercharged = [charge(value, sharing, [[1, 1]], LAYOUTS.slice(length, length + 1))];
      const bound = 100 * (1 + (length + Number(separatesBranches)) * gain);
      return { bound, assignmentUs: 200, sharings, undercharged, isCongested: false, work };
    }, () => false);
    return paidMost;
  };
  assertEquals(paidRounds(1e7, 1e-3), 4);
  assertEquals(paidRounds(1e7, 1e-5), 0);
  assertEquals(paidRounds(1e3, 1e-5), 4);
});

Deno.test("tighten() follows prices that rise with congestion to convergence if that takes little work", () => {
  const rounds = (work: number): number => {
    let solved = 0;
    const { highest } = tighten((sharings) => {
      const isCongested = solved < 40;
      const bound = 100 + solved++;
      return { bound, assignmentUs: 141, sharings, undercharged: [], isCongested, work };
    }, () => false);
    assertEquals(highest.bound, 100 + solved - 1);
    return solved;
  };
  assertEquals(rounds(1e3), 1 + 40);
  assertEquals(rounds(1e7), 1 + 8);
});
