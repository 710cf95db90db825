// SPDX-License-Identifier: Apache-2.0

/** What a greedy spill does if something cannot change, with the real op model. */

import { assert, assertEquals } from "@std/assert";
import { present } from "../../testing/present.ts";
import { integersAttribute } from "../../testing/op_queries.ts";
import type { L1Region } from "../memory/l1_schedule.ts";
import type { TensorShape } from "../ops/op_signature.ts";
import { realStudy } from "../propagation/testing/real_study.ts";
import { interleavedAssignment } from "../search/interleaved_assignment.ts";
import { LayoutProgram } from "../search/layout_program.ts";
import { ITSELF } from "../search/program.ts";
import { spillGreedily } from "./greedy_spill.ts";
import { idOf } from "../../testing/ids.ts";

const SQUARE: TensorShape = { shape: [1024, 1024], dataType: "bf16" };

const UNPADDED: TensorShape = { shape: [1000, 1024], dataType: "bf16" };

/** One and a half megabytes of L1, of which so many bytes may be used. */
function regionOf(budget: number): L1Region {
  return { base: 0, top: 3 << 19, alignment: 32, budget };
}

Deno.test("a step that no spill helps does not prevent spills for others", () => {
  // The argument holds 32768 bytes throughout; relu's circular buffers exceed the rest, whatever moves. gelu's
  // result can move.
  const { evaluator: plain } = realStudy((builder) => builder.return(builder.argument(SQUARE)));
  const l1 = plain.layouts.get(plain.interleaved(SQUARE, present(plain.declared[0]), "l1"));
  const { evaluator, roles } = realStudy((builder) => {
    builder.argument(SQUARE, { layout: l1 });
    const x = builder.argument(SQUARE);
    const first = builder.op("ttnn.relu", [x], SQUARE);
    const second = builder.op("ttnn.gelu", [x], SQUARE);
    builder.return(first, builder.op("ttnn.silu", [second], SQUARE));
  });
  const program = LayoutProgram.fromAssignment(
    evaluator,
    interleavedAssignment(evaluator, roles, "dram", Infinity),
  );
  const inL1 = evaluator.impls(idOf(1), program.inputsOf(idOf(1))).find(({ outputs: [layout] }) =>
    layout !== undefined && evaluator.facts(layout).isL1 && !evaluator.facts(layout).isSharded
  );
  assert(inL1 !== undefined);
  program.setOutputs(idOf(1), inL1, "for the test", false);
  const reader = present(evaluator.op(idOf(2)).operands[0]);
  assertEquals(program.layoutOf(reader, -1), inL1.outputs[0]);
  const { events } = spillGreedily(program, roles, regionOf(34_000), "cost-aware");
  assertEquals(
    events.map(({ op }) => op).includes(idOf(1)),
    true,
    JSON.stringify(events.map(({ description }) => description)),
  );
  const [made] = program.ops[1]?.outputs ?? [];
  assert(made !== undefined && !evaluator.facts(made).isL1);
  assertEquals(program.toPlan().decisions[1]?.spilled, true);
});

Deno.test("shards on few cores move to L1 interleaved if that is cheapest", () => {
  // Two shards hold a megabyte each; spread over all cores the tensor takes 32 KiB, so that gelu fits beside it.
  const { evaluator, roles, sharded } = realStudy((builder) => {
    const x = builder.argument(SQUARE);
    const waiting = builder.op("ttnn.relu", [x], SQUARE);
    const between = builder.op("ttnn.gelu", [x], SQUARE);
    builder.return(builder.op("ttnn.silu", [waiting], SQUARE), between);
  });
  const program = LayoutProgram.fromAssignment(
    evaluator,
    interleavedAssignment(evaluator, roles, "dram", Infinity),
  );
  const twoShards = sharded(SQUARE, "height_sharded", 2, 1);
  const impl = evaluator.query(idOf(0), program.inputsOf(idOf(0)), twoShards, undefined);
  assert(impl !== undefined);
  program.setOutputs(idOf(0), impl, "for the test", false);
  const { events, timeline } = spillGreedily(program, roles, regionOf((1 << 20) + 4096), "cost-aware");
  assertEquals(events.map(({ kind }) => kind), ["interleave"]);
  assertEquals(program.ops[0]?.outputs, [evaluator.interleaved(SQUARE, twoShards, "l1")]);
  assertEquals(program.toPlan().decisions[0]?.spilled, undefined, "it has not left L1");
  assert(timeline.withinBudget);
});

Deno.test("the only reader of a copy in L1 reads DRAM if no other spill makes room", () => {
  const { evaluator, roles, sharded } = realStudy((builder) =>
    builder.return(builder.op("ttnn.relu", [builder.argument(SQUARE)], SQUARE))
  );
  const program = LayoutProgram.fromAssignment(
    evaluator,
    interleavedAssignment(evaluator, roles, "dram", Infinity),
  );
  const [argument] = evaluator.op(idOf(0)).operands;
  assert(argument !== undefined);
  const twoShards = sharded(SQUARE, "height_sharded", 2, 1);
  program.setSource(
    idOf(0),
    0,
    program.addCopy({
      value: argument,
      source: ITSELF,
      layout: twoShards,
      before: idOf(0),
      reason: "reshard",
      note: "for the test",
    }),
  );
  const { events, timeline } = spillGreedily(program, roles, regionOf(1 << 19), "cost-aware");
  assertEquals(events.map(({ kind }) => kind), ["read_dram"]);
  assertEquals(program.inputsOf(idOf(0)), [evaluator.declared[argument]]);
  assert(timeline.withinBudget);
});

Deno.test("a dead view is no victim: the buffer is its owner's", () => {
  // The argument holds 32768 bytes throughout, at first through a view; the sum needs more than is left.
  const { evaluator: plain } = realStudy((builder) => builder.return(builder.argument(UNPADDED)));
  const l1 = plain.layouts.get(plain.interleaved(UNPADDED, present(plain.declared[0]), "l1"));
  // A pad within the last tiles is a view, whose padding a program fills from 10 KiB of buffers; the op model would
  // also produce it in DRAM.
  const attributes = { padding: integersAttribute([0, 24, 0, 0]) };
  const { evaluator, roles } = realStudy((builder) => {
    const argument = builder.argument(UNPADDED, { layout: l1 });
    const padded = builder.op("ttnn.pad", [argument], SQUARE, { attributes });
    const early = builder.op("ttnn.relu", [padded], SQUARE);
    const pressing = builder.op("ttnn.sum", [builder.argument(SQUARE)], {
      shape: [1024, 1],
      dataType: "bf16",
    }, {
      attributes: { dim_arg: integersAttribute([1]), keep_dim: { kind: "bool", value: true } },
    });
    builder.return(early, pressing, builder.op("ttnn.silu", [argument], UNPADDED));
  });
  const program = LayoutProgram.fromAssignment(
    evaluator,
    interleavedAssignment(evaluator, roles, "dram", Infinity),
  );
  const view = evaluator.impls(idOf(0), [evaluator.declared[0]]).find(({ aliasedOperand }) =>
    aliasedOperand === 0
  );
  assert(view !== undefined);
  program.setSource(idOf(0), 0, ITSELF);
  program.setSource(idOf(3), 0, ITSELF);
  program.setOutputs(idOf(0), view, "for the test", false);
  const { events, timeline } = spillGreedily(program, roles, regionOf(44_000), "cost-aware");
  assert(!timeline.withinBudget);
  assertEquals(events, []);
});
