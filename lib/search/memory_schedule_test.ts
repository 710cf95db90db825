// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import type { OpId } from "../graph/graph.ts";
import { GraphBuilder } from "../../testing/graph_builder.ts";
import { ToyCostModel, ToyOpModel } from "../propagation/testing/toy_models.ts";
import { interleavedAssignment } from "./interleaved_assignment.ts";
import { LayoutProgram } from "./layout_program.ts";
import { memoryOrders, memorySchedule } from "./memory_schedule.ts";
import { OpEvaluator } from "./op_evaluator.ts";
import { opRoles } from "./op_roles.ts";
import { type Scenario, type ScenarioOp, scenarioProgram, tensorOfKib } from "../spill/testing/scenario.ts";

/** Peak of the live KiB: results from their op until their last reader, unread ones during their op. */
function peakKib(ops: readonly ScenarioOp[], order: readonly OpId[]): number {
  const readersLeft = new Map<string, number>();
  for (const { reads = [] } of ops) {
    for (const name of new Set(reads)) readersLeft.set(name, (readersLeft.get(name) ?? 0) + 1);
  }
  const sizeOf = new Map(ops.map(({ name, size }) => [name, size]));
  let live = 0;
  let peak = 0;
  for (const id of order) {
    const op = ops[id];
    if (op === undefined) throw new RangeError(`no op ${id}`);
    live += op.size;
    peak = Math.max(peak, live);
    for (const name of new Set(op.reads)) {
      const left = (readersLeft.get(name) ?? 0) - 1;
      readersLeft.set(name, left);
      if (left === 0) live -= sizeOf.get(name) ?? 0;
    }
    if ((readersLeft.get(op.name) ?? 0) === 0) live -= op.size;
  }
  return peak;
}

function orderOf({ program, roles }: Scenario): readonly OpId[] | undefined {
  return memorySchedule(program, roles);
}

function namesInOrder(ops: readonly ScenarioOp[]): readonly (string | undefined)[] | undefined {
  return orderOf(scenarioProgram(4000, ops, tensorOfKib))?.map((id) => ops[id]?.name);
}

Deno.test("memorySchedule() reduces one branch before it makes the next", () => {
  const ops: ScenarioOp[] = [
    { name: "wide1", size: 400 },
    { name: "wide2", size: 400 },
    { name: "thin1", size: 2, reads: ["wide1"] },
    { name: "thin2", size: 2, reads: ["wide2"] },
    { name: "join", size: 2, reads: ["thin1", "thin2"] },
  ];
  const order = namesInOrder(ops);
  assertEquals(order, ["wide1", "thin1", "wide2", "thin2", "join"]);
});

Deno.test("memorySchedule() knows what an op frees once other readers have run", () => {
  const ops: ScenarioOp[] = [
    { name: "big", size: 100 },
    { name: "first", size: 1, reads: ["big"] },
    { name: "after", size: 5, reads: ["first"] },
    { name: "last", size: 20, reads: ["big"] },
    { name: "end", size: 1, reads: ["after", "last"] },
  ];
  assertEquals(namesInOrder(ops), ["big", "first", "last", "after", "end"]);
});

Deno.test("memorySchedule() runs the ops that free most before those that only allocate", () => {
  const ops: ScenarioOp[] = [
    { name: "other", size: 100 },
    { name: "part1", size: 40 },
    { name: "part2", size: 40 },
    { name: "sum", size: 40, reads: ["part1", "part2"] },
    { name: "join", size: 2, reads: ["sum", "other"] },
  ];
  assertEquals(namesInOrder(ops), ["part1", "part2", "sum", "other", "join"]);
});

Deno.test("memorySchedule() runs the branch that needs most at its peak first", () => {
  const ops: ScenarioOp[] = [
    { name: "waits", size: 50 },
    { name: "deep1", size: 100 },
    { name: "deep2", size: 90, reads: ["deep1"] },
    { name: "deep3", size: 10, reads: ["deep2"] },
    { name: "join", size: 2, reads: ["deep3", "waits"] },
  ];
  assertEquals(namesInOrder(ops), ["deep1", "deep2", "deep3", "waits", "join"]);
});

Deno.test("memorySchedule() keeps an order of least peak", () => {
  assertEquals(namesInOrder([{ name: "a", size: 10 }, { name: "b", size: 20, reads: ["a"] }]), undefined);
});

/** The least peak of any order, by dynamic programming over the sets of ops that have run. */
function leastPeakKib(ops: readonly ScenarioOp[]): number {
  const idOf = new Map(ops.map(({ name }, id) => [name, id]));
  const before = ops.map(({ reads = [] }) => reads.map((name) => idOf.get(name) ?? -1));
  const readers = ops.map((_, id) => before.flatMap((reads, reader) => reads.includes(id) ? [reader] : []));
  const least = new Map([[0, 0]]);
  const has = (done: number, op: number): boolean => (done >> op & 1) === 1;
  const all = (1 << ops.length) - 1;
  for (let done = 0; done < all; done++) {
    const peak = least.get(done);
    if (peak === undefined) continue;
    const live = ops.reduce(
      (sum, { size }, op) =>
        has(done, op) && readers[op]?.some((reader) => !has(done, reader)) === true ? sum + size : sum,
      0,
    );
    ops.forEach(({ size }, op) => {
      if (has(done, op) || before[op]?.some((earlier) => !has(done, earlier)) === true) return;
      const next = done | 1 << op;
      least.set(next, Math.min(least.get(next) ?? Infinity, Math.max(peak, live + size)));
    });
  }
  return least.get(all) ?? Infinity;
}

Deno.test("memorySchedule() finds orders that keep definitions before uses and lower the peak", () => {
  let better = 0;
  let lowest = 0;
  const programs = fc.array(
    fc.record({ size: fc.integer({ min: 1, max: 20 }), first: fc.nat(9), second: fc.nat(9) }),
    { minLength: 3, maxLength: 9 },
  ).map((steps) =>
    steps.map(({ size, first, second }, index): ScenarioOp => {
      const reads = [...new Set([first, second].filter((op) => op < index))].map((op) => `op${op}`);
      return { name: `op${index}`, size: size * 10, ...(reads.length > 0 ? { reads } : {}) };
    })
  );
  fc.assert(
    fc.property(programs, (ops) => {
      const order = orderOf(scenarioProgram(8000, ops, tensorOfKib));
      const inputOrder = scenarioProgram(8000, ops, tensorOfKib).fn.ops.map(({ id }) => id);
      const least = leastPeakKib(ops);
      const peak = peakKib(ops, order ?? inputOrder);
      assert(peak >= least);
      if (peak === least) lowest++;
      if (order === undefined) return;
      better++;
      const input = ops.map((_, index) => index);
      assertEquals([...order].sort((a, b) => a - b).map(Number), input);
      const placeOf = new Map(order.map((id, place) => [ops[id]?.name, place]));
      for (const { name, reads = [] } of ops) {
        for (const read of reads) assert((placeOf.get(read) ?? Infinity) < (placeOf.get(name) ?? -1));
      }
      assert(peak < peakKib(ops, inputOrder));
    }),
    { numRuns: 200, seed: 3 },
  );
  assert(better > 20, `${better} programs of 200`);
  assert(lowest > 180, `${lowest} programs of 200`);
});

Deno.test("memoryOrders() keeps returned values live until the end", () => {
  const builder = new GraphBuilder();
  const x = builder.argument(tensorOfKib(2));
  const returned = builder.op("ttnn.returned", [x], tensorOfKib(40));
  const reader = builder.op("ttnn.reader", [returned], tensorOfKib(60));
  const other = builder.op("ttnn.other", [x], tensorOfKib(50));
  builder.return(returned, reader, other);
  const opModel = new ToyOpModel();
  const evaluator = new OpEvaluator(builder.build(), opModel, new ToyCostModel(opModel.layouts), {
    maxLegalLayouts: 64,
    maxReshardCandidatesPerType: 4,
    enableL1ShardingLayouts: true,
    rowMajorEnabled: false,
  });
  const roles = opRoles(evaluator);
  const program = LayoutProgram.fromAssignment(
    evaluator,
    interleavedAssignment(evaluator, roles, "l1", Infinity),
  );
  // The reader frees nothing, so it leaves 60 KiB more, the other op 50.
  assertEquals(memoryOrders(program, roles)[0]?.map(Number), [0, 2, 1]);
});

Deno.test("memoryOrders() subtracts the bytes that an op frees from those that it allocates", () => {
  const ops: ScenarioOp[] = [
    { name: "part", size: 10 },
    { name: "other", size: 11 },
    { name: "reader", size: 15, reads: ["part"] },
    { name: "join", size: 2, reads: ["reader", "other"] },
  ];
  const { program, roles } = scenarioProgram(4000, ops, tensorOfKib);
  const [leastLive] = memoryOrders(program, roles);
  // 15 KiB instead of 10 are 5 more, fewer than 11.
  assertEquals(leastLive?.map((id) => ops[id]?.name), ["part", "reader", "other", "join"]);
});

Deno.test("memoryOrders() goes depth first into the branch with the most bytes on its way", () => {
  const ops: ScenarioOp[] = [
    { name: "light", size: 2 },
    { name: "heavy", size: 100 },
    { name: "light2", size: 4, reads: ["light"] },
    { name: "heavy2", size: 2, reads: ["heavy"] },
    { name: "join", size: 2, reads: ["light2", "heavy2"] },
  ];
  const { program, roles } = scenarioProgram(4000, ops, tensorOfKib);
  assertEquals(memoryOrders(program, roles)[1]?.map((id) => ops[id]?.name), [
    "heavy",
    "heavy2",
    "light",
    "light2",
    "join",
  ]);
});
