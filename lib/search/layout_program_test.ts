// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { TEST_WORMHOLE } from "../../testing/chips.ts";
import { idOf } from "../../testing/ids.ts";
import { present } from "../../testing/present.ts";
import { type OpId, returnPlace } from "../graph/graph.ts";
import { type L1Timeline, simulateL1Schedule } from "../memory/l1_timeline.ts";
import { l1Region } from "../memory/l1_schedule.ts";
import { simulateMemory } from "../memory/plan_memory.ts";
import type { OpSpecificAttributes } from "../op_config/op_config.ts";
import type { TensorShape } from "../ops/op_signature.ts";
import { realStudy } from "../propagation/testing/real_study.ts";
import { interleavedAssignment } from "./interleaved_assignment.ts";
import { LayoutProgram } from "./layout_program.ts";
import { decisionFor, ITSELF } from "./program.ts";

const SQUARE: TensorShape = { shape: [1024, 1024], dataType: "bf16" };

/** Per step: bytes per core of all tensors in L1, and the lowest address among them. */
const usage = ({ usage }: L1Timeline) => usage.map(({ bytes, lowestTensor }) => [bytes, lowestTensor]);

Deno.test("a copy into its source's layout takes no L1, in the program as in its plan", () => {
  const { evaluator, roles } = realStudy((builder) => {
    const first = builder.op("ttnn.gelu", [builder.argument(SQUARE)], SQUARE);
    const second = builder.op("ttnn.silu", [first], SQUARE);
    builder.return(builder.op("ttnn.add", [first, second], SQUARE));
  });
  const [gelu, silu, add] = [idOf(0), idOf(1), idOf(2)];
  const program = LayoutProgram.fromAssignment(
    evaluator,
    interleavedAssignment(evaluator, roles, "dram", Infinity),
  );
  const [value] = evaluator.op(gelu).results;
  assert(value !== undefined);
  const l1 = evaluator.interleaved(SQUARE, present(evaluator.declared[value]), "l1");
  // Both readers read a copy in L1, the second one a copy of that copy.
  const copy = { value, source: ITSELF, layout: l1, before: silu, reason: "reshard", note: "test" } as const;
  const first = program.addCopy(copy);
  const other = present(evaluator.catalog.reshardTargets(SQUARE, l1)[0]);
  const second = program.addCopy({ ...copy, source: first, layout: other, before: add });
  program.setSource(silu, 0, first);
  program.setSource(add, 0, second);
  const region = l1Region(TEST_WORMHOLE, 0.95, 0);
  const ofProgram = () => usage(simulateL1Schedule(program.l1Schedule(program.steps()), region));
  const ofPlan = () => {
    const options = { cap: 0.95, constEvalL1Bytes: 0 } as const;
    return usage(simulateMemory(evaluator.fn, program.toPlan(), evaluator.opModel, options).timeline);
  };
  assertEquals([ofProgram().length, ofPlan()], [5, ofProgram()]);
  // Now gelu makes its result where the first copy would put it.
  const impl = present(
    evaluator.impls(gelu, program.inputsOf(gelu)).find(({ outputs }) => outputs[0] === l1),
  );
  program.setOutputs(gelu, impl, "test", false);
  assertEquals([ofProgram().length, ofPlan()], [4, ofProgram()]);
  assertEquals(program.toPlan().conversions.map(({ source }) => source.kind), ["value"]);
  // The second copy takes the place of the first one's source again.
  program.setCopySource(second, ITSELF);
  assertEquals([ofProgram().length, ofPlan()], [4, ofProgram()]);
});

Deno.test("an op that keeps its activation keeps it under every config that is chosen later", () => {
  const { evaluator, roles } = realStudy((builder) => {
    builder.return(builder.op("ttnn.gelu", [builder.argument(SQUARE)], SQUARE));
  });
  const op: OpId = idOf(0);
  const program = LayoutProgram.fromAssignment(
    evaluator,
    interleavedAssignment(evaluator, roles, "dram", Infinity),
  );
  const { outputs } = decisionFor(program, op);
  const frees: OpSpecificAttributes = { kind: "conv2d", conv2dConfig: { deallocateActivation: true } };
  const choose = (reason: string) => {
    program.setOutputs(op, { outputs, config: frees }, reason, false);
    return decisionFor(program, op).config;
  };
  assertEquals(choose("freed"), frees);
  program.keepActivation(op, "kept");
  assertEquals(choose("spilled"), { kind: "conv2d", conv2dConfig: { deallocateActivation: false } });
});

Deno.test("a copy to DRAM that only return reads is made behind its producer, any other before its first reader", () => {
  const { evaluator, roles } = realStudy((builder) => {
    const first = builder.op("ttnn.gelu", [builder.argument(SQUARE)], SQUARE);
    const second = builder.op("ttnn.silu", [first], SQUARE);
    builder.return(first, builder.op("ttnn.abs", [second], SQUARE));
  });
  const [gelu, silu, abs] = [idOf(0), idOf(1), idOf(2)];
  const program = LayoutProgram.fromAssignment(
    evaluator,
    interleavedAssignment(evaluator, roles, "l1", Infinity),
  );
  const copies = program.copies.map((
    { value, before, reason },
  ) => [evaluator.producer(value), before, reason]);
  assertEquals(copies, [[gelu, silu, "return"], [abs, returnPlace(evaluator.fn), "return"]]);
});
