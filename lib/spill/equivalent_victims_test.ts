// SPDX-License-Identifier: Apache-2.0
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { present } from "../../testing/present.ts";
import { idOf } from "../../testing/ids.ts";
import { l1Region } from "../memory/l1_schedule.ts";
import { realStudy } from "../propagation/testing/real_study.ts";
import { interleavedAssignment } from "../search/interleaved_assignment.ts";
import { LayoutProgram } from "../search/layout_program.ts";
import { ITSELF } from "../search/program.ts";
import { spillGreedily } from "./greedy_spill.ts";
import { equivalentVictimKey } from "./shortage.ts";
import { SpillMoves } from "./moves.ts";

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

Deno.test("results of one key cost the same to move out of L1, by every kind of move", () => {
  const widths = Array.from({ length: 16 }, (_, at) => at % 3 === 0 ? 64 : 128);
  const { evaluator, program, roles } = joined(widths, ["ttnn.relu", "ttnn.exp"], 256);
  const values = present(evaluator.fn.ops.at(-1)).operands;
  const byKey = Map.groupBy(values, (value) => present(equivalentVictimKey(program, roles, value)));
  assertEquals([...byKey.values()].map((equivalent) => equivalent.length).sort(), [3, 3, 5, 5]);
  const join = values.length;
  const moves = new SpillMoves(program, roles);
  for (const equivalent of byKey.values()) {
    const costs = equivalent.map((value) => [
      moves.split(value, ITSELF, join)?.microseconds,
      moves.demote(value, "dram", join)?.microseconds,
    ]);
    assert(costs.flat().some((us) => us !== undefined));
    for (const own of costs) {
      own.forEach((us, kind) => {
        const first = costs[0]?.[kind];
        if (us === undefined || first === undefined) assertEquals(us, first);
        else assertAlmostEquals(us, first, 1e-9);
      });
    }
  }
});

Deno.test("results with a reader besides a join of many operands are examined one by one", () => {
  const few = joined(Array(12).fill(64), ["ttnn.relu"], 256);
  assertEquals(
    equivalentVictimKey(few.program, few.roles, present(few.evaluator.op(idOf(0)).results[0])),
    undefined,
  );
  const { evaluator, program, roles } = joined(Array(13).fill(64), ["ttnn.relu"], 256);
  const [value] = evaluator.op(idOf(0)).results;
  assert(equivalentVictimKey(program, roles, present(value)) !== undefined);
  assertEquals(equivalentVictimKey(program, roles, present(evaluator.fn.ops.at(-1)?.results[0])), undefined);
  assertEquals(equivalentVictimKey(program, roles, present(evaluator.op(idOf(0)).operands[0])), undefined);
});

Deno.test("a join of hundreds that L1 is too small for is spilled in victims of one kind each", () => {
  const { evaluator, program, roles } = joined(Array(200).fill(512), ["ttnn.relu"], 1024);
  const before = evaluator.work.microseconds;
  const result = spillGreedily(
    program,
    roles,
    l1Region(evaluator.opModel.chip, 0.95, 0),
    "farthest-next-use",
  );
  assert(result.fits && result.events.length > 20, `${result.events.length} spills`);
  // Each spill evaluates one of the alike results; evaluating them one by one would be hundreds.
  const each = (evaluator.work.microseconds - before) / result.events.length;
  assert(each < 5_000, `${each} µs of work for each of ${result.events.length} spills`);
});
