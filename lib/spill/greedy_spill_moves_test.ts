// SPDX-License-Identifier: Apache-2.0

/** What a greedy spill does where something stays as it is, with the real op model. */

import { assert, assertEquals } from "@std/assert";
import type { L1Region } from "../memory/l1_timeline.ts";
import type { TensorShape } from "../ops/op_signature.ts";
import { realStudy } from "../propagation/testing/real_study.ts";
import { interleavedAssignment } from "../search/interleaved_assignment.ts";
import { LayoutProgram } from "../search/layout_program.ts";
import { spillGreedily } from "./greedy_spill.ts";

const SQUARE: TensorShape = { shape: [1024, 1024], dataType: "bf16" };

/** L1 of a megabyte of which so many bytes may be used. */
function regionOf(budget: number): L1Region {
  return { base: 0, top: 1 << 20, alignment: 32, budget };
}

Deno.test("a step that nothing relieves does not keep others from being relieved", () => {
  // The argument holds 32768 bytes throughout; relu's circular buffers exceed the rest, whatever is moved. gelu's result
  // can go.
  const { evaluator: plain } = realStudy((builder) => builder.return(builder.argument(SQUARE)));
  const l1 = plain.layouts.get(plain.interleaved(SQUARE, plain.declared[0] ?? -1, "l1"));
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
  const inL1 = evaluator.ways(1, program.inputsOf(1)).find(({ outputs: [layout] }) =>
    layout !== undefined && evaluator.facts(layout).isL1 && !evaluator.facts(layout).isSharded
  );
  assert(inL1 !== undefined);
  program.setOutputs(1, inL1, "for the test", false);
  const reader = evaluator.op(2).operands[0] ?? -1;
  assertEquals(program.layoutOf(reader, -1), inL1.outputs[0]);
  const { events } = spillGreedily(program, roles, regionOf(34_000), "cost-aware");
  assertEquals(
    events.map(({ op }) => op).includes(1),
    true,
    JSON.stringify(events.map(({ description }) => description)),
  );
  const [made] = program.ops[1]?.outputs ?? [];
  assert(made !== undefined && !evaluator.facts(made).isL1);
});
