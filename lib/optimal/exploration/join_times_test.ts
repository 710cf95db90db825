// SPDX-License-Identifier: Apache-2.0
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import fc from "fast-check";
import { type LayoutIds, LayoutTable } from "../../layout/layout_table.ts";
import { makeLayout } from "../../layout/make_layout.ts";
import { type JoinTime, joinTimes, multisets } from "./join_times.ts";

const [NEAR, FAR] = layoutsOf();

function layoutsOf() {
  const table = new LayoutTable();
  const [near, far] = (["l1", "dram"] as const).map((bufferType) =>
    table.intern(
      makeLayout({ shape: [32, 32], dataType: "bf16", bufferType, memoryLayout: "interleaved" }, {
        rows: 8,
        columns: 8,
      }),
    )
  );
  assert(near !== undefined && far !== undefined);
  return [near, far] as const;
}

/** Operands with weights; equal weights form one class. */
interface Weighed {
  readonly weights: readonly number[];
  /** Per operand: whether it always is far; the others may be either. */
  readonly isFar: readonly boolean[];
}

/** The times of a join that depend only on which operands are far. */
function timesOf(
  { weights, isFar }: Weighed,
  mostListed: number,
  timeOf: (far: readonly number[]) => number,
): JoinTime {
  const row = { reads: [], output: 0, config: undefined, l1Bytes: 0 };
  const ask = (inputs: LayoutIds) =>
    new Map([[0, { ...row, microseconds: timeOf(weights.filter((_, at) => inputs[at] === FAR)) }]]);
  const classes = [...Map.groupBy(weights.keys(), (at) => `${weights[at]}:${isFar[at]}`).values()];
  const axes = weights.map(() => [NEAR, FAR]);
  const atHome = isFar.map((far) => far ? [FAR] : [NEAR, FAR]);
  const [time, ...more] = joinTimes({ axes, classes, atHome }, (at) => weights[at] ?? 0, mostListed, ask);
  assert(time !== undefined && more.length === 0);
  return time;
}

/** The charge for a combination: whether each operand is far. */
function chargeOf({ microseconds, extraUs }: JoinTime, far: readonly boolean[]): number {
  return far.reduce((us, isFar, at) => us + (extraUs[at]?.[isFar ? 1 : 0] ?? NaN), microseconds);
}

function* combinations(count: number): Generator<readonly boolean[]> {
  for (let bits = 0; bits < 2 ** count; bits++) {
    yield Array.from({ length: count }, (_, at) => (bits >> at) % 2 === 1);
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, each) => all + each, 0);

const weighed = fc.array(fc.tuple(fc.constantFrom(1, 2, 3, 5, 8), fc.boolean()), {
  minLength: 3,
  maxLength: 6,
})
  .map((operands): Weighed => ({
    weights: operands.map(([weight]) => weight),
    isFar: operands.map(([, far]) => far),
  }));

Deno.test("joinTimes() charges no listed combination more than its time, for any times", () => {
  fc.assert(
    fc.property(
      weighed,
      fc.array(fc.integer({ min: 1, max: 99 }), { minLength: 64, maxLength: 64 }),
      (join, us) => {
        const timeOf = (far: readonly number[]) => us[(sum(far) * 7 + far.length) % us.length] ?? 1;
        const time = timesOf(join, 1000, timeOf);
        let least = Infinity;
        for (const far of combinations(join.weights.length)) {
          const real = timeOf(join.weights.filter((_, at) => far[at]));
          least = Math.min(least, real);
          assert(chargeOf(time, far) <= real + 1e-9);
        }
        assertEquals(time.ownUs, least);
        assert(time.extraUs.flat().every((extra) => extra >= 0));
      },
    ),
    { numRuns: 200, seed: 3 },
  );
});

Deno.test("joinTimes() is exact for times that grow with the number of far operands, listed or not", () => {
  fc.assert(
    fc.property(weighed, fc.boolean(), fc.double({ min: 0, max: 3, noNaN: true }), (join, isListed, bend) => {
      const timeOf = (far: readonly number[]) => 20 + sum(far) + far.length / 4 + bend * sum(far) ** 2 / 40;
      const time = timesOf(join, isListed ? 1000 : 1, timeOf);
      for (const far of combinations(join.weights.length)) {
        const real = timeOf(join.weights.filter((_, at) => far[at]));
        assert(chargeOf(time, far) <= real * (1 + 1e-9), `${chargeOf(time, far)} µs for ${real}`);
      }
      assertAlmostEquals(
        chargeOf(time, join.isFar),
        timeOf(join.weights.filter((_, at) => join.isFar[at])),
        1e-6,
      );
    }),
    { numRuns: 300, seed: 5 },
  );
});

Deno.test("joinTimes() lets operands with a free layout choose the fastest mixture", () => {
  const join = { weights: [1, 1, 1, 1, 1, 1], isFar: [false, false, false, false, false, false] };
  const time = timesOf(join, 1000, (far) => 10 + Math.abs(far.length - 2));
  assertEquals({ ...time, row: undefined }, {
    row: undefined,
    microseconds: 10,
    ownUs: 10,
    extraUs: join.weights.map(() => [0, 0]),
  });
});

Deno.test("joinTimes() stops at the search's limit of operands", () => {
  for (const count of [13, 250, 1000]) {
    let looked = 0;
    timesOf(
      { weights: Array.from({ length: count }, (_, at) => at + 1), isFar: Array(count).fill(true) },
      2500,
      (far) => {
        looked += count;
        return 1 + sum(far);
      },
    );
    assert(looked > 0 && looked <= 170_000, `${looked} operands of joins of ${count}`);
  }
});

Deno.test("multisets() lists every choice once, regardless of order, and reports an overflow", () => {
  assertEquals(multisets(["a", "b"], 3, 10), [
    ["a", "a", "a"],
    ["a", "a", "b"],
    ["a", "b", "b"],
    ["b", "b", "b"],
  ]);
  assertEquals(multisets(["a", "b", "c"], 9, 55)?.length, 55);
  assertEquals(multisets(["a", "b", "c"], 9, 54), undefined);
});
