// SPDX-License-Identifier: Apache-2.0
import { assert } from "@std/assert";
import { l1Region } from "../memory/l1_schedule.ts";
import { realStudy } from "../propagation/testing/real_study.ts";
import { interleavedAssignment } from "../search/interleaved_assignment.ts";
import { LayoutProgram } from "../search/layout_program.ts";
import { spillGreedily } from "./greedy_spill.ts";

/** A join of so many results in L1, each of them produced from its own argument. */
function joined(widths: readonly number[], ops: readonly string[], rows: number) {
  const study = realStudy((builder) => {
    const tensorOf = (width: number) => ({ shape: [rows, width], dataType: "bf16" } as const);
    const operands = widths.map((width, at) =>
      builder.op(ops[at % ops.length] ?? "", [builder.argument(tensorOf(width))], tensorOf(width))
    );
    const total = tensorOf(widths.reduce((sum, width) => sum + width, 0));
    const attributes = { dim: { kind: "integer", value: 1n, type: "si32" } } as const;
    builder.return(builder.op("ttnn.concat", operands, total, { attributes }));
  });
  const assignment = interleavedAssignment(study.evaluator, study.roles, "l1", Infinity);
  return { ...study, program: LayoutProgram.fromAssignment(study.evaluator, assignment) };
}

Deno.test("a join of hundreds that L1 is too small for is spilled in few prices each", () => {
  const { evaluator, program, roles } = joined(Array(200).fill(512), ["ttnn.relu"], 1024);
  const before = evaluator.work.microseconds;
  const result = spillGreedily(
    program,
    roles,
    l1Region(evaluator.opModel.chip, 0.95, 0),
    "farthest-next-use",
  );
  assert(result.fits && result.events.length > 20, `${result.events.length} spills`);
  // Each spill prices the tensors that free most, not all of them.
  const each = (evaluator.work.microseconds - before) / result.events.length;
  assert(each < 5_000, `${each} µs of work for each of ${result.events.length} spills`);
});
