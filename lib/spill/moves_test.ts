// SPDX-License-Identifier: Apache-2.0

/** Which moves a spill has and what they cost, with the real op model; prices are recomputed beside each test. */

import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { present } from "../../testing/present.ts";
import type { GraphBuilder } from "../../testing/graph_builder.ts";
import type { TensorShape } from "../ops/op_signature.ts";
import { convolution } from "../chains/testing/convolution.ts";
import { type RealStudy, realStudy } from "../propagation/testing/real_study.ts";
import { interleavedAssignment } from "../search/interleaved_assignment.ts";
import { LayoutProgram } from "../search/layout_program.ts";
import { withoutOps } from "../search/op_roles.ts";
import { ITSELF } from "../search/program.ts";
import type { OpImpl } from "../search/impls.ts";
import { implWith, SpillMoves } from "./moves.ts";
import { rankVictim } from "./spill_policy.ts";
import type { LayoutId, LayoutIds } from "../layout/layout_table.ts";
import { idOf } from "../../testing/ids.ts";
import type { OpId, ValueId } from "../graph/graph.ts";
import { finalReaders, type InstanceReader, readerCost } from "../improve/readers.ts";

const SQUARE: TensorShape = { shape: [1024, 1024], dataType: "bf16" };

/** Everything in L1 interleaved, and the moves from there. */
function everythingInL1(make: (builder: GraphBuilder) => void, pinned: readonly number[] = []) {
  const study = realStudy(make);
  const { evaluator } = study;
  const program = LayoutProgram.fromAssignment(
    evaluator,
    interleavedAssignment(evaluator, study.roles, "l1", Infinity),
  );
  const roles = {
    ...study.roles,
    pinned: study.roles.pinned.map((is, value) => is || pinned.includes(value)),
  };
  const result = (op: number): ValueId => present(evaluator.op(idOf(op)).results[0]);
  const [dram, l1] = (["dram", "l1"] as const).map((memory) =>
    evaluator.interleaved(SQUARE, present(evaluator.declared[0]), memory)
  );
  assert(dram !== undefined && l1 !== undefined);
  return { study, evaluator, program, moves: new SpillMoves(program, roles), result, dram, l1 };
}

/** How much more it costs if an op reads other layouts. */
function extra(
  { evaluator }: RealStudy,
  program: LayoutProgram,
  index: number,
  inputs: LayoutIds,
): number {
  const op = idOf(index);
  const decision = program.ops[op];
  assert(decision !== undefined);
  return evaluator.runtime(op, inputs, decision) - program.opMicroseconds(op);
}

/** relu, read by gelu and then by silu; both are added and returned. */
function fork(builder: GraphBuilder): void {
  const kept = builder.op("ttnn.relu", [builder.argument(SQUARE)], SQUARE);
  const parts = ["ttnn.gelu", "ttnn.silu"].map((name) => builder.op(name, [kept], SQUARE));
  builder.return(builder.op("ttnn.add", parts, SQUARE));
}

Deno.test("splitting a tensor costs a store plus the loss of later readers", () => {
  const { study, evaluator, program, moves, result, dram, l1 } = everythingInL1(fork);
  const kept = result(0);
  assertEquals([0, 1, 2, 3].map((position) => moves.split(kept, ITSELF, position) !== undefined), [
    false,
    true,
    true,
    false,
  ]);
  const move = moves.split(kept, ITSELF, 2);
  assertAlmostEquals(
    move?.microseconds ?? 0,
    evaluator.copyMicroseconds(kept, l1, dram) + extra(study, program, 2, [dram]),
    1e-9,
  );
  move?.apply();
  assertEquals(program.inputsOf(idOf(2)), [dram]);
  assertEquals(program.inputsOf(idOf(1)), [l1]);
  assertEquals(program.copies.filter(({ value }) => value === kept).length, 1);
});

Deno.test("a split reuses an existing copy in DRAM, and pinned tensors do not move", () => {
  const { program, moves, result, dram } = everythingInL1(fork);
  const kept = result(0);
  const copy = program.addCopy({
    value: kept,
    source: ITSELF,
    layout: dram,
    before: idOf(1),
    reason: "spill",
    note: "for the test",
  });
  program.setSource(idOf(1), 0, copy);
  const { study } = everythingInL1(fork);
  assertAlmostEquals(
    present(moves.split(kept, ITSELF, 2)?.microseconds),
    extra(study, program, 2, [dram]),
    1e-9,
  );
  assertEquals(everythingInL1(fork, [kept]).moves.split(kept, ITSELF, 2), undefined);
});

Deno.test("producing a result elsewhere costs the loss of its op and readers, and is offered only if it frees L1", () => {
  const { study, evaluator, program, moves, result, dram, l1 } = everythingInL1(fork);
  const kept = result(0);
  assertEquals(moves.demote(kept, "l1", 1), undefined, "it is there");
  const impl = evaluator.impls(idOf(0), program.inputsOf(idOf(0))).filter(({ outputs }) =>
    outputs[0] === dram
  )
    .map((one) => evaluator.runtime(idOf(0), program.inputsOf(idOf(0)), one));
  const producedIn = Math.min(...impl) - program.opMicroseconds(idOf(0));
  assertAlmostEquals(
    present(moves.demote(kept, "dram", 3)?.microseconds),
    producedIn + Math.min(
      extra(study, program, 1, [dram]) + extra(study, program, 2, [dram]),
      evaluator.copyMicroseconds(kept, dram, l1),
    ),
    1e-9,
  );
  // A reader at the position itself reads the other layout as well; reloads before and after it are not shared.
  const lost = (op: number) =>
    Math.min(extra(study, program, op, [dram]), evaluator.copyMicroseconds(kept, dram, l1));
  assertAlmostEquals(
    present(moves.demote(kept, "dram", 2)?.microseconds),
    producedIn + lost(1) + lost(2),
    1e-9,
  );
  // Shards on few cores take more bytes of each than interleaved pages do; on all cores they take the same.
  for (const [rows, columns, frees] of [[2, 2, true], [8, 8, false]] as const) {
    const { program: sharded, moves: others, study: another, evaluator: model } = everythingInL1(fork);
    const layout = another.sharded(SQUARE, "block_sharded", rows, columns);
    const choice = model.impls(idOf(0), sharded.inputsOf(idOf(0))).find(({ outputs }) =>
      outputs[0] === layout
    ) ??
      { outputs: [layout], config: undefined };
    sharded.setOutputs(idOf(0), choice, "for the test", false);
    assertEquals(others.demote(kept, "l1", 3) !== undefined, frees);
  }
});

/** µs that a reader loses in another layout, with the config that it has. */
function costOf(
  { roles }: Pick<RealStudy, "roles">,
  program: LayoutProgram,
  value: ValueId,
  reader: InstanceReader,
  from: LayoutId,
  to: LayoutId,
): number {
  return readerCost(program, roles, { value, from, to }, reader, false).microseconds;
}

Deno.test("of several candidates with the same result layout the fastest is taken", () => {
  // A convolution has several configs that produce the same layout.
  const { evaluator, roles } = realStudy((builder) => convolution(builder, 1));
  const program = LayoutProgram.fromAssignment(
    evaluator,
    interleavedAssignment(evaluator, roles, "dram", Infinity),
  );
  const priced = Map.groupBy(
    evaluator.impls(idOf(0), program.inputsOf(idOf(0))),
    ({ outputs }) => present(outputs[0]),
  );
  const timesOf = (impls: readonly OpImpl[]): readonly number[] =>
    impls.map((impl) => evaluator.runtime(idOf(0), program.inputsOf(idOf(0)), impl));
  assert([...priced.values()].some((impls) => timesOf(impls).at(-1) !== Math.min(...timesOf(impls))));
  for (const [layout, impls] of priced) {
    const found = implWith(program, idOf(0), 0, layout);
    assert(found !== undefined);
    assertEquals(evaluator.runtime(idOf(0), program.inputsOf(idOf(0)), found), Math.min(...timesOf(impls)));
  }
});

Deno.test("a reader's loss is shared between its moved operands; return takes only its own layout", () => {
  const { study, evaluator, program, result, dram, l1 } = everythingInL1((builder) => {
    const kept = builder.op("ttnn.relu", [builder.argument(SQUARE)], SQUARE);
    builder.return(builder.op("ttnn.multiply", [kept, kept], SQUARE), kept);
  });
  const kept = result(0);
  assertEquals(
    finalReaders(program, kept).map(({ kind, use, position }) => [kind, use, position]),
    [["operand", 0, 1], ["operand", 1, 1], ["result", 2, 2]],
  );
  const both = extra(study, program, 1, [dram, dram]);
  const reader = { kind: "operand", op: idOf(1), operand: 0, use: 0, position: 1, source: ITSELF } as const;
  assertAlmostEquals(costOf(study, program, kept, reader, l1, dram), both / 2, 1e-9);
  const returned = { kind: "result", index: 1, use: 2, position: 2, source: ITSELF } as const;
  assertEquals(evaluator.returnedIn(kept), dram);
  assertEquals([dram, l1].map((to) => costOf(study, program, kept, returned, l1, to)), [0, Infinity]);
});

Deno.test("a reader takes no layout that it is not offered or does not run on", () => {
  const flat: TensorShape = { shape: [2048, 512], dataType: "bf16" };
  const { study, program, result, l1 } = everythingInL1((builder) => {
    const kept = builder.op("ttnn.relu", [builder.argument(SQUARE)], SQUARE);
    builder.return(builder.op("ttnn.reshape", [kept], flat), builder.op("ttnn.rms_norm", [kept], SQUARE));
  });
  const costIn = (op: OpId, to: LayoutId): number =>
    costOf(
      study,
      program,
      result(0),
      { kind: "operand", op, operand: 0, use: 0, position: op, source: ITSELF },
      l1,
      to,
    );
  const [block, width] = [
    study.sharded(SQUARE, "block_sharded", 8, 8),
    study.sharded(SQUARE, "width_sharded", 1, 32),
  ];
  assertEquals(costIn(idOf(1), width), Infinity);
  assert(costIn(idOf(1), block) < Infinity);
  assertEquals(costIn(idOf(2), block), Infinity, "rms_norm makes no interleaved result of shards");
});

Deno.test("victims rank by next use, by last use, or by cost per byte and step", () => {
  const near = { bytes: 100, nextUse: 3, lastUse: 9, microseconds: 10 };
  const far = { bytes: 100, nextUse: 7, lastUse: 8, microseconds: 10 };
  const first = (policy: "farthest-next-use" | "farthest-last-use" | "cost-aware") =>
    rankVictim(policy, near, 2) > rankVictim(policy, far, 2) ? "near" : "far";
  assertEquals(first("farthest-next-use"), "far");
  assertEquals(first("farthest-last-use"), "near");
  assertEquals(first("cost-aware"), "far");
  assertEquals(rankVictim("cost-aware", far, 2), -10 / 500);
  assertEquals(rankVictim("cost-aware", near, 3), -10 / 100, "a use at once counts as one step");
});

Deno.test("readers that cannot read DRAM share a reload, and its price is part of the split", () => {
  const { study, evaluator, program, result, dram, l1 } = everythingInL1(fork);
  const kept = result(0);
  // silu is not decided, so it needs its operand in L1 again.
  const roles = withoutOps(study.roles, new Set([2]));
  const move = new SpillMoves(program, roles).split(kept, ITSELF, 1);
  const store = evaluator.copyMicroseconds(kept, l1, dram);
  const reload = evaluator.copyMicroseconds(kept, dram, l1);
  assertAlmostEquals(move?.microseconds ?? -1, store + extra(study, program, 1, [dram]) + reload, 1e-9);
});

Deno.test("a value in DRAM is not moved there again", () => {
  const study = realStudy(fork);
  const program = LayoutProgram.fromAssignment(
    study.evaluator,
    interleavedAssignment(study.evaluator, study.roles, "dram", Infinity),
  );
  const kept = study.evaluator.op(idOf(0)).results[0];
  assertEquals(new SpillMoves(program, study.roles).demote(present(kept), "dram", 2), undefined);
});
