// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { idAt, type OpId, type ValueId } from "../../graph/graph.ts";
import type { WaitingItem } from "../l1/waits_to_spill.ts";
import { SPILLED_SHARES } from "../limits.ts";
import { type AddressConflict, NO_OBSTACLES, type Placing, unplaced } from "./address_search.ts";
import { type SpillableSolution, spillingWaits } from "./spilled_waits.ts";

const STEP = idAt<OpId>(0);
/** A step without room, of which nothing more is known. */
const CONFLICT: AddressConflict = {
  op: STEP,
  shortBytes: 1,
  shortages: [1],
  obstacles: () => NO_OBSTACLES,
};

/** A value that takes 10 bytes of L1 while it waits. */
function waiting(value: ValueId): WaitingItem {
  return { kind: "value", value, reader: 0, bytes: 10 };
}

const isSpilled = ({ caps }: Placing, value: ValueId): boolean => caps.values.get(value)?.get(0) === 0;

/**
 * A solver for values that all wait at one step: each costs 1 µs where it is spilled. The step fits by byte sums where
 * as many are in L1 as a share of L1 holds, and by address where at most `byAddress` are.
 */
function solver(count: number, inL1: number, byAddress: number): (placing: Placing) => SpillableSolution {
  const values = Array.from({ length: count }, (_, value) => idAt<ValueId>(value));
  return (placing) => {
    const kept = values.filter((value) => !isSpilled(placing, value));
    return {
      microseconds: 100 + count - kept.length,
      key: kept.join(),
      conflict: kept.length <= byAddress ? undefined : CONFLICT,
      waitsToSpill: (share) =>
        kept.slice(0, Math.max(0, kept.length - Math.floor(share * inL1))).map(waiting),
    };
  };
}

function found(solve: (placing: Placing) => SpillableSolution): readonly number[] {
  return [...spillingWaits([unplaced([STEP])], solve)].flatMap((each) => each?.microseconds ?? []);
}

Deno.test("spillingWaits() spills all waits at once that exceed L1", () => {
  assertEquals(found(solver(60, 20, 20)), [140]);
  assertEquals(found(solver(20, 20, 20)), [100]);
});

Deno.test("spillingWaits() fills less of L1 where addresses do not fit, and brings back what then has room", () => {
  // 0.9 · 20 = 18 fit by byte sums, 0.8 · 20 = 16 by address; of what is spilled for 16, one may come back.
  assertEquals(found(solver(60, 20, 17)), [144, 143]);
});

Deno.test("spillingWaits() ends where no share fits by address, or nothing can be told", () => {
  assertEquals(found(solver(60, 20, Math.floor(20 * (SPILLED_SHARES.at(-1) ?? 0)) - 1)), []);
  assertEquals(found((placing) => ({ ...solver(60, 20, 20)(placing), waitsToSpill: () => undefined })), []);
});

Deno.test("spillingWaits() brings back what has room in the fastest order only", () => {
  const [tight, loose] = [solver(60, 20, 17), solver(60, 30, 28)];
  const OTHER = idAt<OpId>(1);
  const tried: Placing[] = [];
  const found = [...spillingWaits([unplaced([STEP, OTHER]), unplaced([OTHER, STEP])], (placing) => {
    tried.push(placing);
    return placing.schedule[0] === STEP ? tight(placing) : loose(placing);
  })];
  // 16 of 60 in L1 in the first order, 27 in the second, where one comes back.
  assertEquals(found.flatMap((each) => each?.microseconds ?? []), [144, 133, 132]);
  const last = tried.findLastIndex(({ schedule }) => schedule[0] === STEP);
  assert(tried.slice(last + 1).length > 33);
});

Deno.test("spillingWaits() brings nothing back that makes what it has slower", () => {
  const [first, second] = [idAt<ValueId>(0), idAt<ValueId>(1)];
  let isFirst = true;
  const solve = (placing: Placing): SpillableSolution => {
    const spilled = [first, second].map((value) => isSpilled(placing, value));
    return {
      // The second one gains half a µs by waiting elsewhere.
      microseconds: 10 + (spilled[0] === true ? 1 : 0) - (spilled[1] === true ? 0.5 : 0),
      key: spilled.join(),
      conflict: isFirst ? CONFLICT : undefined,
      waitsToSpill: () => {
        isFirst = false;
        return [waiting(first), waiting(second)];
      },
    };
  };
  assertEquals(found(solve), [10.5, 9.5]);
});

Deno.test("spillingWaits() takes what fits by address at once, and spills no wait twice", () => {
  const value = idAt<ValueId>(0);
  let asked = 0;
  const solve = (placing: Placing): SpillableSolution => ({
    microseconds: ++asked,
    key: `${asked}`,
    conflict: isSpilled(placing, value) ? undefined : CONFLICT,
    // It counts as long as its reader has it in L1.
    waitsToSpill: () => [waiting(value)],
  });
  // One with the conflict, one without it, and one in which the value is in L1 again.
  assertEquals([found(solve), asked], [[2], 3]);
  asked = 0;
  const never = (placing: Placing): SpillableSolution => ({ ...solve(placing), conflict: CONFLICT });
  assertEquals([found(never), asked], [[], 2 * SPILLED_SHARES.length]);
});
