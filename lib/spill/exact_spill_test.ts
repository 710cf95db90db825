// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { present } from "../../testing/present.ts";
import { isOp } from "../graph/graph.ts";
import { simulateL1Schedule } from "../memory/l1_timeline.ts";
import { copyAt, ITSELF } from "../search/program.ts";
import { spillExactly } from "./exact_spill.ts";
import { spillGreedily } from "./greedy_spill.ts";
import { SpillMoves } from "./moves.ts";
import { GREEDY_SPILL_POLICIES } from "./spill_policy.ts";
import { type ScenarioOp, scenarioProgram, tensorOfKib } from "./testing/scenario.ts";

const RUNS = Number(Deno.env.get("TILEWRIGHT_PROPERTY_RUNS") ?? 60);

/** Random programs: every op reads one or two of the four previous values; sizes in KiB. */
const programs = fc.array(
  fc.record({
    size: fc.integer({ min: 1, max: 12 }),
    back: fc.integer({ min: 1, max: 4 }),
    other: fc.integer({ min: 0, max: 4 }),
    buffers: fc.constantFrom(0, 0, 100, 300),
    readsL1: fc.boolean(),
  }),
  { minLength: 3, maxLength: 9 },
).map((steps) =>
  steps.map(({ size, back, other, buffers, readsL1 }, index): ScenarioOp => {
    const named = (distance: number) => distance > 0 && index >= distance ? [`op${index - distance}`] : [];
    const reads = [...new Set([...named(back), ...named(other)])];
    return {
      name: `op${index}`,
      size: size * 50,
      buffers,
      readsL1: readsL1 && reads.length > 0,
      ...(reads.length > 0 ? { reads } : {}),
    };
  })
);

function fits({ program, region }: ReturnType<typeof scenarioProgram>): boolean {
  return simulateL1Schedule(program.l1Schedule(program.steps()), region).withinBudget;
}

/**
 * Least µs of a program that fits after any sequence of moves of which none saves time; every sequence of up to `most`
 * is tried, from scratch.
 */
function leastByTrying(ops: readonly ScenarioOp[], budget: number, most: number): number {
  let least = Infinity;
  const attempt = (sequence: readonly number[]): void => {
    const { program, roles, region, evaluator } = scenarioProgram(budget, ops, tensorOfKib);
    const choicesNow = () => {
      const steps = program.steps();
      const { failures: [failure], liveness } = simulateL1Schedule(program.l1Schedule(steps), region);
      const step = failure === undefined ? undefined : steps[failure.position];
      if (failure === undefined || step === undefined) return undefined;
      const op = step.kind === "op" ? step.op : copyAt(program, step.copy).before;
      const position = program.positionOf(op);
      const moves = new SpillMoves(program, roles);
      const isLive = (tensor: number): boolean =>
        (liveness.definedAt[tensor] ?? -1) <= failure.position &&
        (liveness.lastUse[tensor] ?? -1) >= failure.position;
      const ofValues = evaluator.fn.values.flatMap(({ id }) => [
        ...isLive(id)
          ? [
            moves.split(id, ITSELF, position),
            moves.demote(id, "dram", position),
            moves.demote(id, "l1", position),
          ]
          : [],
        ...program.copies.flatMap(({ value }, copy) =>
          value === id && isLive(program.instance(id, copy)) ? [moves.split(id, copy, position)] : []
        ),
      ]);
      const own = isOp(evaluator.fn, op) ? [moves.readDram(op)] : [];
      return [...ofValues, ...own].filter((move) => move !== undefined);
    };
    for (const index of sequence) {
      const before = program.microseconds();
      choicesNow()?.[index]?.apply();
      if (program.microseconds() < before) return;
    }
    const choices = choicesNow();
    if (choices === undefined) least = Math.min(least, program.microseconds());
    else if (sequence.length < most) choices.forEach((_, index) => attempt([...sequence, index]));
  };
  attempt([]);
  return least;
}

Deno.test("spillExactly() finds programs that fit by address, none slower than greedy ones, and the least of all", () => {
  let [spilled, better] = [0, 0];
  fc.assert(
    fc.property(programs, fc.integer({ min: 800, max: 1500 }), (ops, budget) => {
      const exact = scenarioProgram(budget, ops, tensorOfKib);
      const result = spillExactly(exact.program, exact.roles, exact.region);
      const microseconds = result === undefined ? Infinity : exact.program.microseconds();
      if (result !== undefined) assert(fits(exact));
      if (result === undefined || result.events.length === 0) return;
      spilled++;
      for (const policy of GREEDY_SPILL_POLICIES) {
        const greedy = scenarioProgram(budget, ops, tensorOfKib);
        const { timeline } = spillGreedily(greedy.program, greedy.roles, greedy.region, policy);
        if (!timeline.withinBudget) continue;
        assert(microseconds <= greedy.program.microseconds() + 1e-6, policy);
        if (microseconds < greedy.program.microseconds() - 1e-6) better++;
      }
      if (result.events.length <= 2) assert(microseconds <= leastByTrying(ops, budget, 2) + 1e-6);
    }),
    { numRuns: RUNS, seed: 7 },
  );
  assert(spilled > RUNS / 6, `${spilled} of ${RUNS} programs had something to spill`);
  assert(better > 0);
});

Deno.test("spillExactly() stores a tensor once where it is last needed in L1, and reloads it for a reader that needs L1", () => {
  const { program, roles, region, values, evaluator } = scenarioProgram(1300, [
    { name: "kept", size: 500 },
    { name: "peek", size: 2, reads: ["kept"] },
    { name: "large", size: 900 },
    { name: "small", size: 2, reads: ["large"] },
    { name: "late", size: 2, reads: ["kept", "small"], readsL1: true },
  ], tensorOfKib);
  assert(spillExactly(program, roles, region) !== undefined);
  const copies = [...program.usedCopiesOf(present(values.get("kept")))].sort((a, b) => a - b).map((copy) =>
    copyAt(program, copy)
  );
  const memory = copies.map((copy) => evaluator.layouts.get(copy.layout).bufferType);
  assertEquals(memory, ["dram", "l1"]);
  assertEquals(copies[0]?.source, ITSELF);
  assertEquals(copies.map(({ reason }) => reason), ["spill", "reload"]);
});

Deno.test("spillExactly() finds no program that takes as long as one that is known, and changes nothing then", () => {
  const ops: readonly ScenarioOp[] = [
    { name: "kept", size: 500 },
    { name: "large", size: 900 },
    { name: "late", size: 2, reads: ["kept", "large"] },
  ];
  const { program, roles, region } = scenarioProgram(1300, ops, tensorOfKib);
  const before = program.microseconds();
  const least = leastByTrying(ops, 1300, 2);
  assert(least > before && least < Infinity);
  assertEquals(spillExactly(program, roles, region, least), undefined);
  assertEquals(program.microseconds(), before);
  assert(spillExactly(program, roles, region, 1.01 * least) !== undefined);
  assertEquals(program.microseconds(), least);
});
