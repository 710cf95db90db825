// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import {
  type Contribution,
  EMPTY_HISTORY,
  extendHistory,
  type History,
  mergeHistories,
  slotIn,
} from "./history.ts";

const COST = 3;

/** Op `n` costs `n + 1` µs in slot 0 and one more per slot. */
function contribution(
  op: number,
  slot: number,
  producers: readonly number[] = [],
  slots: readonly number[] = [],
): Contribution {
  return { microseconds: op + 1 + slot, reshards: slot, producers, slots };
}

function historyOf(choices: ReadonlyMap<number, number>): History {
  let history = EMPTY_HISTORY;
  for (const [op, slot] of choices) history = extendHistory(history, op, slot, op + 1 + slot, slot);
  return history;
}

const choices = fc.dictionary(fc.nat({ max: 2199 }).map(String), fc.nat({ max: 999 })).map((record) =>
  new Map(Object.entries(record).map(([op, slot]) => [Number(op), slot]))
);

Deno.test("mergeHistories() counts every op once", () => {
  fc.assert(
    fc.property(choices, choices, (a, b) => {
      const agreed = new Map([...b].map(([op, slot]) => [op, a.get(op) ?? slot]));
      const merged = mergeHistories(
        historyOf(a),
        historyOf(agreed),
        (op, slot) => contribution(op, slot),
        () => COST,
      );
      const union = new Map([...a, ...agreed]);
      assertEquals(merged.microseconds, historyOf(union).microseconds);
      assertEquals(merged.reshards, historyOf(union).reshards);
      for (let op = 0; op < 2200; op++) assertEquals(slotIn(merged, op), union.get(op) ?? -1);
    }),
    { seed: 5 },
  );
});

Deno.test("mergeHistories() keeps the more expensive choice and charges candidates built on the other", () => {
  const dear = historyOf(new Map([[0, 1], [1, 0], [9, 7]]));
  const cheap = historyOf(new Map([[0, 0], [2, 0]]));
  const merged = mergeHistories(
    dear,
    cheap,
    (op, slot) => op === 2 ? contribution(op, slot, [0], [0]) : contribution(op, slot),
    () => COST,
  );
  assertEquals(slotIn(merged, 0), 1);
  assertEquals(
    merged.microseconds,
    dear.microseconds + 3 + COST,
    "op 2 costs 3 µs and reads a copy for 3 more",
  );
  assertEquals(merged.reshards, dear.reshards + 1);
});
