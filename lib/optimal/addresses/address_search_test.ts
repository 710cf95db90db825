// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { dramInterleavedTiled } from "../../../testing/graph_builder.ts";
import { idAt, type OpId, type ValueId } from "../../graph/graph.ts";
import { ADDRESS_SOLUTIONS } from "../limits.ts";
import { LayoutTable } from "../../layout/layout_table.ts";
import { simulateL1Schedule } from "../../memory/l1_timeline.ts";
import { l1Region } from "../../memory/l1_schedule.ts";
import { DEFAULT_POLICY_OPTIONS } from "../../policy/options.ts";
import {
  buildRandomGraph,
  graphRecipes,
  randomRules,
  SMALL_CHIP,
} from "../../propagation/testing/random_graphs.ts";
import { ToyCostModel, ToyOpModel } from "../../propagation/testing/toy_models.ts";
import { LayoutProgram } from "../../search/layout_program.ts";
import { OpEvaluator } from "../../search/op_evaluator.ts";
import { opsBefore } from "../../search/op_order.ts";
import { opRoles } from "../../search/op_roles.ts";
import {
  leastByAddress,
  leastInAnyOrder,
  NO_OBSTACLES,
  type PlacedSolution,
  type Placing,
  unplaced,
} from "./address_search.ts";
import { LayoutOptimizer } from "../layout_optimizer.ts";
import type { SpillableSolution } from "./spilled_waits.ts";

const [FIRST, SECOND] = [idAt<OpId>(0), idAt<OpId>(1)];
const VALUE = idAt<ValueId>(0);
const LAYOUT = new LayoutTable().intern(
  dramInterleavedTiled({ shape: [32, 32], dataType: "bf16" }),
);
const ORDER = [FIRST, SECOND];

/** Solutions by price: whether the restrictions allow them, and whether they fit. */
type Choices = readonly (readonly [us: number, isAllowed: (placing: Placing) => boolean, fits: boolean])[];

/**
 * Solver that takes the cheapest allowed choice; those that do not fit lack 8 bytes next to a value of 10 at
 * the second op.
 */
function solver(choices: Choices): (placing: Placing) => SpillableSolution {
  return (placing) => {
    const allowed = choices.filter(([, isAllowed]) => isAllowed(placing)).toSorted(([a], [b]) => a - b);
    const [[microseconds, , fits] = [Infinity, undefined, true] as const] = allowed;
    return {
      microseconds,
      key: `${microseconds}`,
      waitsToSpill: () => undefined,
      conflict: fits ? undefined : {
        op: SECOND,
        shortBytes: 8,
        shortages: [8],
        obstacles: () => ({
          items: [[{ kind: "value", value: VALUE, reader: 0, bytes: 10 }]],
          waits: [[{ value: VALUE, reader: 0 }]],
          detours: [[{ value: VALUE, layout: LAYOUT, via: LAYOUT }]],
        }),
      },
    };
  };
}

/** µs of the solutions found, in order. */
function search(
  solve: (placing: Placing) => PlacedSolution,
  takesDetours: boolean = false,
): readonly number[] {
  return [...leastByAddress(unplaced(ORDER), solve, takesDetours)].flatMap((found) =>
    found === undefined ? [] : [found.microseconds]
  );
}

const capOf = ({ caps }: Placing, value = VALUE): number => caps.values.get(value)?.get(0) ?? Infinity;

Deno.test("leastByAddress() shrinks blocking buffers, by little and by all missing bytes", () => {
  const choices: Choices = [
    [1, (placing) => capOf(placing) >= 10, false],
    [2, (placing) => capOf(placing) >= 9, true],
    [3, (placing) => capOf(placing) >= 2, true],
  ];
  assertEquals(search(solver(choices)).at(-1), 2);
  assertEquals(search(solver(choices.filter(([us]) => us !== 2))).at(-1), 3);
});

Deno.test("leastByAddress() moves waiting values", () => {
  const stays: Choices[number] = [1, () => true, false];
  const isMoved = ({ caps }: Placing): boolean => caps.moved.get(VALUE)?.has(0) === true;
  const moves = solver([[1, (placing) => !isMoved(placing), false], [4, isMoved, true]]);
  assertEquals(search(moves).at(-1), 4);
  assertEquals(search(solver([stays])), []);
});

Deno.test("leastByAddress() makes copies from copies, which moves adjacent buffers", () => {
  const isDetour = ({ detours }: Placing): boolean => detours.some(({ value }) => value === VALUE);
  const fits = solver([[1, (placing) => !isDetour(placing), false], [3, isDetour, true]]);
  assertEquals(search(fits, true).at(-1), 3);
  assertEquals(search(fits), []);
  assertEquals([...leastInAnyOrder(unplaced(ORDER), fits)].findLast((found) => found)?.microseconds, 3);
});

Deno.test("leastInAnyOrder() continues from other orders, in functions of few ops", () => {
  const isSwapped = ({ schedule }: Placing): boolean => schedule[0] === SECOND;
  const solve = (placing: Placing): SpillableSolution => {
    // Only in the other order does it help that the value gets smaller.
    const fits = isSwapped(placing) && capOf(placing) < 10;
    return {
      microseconds: isSwapped(placing) ? 2 : 1,
      key: `${isSwapped(placing)} ${capOf(placing)}`,
      waitsToSpill: () => undefined,
      conflict: fits ? undefined : {
        op: SECOND,
        shortBytes: 8,
        shortages: [8],
        obstacles: () => ({
          items: [[{ kind: "value", value: VALUE, reader: 0, bytes: Math.min(10, capOf(placing)) }]],
          waits: [],
          detours: [],
        }),
      },
    };
  };
  const found = (ops: number): readonly number[] => {
    const rest = Array.from({ length: ops - 2 }, (_, at) => idAt<OpId>(at + 2));
    const orders = [[SECOND, FIRST, ...rest]];
    return [...leastInAnyOrder(unplaced([FIRST, SECOND, ...rest]), solve, orders)]
      .flatMap((each) => each?.microseconds ?? []);
  };
  assertEquals(found(2), [2]);
  assertEquals(found(101), []);
});

Deno.test("leastInAnyOrder() takes an order in which all fits, however many ops there are", () => {
  const rest = Array.from({ length: 200 }, (_, at) => idAt<OpId>(at + 2));
  const solve = (placing: Placing): SpillableSolution => ({
    microseconds: 1,
    key: placing.schedule.join(),
    waitsToSpill: () => undefined,
    conflict: placing.schedule[0] === SECOND
      ? undefined
      : { op: SECOND, shortBytes: 8, shortages: [8], obstacles: () => NO_OBSTACLES },
  });
  const found = leastInAnyOrder(unplaced([FIRST, SECOND, ...rest]), solve, [[SECOND, FIRST, ...rest]]);
  assertEquals([...found].flatMap((each) => each?.microseconds ?? []), [1]);
});

Deno.test("leastByAddress() abandons cheap changes without effect for expensive ones with effect", () => {
  const found = search((placing) => {
    const resolved = placing.detours.length;
    const bytes = Math.min(capOf(placing), 1_000_000);
    return {
      microseconds: 100 + 10 * resolved + (1_000_000 - bytes) / 1e6,
      key: `${resolved} ${bytes}`,
      conflict: resolved === 6 ? undefined : {
        op: SECOND,
        shortBytes: 8,
        shortages: new Array<number>(6 - resolved).fill(8),
        obstacles: () => ({
          items: [[{ kind: "value", value: VALUE, reader: 0, bytes }]],
          waits: [],
          detours: [[{ value: VALUE, layout: LAYOUT, via: LAYOUT }]],
        }),
      },
    };
  }, true);
  assertEquals(Math.floor(found.at(-1) ?? Infinity), 160);
});

Deno.test("leastByAddress() ends if every candidate is too large", () => {
  let asked = 0;
  const never = search((placing) => {
    asked++;
    return { ...solver([[1, () => true, false]])(placing), key: `${asked}` };
  });
  assertEquals(never, []);
  assertEquals(asked, ADDRESS_SOLUTIONS);
});

Deno.test("no state is expanded that repeats a program or costs more than a fitting one", () => {
  const other = idAt<ValueId>(1);
  const isMoved = ({ caps }: Placing): boolean => caps.moved.has(VALUE);
  // One byte less of the value is expensive, and nothing depends on the other one.
  const us = (placing: Placing): number =>
    capOf(placing) <= 6 ? 110 : capOf(placing) < 10 || isMoved(placing) ? 150 : 101;
  const followed: number[] = [];
  const solutions = [...leastByAddress(unplaced(ORDER), (placing, isFollowed) => {
    if (isFollowed) followed.push(us(placing));
    const items = [VALUE, other].map((value) => (
      [{ kind: "value", value, reader: 0, bytes: Math.min(10, capOf(placing, value)) }] as const
    ));
    return {
      microseconds: us(placing),
      key: `${capOf(placing)} ${isMoved(placing)}`,
      conflict: capOf(placing) <= 6 ? undefined : {
        op: SECOND,
        shortBytes: 4,
        shortages: [4],
        obstacles: () => ({
          items,
          waits: [[{ value: VALUE, reader: 0 }], [{ value: other, reader: 0 }]],
          detours: [],
        }),
      },
    };
  })];
  assertEquals(solutions.findLast((solution) => solution !== undefined)?.microseconds, 110);
  // The input, the changes that make room, and the one program that changes of the other value leave.
  assertEquals(followed, [101, 110, 101]);
});

Deno.test("solveByAddress() makes sound programs that fit by address and lie above the bound, on random graphs", () => {
  const count = { binds: 0, found: 0, reordered: 0 };
  fc.assert(
    fc.property(graphRecipes(9), fc.boolean(), (recipe, mayReorder) => {
      const graph = buildRandomGraph(recipe);
      // Toy rules, because the property must hold for any rules.
      const opModel = new ToyOpModel(randomRules(recipe.legality), SMALL_CHIP);
      const cost = new ToyCostModel(opModel.layouts, SMALL_CHIP);
      const [fn] = graph.functions;
      assert(fn !== undefined);
      const evaluator = new OpEvaluator(fn, opModel, cost, DEFAULT_POLICY_OPTIONS);
      const roles = opRoles(evaluator);
      const region = l1Region(SMALL_CHIP, 0.5, 0);
      const optimizer = new LayoutOptimizer(evaluator, roles, region, "hinted");
      const { bound, assignment } = optimizer.tighten("exact");
      const fits = (program: LayoutProgram): boolean =>
        simulateL1Schedule(program.l1Schedule(program.steps()), region).withinBudget;
      const placed = [...optimizer.solveByAddress("exact, placed by address", roles, { region, mayReorder })];
      const program = placed.findLast((found) => found !== undefined);
      if (!fits(LayoutProgram.fromAssignment(evaluator, assignment))) {
        count.binds++;
        if (program !== undefined) count.found++;
      }
      if (program === undefined) return;
      assert(fits(program), "a step finds no room");
      assertEquals(program.faults(roles), 0);
      assert(
        program.microseconds() >= bound * (1 - 1e-9),
        `${program.microseconds()} µs, the bound is ${bound}`,
      );
      const isInOrder = program.schedule.every((op, position) => op === position);
      if (!isInOrder) {
        assert(mayReorder);
        count.reordered++;
        const before = opsBefore(evaluator, roles);
        const hasRun = new Set<OpId>();
        for (const op of program.schedule) {
          assert(before[op]?.isSubsetOf(hasRun), "an op comes before what must come before it");
          hasRun.add(op);
        }
      }
    }),
    { numRuns: 24, seed: 31 },
  );
  assert(count.binds > 5, `L1 binds on ${count.binds} graphs only`);
  assert(count.found > 0.8 * count.binds, `found on ${count.found} of ${count.binds}`);
});
