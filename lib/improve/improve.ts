// SPDX-License-Identifier: Apache-2.0
import type { L1Region } from "../memory/l1_timeline.ts";
import type { LayoutProgram } from "../search/layout_program.ts";
import type { OpRoles } from "../search/op_roles.ts";
import type { ProgramStep } from "../search/program.ts";
import type { ImprovementMove, ImprovementStage } from "./move.ts";
import { IMPROVEMENT_MOVES } from "./moves.ts";
import { ReplayedProgram } from "./program.ts";

/** How often all steps are visited: one change may free what another one lacked. */
const ROUNDS = 2;

/** Most programs that one kind of move may replay, and most ops in them: long functions get fewer. */
const MOST_REPLAYS = 64;
const MOST_REPLAYED_OPS = 40_000;

/** What improvement needs to know of a program's function. */
export interface ImproveOptions {
  readonly roles: OpRoles;
  readonly region: L1Region;
  /** Steps that may change; by default all. */
  readonly mayChange?: (step: ProgramStep, program: LayoutProgram) => boolean;
  /** The moves to choose from; by default all. */
  readonly moves?: readonly ImprovementMove[];
}

/**
 * Changes a program by one move after the other, the most promising first, copies before ops: as long as a copy is read,
 * another one may be made from it. A change is kept if the predicted time falls
 * and everything fits as before.
 *
 * @returns how many changes were kept
 */
export function improve(
  program: LayoutProgram,
  stage: ImprovementStage,
  { roles, region, mayChange = () => true, moves = IMPROVEMENT_MOVES }: ImproveOptions,
): number {
  const replays = Math.min(MOST_REPLAYS, Math.ceil(MOST_REPLAYED_OPS / Math.max(1, program.ops.length)));
  const replayed = new ReplayedProgram(program, roles, region);
  for (let round = 0; round < ROUNDS; round++) {
    const before = replayed.kept;
    for (const move of moves.filter(({ stages }) => stages.includes(stage))) {
      const end = replayed.replays + replays;
      const sites = program.steps().filter((step) => mayChange(step, program))
        .map((step) => ({ step, gain: move.propose(program, roles, step)[0]?.microseconds ?? 0 }))
        .filter(({ gain }) => gain < 0)
        .sort((a, b) => Number(a.step.kind === "op") - Number(b.step.kind === "op") || a.gain - b.gain);
      for (const { step } of sites) {
        // Asked again, because changes kept in the meantime may have changed the answer.
        const proposals = isLeft(program, step) ? move.propose(program, roles, step) : [];
        for (const { apply } of proposals) {
          if (replayed.replays >= end || replayed.keepIfFaster(apply)) break;
        }
      }
    }
    if (replayed.kept === before) break;
  }
  return replayed.kept;
}

/** Whether a step is still part of a program. */
function isLeft(program: LayoutProgram, step: ProgramStep): boolean {
  return step.kind === "op" || program.steps().includes(step);
}
