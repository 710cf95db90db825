// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { present } from "../../testing/present.ts";
import { combineCandidates, type InputCandidate } from "./combinations.ts";
import { idOf } from "../../testing/ids.ts";

function candidates(priorities: readonly number[]): InputCandidate[] {
  return priorities.map((priority, slot) => ({
    layout: idOf(slot),
    slot,
    isReshard: false,
    reshardMicroseconds: 0,
    priority,
  }));
}

const lists = fc.array(fc.array(fc.nat({ max: 9 }), { minLength: 1, maxLength: 4 }), {
  minLength: 1,
  maxLength: 4,
});

Deno.test("combineCandidates() finds every combination once within its limit", () => {
  fc.assert(
    fc.property(lists, (operands) => {
      const combined = combineCandidates(operands.map(candidates), [], (layout) => layout, 1000);
      const expected = operands.reduce((product, list) => product * list.length, 1);
      assertEquals(combined.length, expected);
      assertEquals(new Set(combined.map((entry) => entry.map((item) => item.layout).join())).size, expected);
    }),
    { seed: 6 },
  );
});

Deno.test("combineCandidates() tries uniform combinations first, then the cheapest sums", () => {
  const combined = combineCandidates([candidates([0, 5]), candidates([1, 6])], [], (layout) => layout, 10);
  assertEquals(combined.map((entry) => entry.map((item) => item.slot)), [[0, 0], [1, 1], [1, 0], [0, 1]]);
});

Deno.test("combineCandidates() never exceeds its limit", () => {
  const many = Array.from({ length: 8 }, () => candidates([0, 1, 2, 3, 4, 5]));
  assertEquals(combineCandidates(many, [], (layout) => layout, 64).length, 64);
});

Deno.test("combineCandidates() reads operands of one producer from one slot", () => {
  const combined = combineCandidates(
    [candidates([0, 1]), candidates([0, 1])],
    [[0, 1]],
    (layout) => layout,
    10,
  );
  assert(combined.every(([a, b]) => a?.slot === b?.slot));
  assertEquals(combined.length, 2);
});

Deno.test("combineCandidates() goes by the sum of priorities, without repeating or skipping a sum", () => {
  const combined = combineCandidates(
    [candidates([0, 1, 7]), candidates([0, 2, 3])],
    [],
    (layout) => `${layout}`,
    100,
  ).map((entry) => entry.reduce((sum, { priority }) => sum + priority, 0));
  // Uniform ones first: 0, 1 + 2 and 7 + 3.
  assertEquals(combined.slice(0, 3), [0, 3, 10]);
  const rest = combined.slice(3);
  assertEquals(rest, rest.toSorted((a, b) => a - b));
  assertEquals(combined.length, 9);
});

Deno.test("combineCandidates() calls uniform only what every operand offers, and needs all operands", () => {
  const far = candidates([0, 1]).map((candidate) => ({
    ...candidate,
    layout: idOf(present(candidate.layout) + 10),
  }));
  const combined = combineCandidates([candidates([0, 9]), far], [], (layout) => layout, 10)
    .map((entry) => entry.map(({ priority }) => priority));
  assertEquals(combined, [[0, 0], [0, 1], [9, 0], [9, 1]]);
  assertEquals(combineCandidates([candidates([0]), []], [], (layout) => layout, 10), []);
});

Deno.test("combineCandidates() orders sums also where the first candidates have prices", () => {
  const apart = (list: readonly InputCandidate[], operand: number): InputCandidate[] =>
    list.map((candidate) => ({
      ...candidate,
      layout: idOf(present(candidate.layout) + 10 * operand),
    }));
  const sums = (...operands: readonly (readonly number[])[]): readonly number[] =>
    combineCandidates(
      operands.map((list, operand) => apart(candidates(list), operand)),
      [],
      (layout) => layout,
      100,
    )
      .map((entry) => entry.reduce((sum, { priority }) => sum + priority, 0));
  assertEquals(sums([0, 5], [4, 5, 6]), [4, 5, 6, 9, 10, 11]);
  assertEquals(sums([0, 10], [0, 1], [0, 1]), [0, 1, 1, 2, 10, 11, 11, 12]);
});

Deno.test("combineCandidates() finds as many of thousands of operands, in memory for them, the cheapest first", () => {
  const operands = Array.from(
    { length: 3000 },
    (_, operand) => candidates([0, 1 + operand * 7919 % 3000, 5000]),
  );
  const found = combineCandidates(operands, [], (layout) => layout, 64);
  assertEquals(found.length, 64);
  // After the uniform ones.
  const sums = found.slice(3).map((entry) => entry.reduce((sum, { priority }) => sum + priority, 0));
  assertEquals(sums.slice(0, 3), [1, 2, 3]);
  assertEquals(sums, sums.toSorted((a, b) => a - b));
});
