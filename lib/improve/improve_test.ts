// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { TEST_WORMHOLE } from "../../testing/chips.ts";
import { idOf } from "../../testing/ids.ts";
import { present } from "../../testing/present.ts";
import { l1Region } from "../memory/l1_schedule.ts";
import type { TensorShape } from "../ops/op_signature.ts";
import { realStudy } from "../propagation/testing/real_study.ts";
import { interleavedAssignment } from "../search/interleaved_assignment.ts";
import { LayoutProgram } from "../search/layout_program.ts";
import { ITSELF } from "../search/program.ts";
import { improve } from "./improve.ts";
import { ImprovementLog } from "./improvement_log.ts";
import type { ImprovementMove } from "./move.ts";

const SQUARE: TensorShape = { shape: [1024, 1024], dataType: "bf16" };
const RELU = idOf(0);

/** One op that reads an argument; everything is in DRAM. */
function readOnce() {
  const { evaluator, roles } = realStudy((builder) => {
    builder.return(builder.op("ttnn.relu", [builder.argument(SQUARE)], SQUARE));
  });
  const assignment = interleavedAssignment(evaluator, roles, "dram", Infinity);
  const program = LayoutProgram.fromAssignment(evaluator, assignment);
  return { program, roles, region: l1Region(TEST_WORMHOLE, 0.95, 0) };
}

/** Lets relu read a copy that nobody needs. */
function copying(program: LayoutProgram): void {
  const { evaluator } = program;
  const value = present(evaluator.op(RELU).operands[0]);
  const layout = evaluator.interleaved(SQUARE, present(evaluator.declared[value]), "l1");
  const copy = { value, source: ITSELF, layout, before: RELU, reason: "reshard", note: "test" } as const;
  program.setSource(RELU, 0, program.addCopy(copy));
}

/** Promises much at every op. */
const promising = (apply: (program: LayoutProgram) => void): ImprovementMove => ({
  name: "promising",
  stages: ["leading"],
  propose: (_program, _roles, { kind }) => kind === "op" ? [{ microseconds: -100, apply }] : [],
});

Deno.test("improve() keeps a change only if the simulated time falls", () => {
  const { program, roles, region } = readOnce();
  const fast = program.microseconds();
  const log = new ImprovementLog();
  assertEquals(improve(program, "leading", { roles, region, log, moves: [promising(copying)] }), 0);
  assertEquals(program.microseconds(), fast);
  copying(program);
  const slow = program.microseconds();
  assert(slow > fast);
  const direct = promising((trial) => trial.setSource(RELU, 0, ITSELF));
  assertEquals(improve(program, "leading", { roles, region, log, moves: [direct] }), 1);
  assertEquals(program.microseconds(), fast);
  assertEquals(log.moves, [{ move: "promising", replays: 1, kept: 1, savedUs: slow - fast }]);
});

Deno.test("improve() asks a move only in its stages, and only about steps that may change", () => {
  const { program, roles, region } = readOnce();
  copying(program);
  const moves = [promising((trial) => trial.setSource(RELU, 0, ITSELF))];
  assertEquals(improve(program, "spilled", { roles, region, moves }), 0);
  assertEquals(
    improve(program, "leading", { roles, region, moves, mayChange: ({ kind }) => kind === "copy" }),
    0,
  );
  assertEquals(improve(program, "leading", { roles, region, moves }), 1);
});
