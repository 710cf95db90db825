// SPDX-License-Identifier: Apache-2.0
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import fc from "fast-check";
import { idAt, type OpId, type ValueId } from "../../graph/graph.ts";
import { type CappedSolution, type L1Caps, type L1Item, type L1Row, leastThatFits } from "./l1_branching.ts";

/**
 * Three ops and two waiting values: value 0 waits during op 1 for its first reader and during op 2 for its
 * second one, value 1 during op 1. Each has three sizes, and every joint choice has its own cost.
 */
const instances = fc.record({
  sizes: fc.array(fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 3, maxLength: 3 }), {
    minLength: 6,
    maxLength: 6,
  }),
  costs: fc.array(fc.integer({ min: 0, max: 1000 }), { minLength: 729, maxLength: 729 }),
  capacity: fc.integer({ min: 3, max: 24 }),
});

/** By row and step: which of the six choosers take L1 there; of the last row's steps, one suffices. */
const PRESENT = [[[0]], [[1, 3, 5]], [[2, 4], [0, 5]]] as const;

const ITEMS = [
  { kind: "op", op: idAt<OpId>(0) },
  { kind: "op", op: idAt<OpId>(1) },
  { kind: "op", op: idAt<OpId>(2) },
  { kind: "value", value: idAt<ValueId>(0), reader: 0 },
  { kind: "value", value: idAt<ValueId>(0), reader: 1 },
  { kind: "value", value: idAt<ValueId>(1), reader: 0 },
] as const;

function capOf({ ops, values }: L1Caps, chooser: number): number {
  const item = ITEMS[chooser];
  if (item === undefined) return Infinity;
  return (item.kind === "op" ? ops.get(item.op) : values.get(item.value)?.get(item.reader)) ?? Infinity;
}

function bytesOf(sizes: readonly (readonly number[])[], code: number): readonly number[] {
  return sizes.map((own, chooser) => own[Math.floor(code / 3 ** chooser) % 3] ?? 0);
}

Deno.test("leastThatFits() equals brute force over layouts, residency and splits", () => {
  let binds = 0;
  fc.assert(
    fc.property(instances, ({ sizes, costs, capacity }) => {
      const solve = (caps: L1Caps): CappedSolution => {
        let bound = Infinity;
        let rows: readonly L1Row[] = [];
        costs.forEach((cost, code) => {
          const bytes = bytesOf(sizes, code);
          if (cost >= bound || bytes.some((size, chooser) => size > capOf(caps, chooser))) return;
          bound = cost;
          rows = PRESENT.map((steps) =>
            steps.map((present) =>
              present.flatMap((chooser): L1Item[] => {
                const item = ITEMS[chooser];
                return item === undefined ? [] : [{ ...item, bytes: bytes[chooser] ?? 0 }];
              })
            )
          );
        });
        return { bound, rows };
      };
      const fitting = costs.filter((_, code) => {
        const bytes = bytesOf(sizes, code);
        return PRESENT.every((steps) =>
          steps.some((present) =>
            present.reduce<number>((sum, chooser) => sum + (bytes[chooser] ?? 0), 0) <= capacity
          )
        );
      });
      const least = Math.min(...fitting);
      const found = leastThatFits(solve, capacity);
      if (found === undefined) {
        assert(
          least === Infinity || least === Math.min(...costs),
          "only where L1 does not bind, or nothing fits",
        );
        return;
      }
      binds++;
      assert(found.bound <= least, `${found.bound} is above ${least}`);
      let solutions = 0;
      const counting = (caps: L1Caps): CappedSolution => {
        solutions++;
        return solve(caps);
      };
      const early = leastThatFits(counting, capacity, () => true);
      assert(early !== undefined && early.bound <= found.bound, "ended early it is a bound all the same");
      assertEquals(solutions, 1);
      const fits = found.solution.rows.every((steps) =>
        steps.some((present) => present.reduce((sum, { bytes }) => sum + bytes, 0) <= capacity)
      );
      if (fits) assertAlmostEquals(found.bound, least);
    }),
    { numRuns: 500, seed: 5 },
  );
  assert(binds > 100, `L1 binds in ${binds} of 500 instances only`);
});
