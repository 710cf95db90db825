// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { idOf } from "../../testing/ids.ts";
import { simulateL1Schedule } from "../memory/l1_timeline.ts";
import { l1Region } from "../memory/l1_schedule.ts";
import type { TensorShape } from "../ops/op_signature.ts";
import { realStudy } from "../propagation/testing/real_study.ts";
import { interleavedAssignment } from "../search/interleaved_assignment.ts";
import { LayoutProgram } from "../search/layout_program.ts";
import { ITSELF } from "../search/program.ts";
import { improve } from "./improve.ts";
import { changeResult } from "./moves.ts";

const TENSOR: TensorShape = { shape: [2048, 2048], dataType: "bf16" };

/** Ops, with the operand index, that read relu's result: at once, as both operands of a sum, and late. */
const READS = [[2, 0], [2, 1], [5, 1]] as const;

/** relu's result is read at once and, after several other ops, once more; it alone is in DRAM. */
function skipped() {
  const { evaluator, roles } = realStudy((builder) => {
    const made = builder.op("ttnn.neg", [builder.argument(TENSOR)], TENSOR);
    const early = builder.op("ttnn.relu", [made], TENSOR);
    let value = builder.op("ttnn.add", [early, early], TENSOR);
    for (let op = 0; op < 2; op++) value = builder.op("ttnn.add", [value, value], TENSOR);
    builder.return(builder.op("ttnn.add", [value, early], TENSOR));
  });
  const [inDram, inL1] = (["dram", "l1"] as const).map((buffer) =>
    interleavedAssignment(evaluator, roles, buffer, Infinity)
  );
  assert(inDram !== undefined && inL1 !== undefined);
  const assignment = inL1.map((choice, op) => op === 1 ? inDram[op] ?? choice : choice);
  const program = LayoutProgram.fromAssignment(evaluator, assignment);
  for (const [op, operand] of READS) program.setSource(idOf(op), operand, ITSELF);
  return { program, roles, region: l1Region(evaluator.opModel.chip, 0.95, 0) };
}

/** Memory from which relu's readers read it. */
function readFrom(program: LayoutProgram): readonly unknown[] {
  return READS.map(([op, operand]) => {
    const layout = program.inputsOf(idOf(op))[operand];
    return layout === undefined ? undefined : program.evaluator.layouts.get(layout).bufferType;
  });
}

for (
  const [share, where, memories] of [
    [1, "everywhere", ["l1", "l1", "l1"]],
    [0.01, "for none", ["dram", "dram", "dram"]],
  ] as const
) {
  Deno.test(`changeResult with ${100 * share} % of L1 lets a result be read there ${where}`, () => {
    const { program, roles, region } = skipped();
    const budget = share * region.budget;
    const small = { ...region, base: region.top - budget, budget };
    const failures = (): number =>
      simulateL1Schedule(program.l1Schedule(program.steps()), small).failures.length;
    const before = { us: program.microseconds(), failures: failures() };
    assertEquals(readFrom(program), ["dram", "dram", "dram"]);
    assertEquals(
      improve(program, "spilled", { roles, region: small, moves: [changeResult] }) > 0,
      program.microseconds() < before.us,
    );
    assertEquals(readFrom(program), memories);
    assert(failures() <= before.failures);
    assertEquals(program.faults(roles), 0);
  });
}
