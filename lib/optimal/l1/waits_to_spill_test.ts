// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { idAt } from "../../graph/graph.ts";
import type { L1Item } from "./l1_caps.ts";
import { type WaitingItem, waitsToSpill } from "./waits_to_spill.ts";

const CAPACITY = 100;

/** Values that wait over a range of steps; value 0 cannot be spilled. */
const VALUES = fc.array(
  fc.record({ from: fc.nat(9), length: fc.nat(9), bytes: fc.integer({ min: 1, max: 70 }), us: fc.nat(20) }),
  { maxLength: 12 },
);

Deno.test("waitsToSpill() makes every step fit that can, and spills nothing in vain", () => {
  fc.assert(fc.property(VALUES, (values) => {
    const items = values.map(({ bytes }, value): WaitingItem => ({
      kind: "value",
      value: idAt(value),
      reader: 0,
      bytes,
    }));
    const steps = Array.from(
      { length: 10 },
      (_, step) =>
        items.filter((_, value) => {
          const { from = 0, length = 0 } = values[value] ?? {};
          return from <= step && step <= from + length;
        }),
    );
    const spilled = waitsToSpill(
      steps,
      CAPACITY,
      ({ value }) => value === 0 ? Infinity : values[value]?.us ?? 0,
    );
    const exceeds = (left: readonly L1Item[]): readonly boolean[] =>
      steps.map((step) =>
        step.filter((item) => left.includes(item)).reduce((sum, { bytes }) => sum + bytes, 0) > CAPACITY
      );
    const kept = items.filter((item) => !spilled.includes(item));
    assert(!spilled.some(({ value }) => value === 0));
    for (const isOver of exceeds(kept)) assertEquals(isOver, false);
    for (const item of spilled) assert(exceeds([...kept, item]).some((isOver) => isOver));
  }));
});

Deno.test("waitsToSpill() prefers what frees more steps for its price", () => {
  const item = (value: number, bytes: number): WaitingItem => ({
    kind: "value",
    value: idAt(value),
    reader: 0,
    bytes,
  });
  const [long, short] = [item(0, 60), item(1, 60)];
  const steps = [[long, short], [long, item(2, 60)], [long, item(3, 60)]];
  assertEquals(waitsToSpill(steps, CAPACITY, () => 1), [long]);
  assertEquals(waitsToSpill(steps, CAPACITY, ({ value }) => value === 0 ? 4 : 1).map(({ value }) => value), [
    1,
    2,
    3,
  ]);
});

Deno.test("waitsToSpill() spills nothing for a step that no wait can make fit", () => {
  const op: L1Item = { kind: "op", op: idAt(0), bytes: 120 };
  const value: WaitingItem = { kind: "value", value: idAt(0), reader: 0, bytes: 10 };
  assertEquals(waitsToSpill([[op, value]], CAPACITY, () => 1), []);
  assertEquals(waitsToSpill([[op]], CAPACITY, () => 1), []);
});
