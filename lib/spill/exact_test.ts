// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { catchUpsAfter, solveByDynamicProgramming } from "./exact_dynamic.ts";
import {
  allResident,
  residencyBytes,
  residencyCost,
  type SpillChoice,
  type SpillProblem,
  type SpillTensor,
  type TensorResidency,
} from "./spill_problem.ts";

const STEPS = 8;

/** Whether a choice stays within the capacity at every step. */
function isFeasible(problem: SpillProblem, choice: SpillChoice): boolean {
  return residencyBytes(problem, choice).every((bytes, step) => bytes <= (problem.capacity[step] ?? 0));
}

const costs = fc.integer({ min: 0, max: 9 });
const costsOrNever = fc.oneof(costs, fc.constant(Infinity));

const tensors: fc.Arbitrary<SpillTensor> = fc.record({
  bytes: fc.integer({ min: 1, max: 6 }),
  definedAt: fc.integer({ min: 0, max: STEPS - 2 }),
  useSteps: fc.uniqueArray(fc.integer({ min: 1, max: STEPS - 1 }), { minLength: 1, maxLength: 2 }),
  direct: fc.array(costsOrNever, { minLength: 2, maxLength: 2 }),
  storeCost: costsOrNever,
  inDramCost: costsOrNever,
  reloadCost: costs,
  directBytes: fc.integer({ min: 0, max: 1 }),
}).map(({ useSteps, direct, directBytes, ...rest }): SpillTensor => ({
  ...rest,
  inDramBytes: 0,
  uses: useSteps.filter((step) => step > rest.definedAt).sort((a, b) => a - b).map((step, index) => ({
    step,
    directCost: direct[index] ?? Infinity,
    directBytes,
  })),
}));

const problems = (most: number): fc.Arbitrary<SpillProblem> =>
  fc.record({
    capacity: fc.integer({ min: 4, max: 12 }).map((bytes) => new Array<number>(STEPS).fill(bytes)),
    tensors: fc.array(tensors, { minLength: 1, maxLength: most }),
  });

/** Every consistent choice for one tensor. */
function residencies(tensor: SpillTensor): readonly TensorResidency[] {
  const found: TensorResidency[] = [];
  const bits = 1 + 2 * tensor.uses.length;
  for (let mask = 0; mask < 1 << bits; mask++) {
    const residency: TensorResidency = {
      inDram: (mask & 1) === 1,
      resident: tensor.uses.map((_use, index) => (mask >> (1 + index) & 1) === 1),
      fromL1: tensor.uses.map((_use, index) => (mask >> (1 + tensor.uses.length + index) & 1) === 1),
    };
    if (residencyCost(tensor, residency) < Infinity) found.push(residency);
  }
  return found;
}

/** Least cost by trying everything; partial choices that are already too expensive are cut off. */
function bruteForce(problem: SpillProblem): number {
  const menus = problem.tensors.map(residencies);
  let best = Infinity;
  const chosen: TensorResidency[] = [];
  const visit = (index: number, cost: number): void => {
    if (cost >= best) return;
    const tensor = problem.tensors[index];
    if (tensor === undefined) {
      if (isFeasible(problem, { tensors: chosen, cost })) best = cost;
      return;
    }
    for (const residency of menus[index] ?? []) {
      chosen.push(residency);
      visit(index + 1, cost + residencyCost(tensor, residency));
      chosen.pop();
    }
  };
  visit(0, 0);
  return best;
}

Deno.test("solveByDynamicProgramming() equals brute force", () => {
  fc.assert(
    fc.property(problems(4), (problem) => {
      const choice = solveByDynamicProgramming(problem, 100_000);
      assert(choice !== undefined);
      assertEquals(choice.cost, bruteForce(problem));
      if (choice.cost < Infinity) assert(isFeasible(problem, choice));
    }),
    { numRuns: 300, seed: 1 },
  );
});

Deno.test("exact spill equals brute force on twelve tensors", () => {
  const tensor = (index: number): SpillTensor => ({
    bytes: 1 + index % 3,
    definedAt: index % 4,
    uses: [{ step: 5 + index % 3, directCost: index % 2 === 0 ? Infinity : 7, directBytes: 0 }],
    storeCost: 1 + index % 5,
    inDramCost: Infinity,
    inDramBytes: 0,
    reloadCost: 1 + (index * 7) % 4,
  });
  const problem: SpillProblem = {
    capacity: [9, 14, 14, 16, 11, 16, 16, 16],
    tensors: Array.from({ length: 12 }, (_, index) => tensor(index)),
  };
  const expected = bruteForce(problem);
  assert(expected > 0 && expected < Infinity);
  assertEquals(solveByDynamicProgramming(problem, 1_000_000)?.cost, expected);
});

Deno.test("solveByDynamicProgramming() spills nothing when everything fits", () => {
  const problem: SpillProblem = {
    capacity: [10, 10, 10],
    tensors: [{
      bytes: 5,
      definedAt: 0,
      uses: [{ step: 2, directCost: 0, directBytes: 0 }],
      storeCost: 0,
      inDramCost: 0,
      inDramBytes: 0,
      reloadCost: 0,
    }],
  };
  assertEquals(solveByDynamicProgramming(problem, 10), allResident(problem));
});

Deno.test("solveByDynamicProgramming() gives up beyond its limit of states", () => {
  const problem: SpillProblem = {
    capacity: [3, 3, 3, 3],
    tensors: Array.from({ length: 6 }, (): SpillTensor => ({
      bytes: 1,
      definedAt: 0,
      uses: [{ step: 3, directCost: 1, directBytes: 0 }],
      storeCost: 1,
      inDramCost: 1,
      inDramBytes: 0,
      reloadCost: 1,
    })),
  };
  assertEquals(solveByDynamicProgramming(problem, 2), undefined);
});

Deno.test("solveByDynamicProgramming() equals brute force on tensors that leave L1 and come back", () => {
  const shuttled: fc.Arbitrary<SpillTensor> = fc.record({
    bytes: fc.integer({ min: 1, max: 3 }),
    definedAt: fc.integer({ min: 0, max: 1 }),
    direct: fc.array(costsOrNever, { minLength: 3, maxLength: 3 }),
    directBytes: fc.integer({ min: 0, max: 5 }),
    storeCost: costs,
    inDramCost: costsOrNever,
    reloadCost: costs,
  }).map(({ direct, ...rest }): SpillTensor => ({
    ...rest,
    inDramBytes: 0,
    uses: direct.map((directCost, index) => ({
      step: rest.definedAt + 2 + 2 * index,
      directCost,
      directBytes: rest.directBytes,
    })),
  }));
  const problem: fc.Arbitrary<SpillProblem> = fc.record({
    capacity: fc.array(fc.integer({ min: 2, max: 6 }), { minLength: STEPS, maxLength: STEPS }),
    tensors: fc.array(shuttled, { minLength: 2, maxLength: 2 }),
  });
  fc.assert(
    fc.property(problem, (problem) => {
      assertEquals(solveByDynamicProgramming(problem, 100_000)?.cost, bruteForce(problem));
    }),
    { numRuns: 300, seed: 4 },
  );
});

Deno.test("catchUpsAfter() lets the last use read DRAM if that takes no more bytes", () => {
  const tensor: SpillTensor = {
    bytes: 4,
    definedAt: 0,
    uses: [1, 5].map((step) => ({ step, directCost: 2, directBytes: 4 })),
    storeCost: 5,
    inDramCost: Infinity,
    inDramBytes: 0,
    reloadCost: 9,
  };
  const greedy = { ...tensor, uses: tensor.uses.map((use) => ({ ...use, directBytes: 5 })) };
  const problem: SpillProblem = { capacity: [], tensors: [tensor, greedy] };
  const afterFirst = catchUpsAfter(problem, [0, 1], 1, () => false);
  assertEquals(afterFirst, [{ fromDram: 2, toDram: 0 }, { fromDram: 9, toDram: 0 }]);
  const atDefinition = catchUpsAfter(problem, [0], 0, (_tensor, use) => use === 0);
  assertEquals(atDefinition, [{ fromDram: 9, toDram: 5 }]);
});

Deno.test("long-lived tensors do not multiply the states of every step", () => {
  // A new tensor every eighth step, each read for up to 128 steps: nine are live at a time, and six fit.
  const tensors = Array.from({ length: 40 }, (_tensor, index): SpillTensor => ({
    bytes: 1,
    definedAt: 8 * index,
    uses: [3, 30, 64].map((after) => ({
      step: 8 * index + after + index % 4,
      directCost: index % 3,
      directBytes: 0,
    })),
    storeCost: 1 + index % 5,
    inDramCost: 2 + index % 4,
    inDramBytes: 0,
    reloadCost: 1 + index % 7,
  }));
  const problem: SpillProblem = { capacity: new Array<number>(400).fill(6), tensors };
  const choice = solveByDynamicProgramming(problem, 150_000);
  assert(choice !== undefined && isFeasible(problem, choice));
});

Deno.test("residencyCost() stores a tensor once, however often it leaves", () => {
  const tensor: SpillTensor = {
    bytes: 4,
    definedAt: 0,
    uses: [2, 4].map((step) => ({ step, directCost: 1, directBytes: 0 })),
    storeCost: 5,
    inDramCost: Infinity,
    inDramBytes: 0,
    reloadCost: 2,
  };
  const away = { inDram: false, resident: [false, false], fromL1: [false, false] };
  assertEquals(residencyCost(tensor, away), 5 + 1 + 1);
  assertEquals(residencyCost(tensor, { ...away, fromL1: [true, false] }), 5 + 2 + 1);
});

Deno.test("solveByDynamicProgramming() keeps a dearer state that has its copy in DRAM already", () => {
  // Produced in DRAM and reloaded: 1, and leaving again is free. Produced in L1: nothing, but 5 to leave.
  const inL1 = [1, 2].map((step) => ({ step, directCost: Infinity, directBytes: 0 }));
  const problem: SpillProblem = {
    capacity: [4, 4, 4, 0, 4],
    tensors: [{
      bytes: 4,
      definedAt: 0,
      uses: [...inL1, { step: 4, directCost: 0, directBytes: 0 }],
      storeCost: 5,
      inDramCost: 1,
      inDramBytes: 0,
      reloadCost: 0,
    }],
  };
  assertEquals(solveByDynamicProgramming(problem, 1000)?.cost, 1);
  assertEquals(bruteForce(problem), 1);
});
