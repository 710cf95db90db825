// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { idAt, type OpId, type ValueId } from "../../graph/graph.ts";
import { leastByAddress, type PlacedSolution, type Placing, unplaced } from "./address_search.ts";

const STEP = idAt<OpId>(0);
const [A, B, C] = [idAt<ValueId>(0), idAt<ValueId>(1), idAt<ValueId>(2)];

const bytesOf = ({ caps }: Placing, value: ValueId): number => caps.values.get(value)?.get(0) ?? 10;
const isMoved = ({ caps }: Placing, value: ValueId): boolean => caps.moved.has(value);

/**
 * A part of a function: the values in its way (10 bytes each, of which 4 are too many), and the condition under
 * which it fits.
 */
interface ToyPart {
  readonly values: readonly ValueId[];
  hasRoom(placing: Placing): boolean;
}

/** Solver for a function of some parts with one step each. */
function solver(
  parts: readonly ToyPart[],
  microseconds: (placing: Placing) => number,
): (placing: Placing) => PlacedSolution {
  return (placing) => {
    const [first, ...others] = parts.keys().filter((part) => parts[part]?.hasRoom(placing) === false);
    const values = first === undefined ? [] : parts[first]?.values ?? [];
    return {
      microseconds: microseconds(placing),
      key: [A, B, C].map((value) => `${isMoved(placing, value)} ${bytesOf(placing, value)}`).join(),
      conflict: first === undefined ? undefined : {
        op: STEP,
        shortBytes: 4,
        parts: [first, ...others],
        shortages: [first, ...others].map(() => 4),
        obstacles: () => ({
          items: values.map((value) => [{ kind: "value", value, reader: 0, bytes: bytesOf(placing, value) }]),
          waits: values.map((value) => [{ value, reader: 0 }]),
          copies: [],
          detours: [],
        }),
      },
    };
  };
}

const found = (solve: (placing: Placing) => PlacedSolution): readonly PlacedSolution[] =>
  [...leastByAddress(unplaced([STEP]), solve)].filter((solution) => solution !== undefined);

const isSmall = (placing: Placing, value: ValueId): boolean => bytesOf(placing, value) < 10;

/** The second part: fits for 10 µs, with one byte less of B. */
const SECOND: ToyPart = { values: [B], hasRoom: (placing) => isSmall(placing, B) };

Deno.test("no solution of a part leaves another part without room", () => {
  const parts: readonly ToyPart[] = [
    { values: [A], hasRoom: (placing) => isSmall(placing, A) || isMoved(placing, A) },
    { ...SECOND, hasRoom: (placing) => isSmall(placing, B) && !isMoved(placing, A) },
  ];
  const us = (placing: Placing): number =>
    100 + (isSmall(placing, A) ? 10 : isMoved(placing, A) ? 5 : 0) + (isSmall(placing, B) ? 10 : 0);
  const solutions = found(solver(parts, us));
  assertEquals(solutions.map(({ microseconds, conflict }) => [microseconds, conflict]), [[120, undefined]]);
});

Deno.test("the cost of another part does not make a change of this part expensive", () => {
  const parts: readonly ToyPart[] = [
    {
      values: [A, C],
      hasRoom: (placing) => isSmall(placing, A) || isMoved(placing, A) && isMoved(placing, C),
    },
    SECOND,
  ];
  // Making room with two changes is cheaper, but is only found if the first one is followed.
  const us = (placing: Placing): number =>
    100 + (isSmall(placing, A) ? 10 : 0) + (isMoved(placing, A) ? 2 : 0) + (isMoved(placing, C) ? 3 : 0) +
    (isSmall(placing, C) ? 50 : 0) + (isSmall(placing, B) ? 10 : 0);
  assertEquals(found(solver(parts, us)).at(-1)?.microseconds, 115);
});

Deno.test("a part that fits is improved further before the next part's turn", () => {
  const parts: readonly ToyPart[] = [
    { values: [A], hasRoom: (placing) => bytesOf(placing, A) <= 6 || isMoved(placing, A) },
    { ...SECOND, hasRoom: (placing) => isSmall(placing, B) && isMoved(placing, A) },
  ];
  const us = (placing: Placing): number =>
    100 + (bytesOf(placing, A) <= 6 ? 10 : isMoved(placing, A) ? 5 : 0) + (isSmall(placing, B) ? 10 : 0);
  assertEquals(found(solver(parts, us)).at(-1)?.microseconds, 115);
});

Deno.test("no state is expanded that repeats a program or costs more than a fitting one", () => {
  const parts: readonly ToyPart[] = [
    { values: [A, C], hasRoom: (placing) => bytesOf(placing, A) <= 6 },
  ];
  // One byte less of A is expensive, and nothing depends on C.
  const us = (placing: Placing): number =>
    bytesOf(placing, A) <= 6 ? 110 : isSmall(placing, A) || isMoved(placing, A) ? 150 : 101;
  const solve = solver(parts, us);
  const followed: number[] = [];
  const solutions = [...leastByAddress(unplaced([STEP]), (placing, isFollowed) => {
    const { conflict } = solve(placing);
    if (isFollowed) followed.push(us(placing));
    return { microseconds: us(placing), key: `${bytesOf(placing, A)} ${isMoved(placing, A)}`, conflict };
  })];
  assertEquals(solutions.findLast((solution) => solution !== undefined)?.microseconds, 110);
  // The input, the changes that make room, and the one program that changes of C leave.
  assertEquals(followed, [101, 110, 101]);
});
