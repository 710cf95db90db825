// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { idAt, type ValueId } from "../graph/graph.ts";
import { type LayoutId, LayoutTable } from "../layout/layout_table.ts";
import { makeLayout } from "../layout/make_layout.ts";
import type { Sharing } from "./factors/sharing.ts";
import { tighten } from "./tighten.ts";

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

const unpaid: Sharing = { separatesBranches: false, paid: [], shares: [0.5, 0.5] };

Deno.test("tighten() solves the best sharing again only after prices rose", () => {
  const value = idAt<ValueId>(0);
  const roundsOf = (risesAt: number): number => {
    let rounds = 0;
    tighten((sharings) => {
      const undercharged = [{ value, sharing: sharings.get(value) ?? unpaid, payNext: [] }];
      rounds++;
      // The second solution is the best; what is paid afterwards lowers the bound.
      const bound = 100 - Math.abs(rounds - 2);
      return { bound, assignmentUs: 101, sharings, undercharged, isCongested: rounds === risesAt, work: 0 };
    }, () => false);
    return rounds;
  };
  assertEquals(roundsOf(Infinity), 1 + 5, "the first one, and those that pay copies");
  assertEquals(roundsOf(3), 1 + 5 + 1, "and the best one again behind the latter");
});

Deno.test("tighten() stops charging further copies after an expensive one gained almost nothing", () => {
  const value = idAt<ValueId>(0);
  const paidRounds = (work: number, gain: number): number => {
    let paidMost = 0;
    tighten((sharings) => {
      const sharing = sharings.get(value) ?? unpaid;
      const { separatesBranches, paid: { length } } = sharing;
      assert(separatesBranches || length === 0, "branches are told apart before any copy is paid");
      paidMost = Math.max(paidMost, length);
      const undercharged = [{ value, sharing, payNext: LAYOUTS.slice(length, length + 1) }];
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
