// SPDX-License-Identifier: Apache-2.0
import { IMPROVEMENT_ROUNDS, MOST_REPLAYED_OPS, MOST_REPLAYS } from "../search/limits.ts";
import type { L1Region } from "../memory/l1_schedule.ts";
import type { LayoutProgram } from "../search/layout_program.ts";
import type { OpRoles } from "../search/op_roles.ts";
import type { ProgramStep } from "../search/program.ts";
import { climb, type Pass } from "./climb.ts";
import type { ImprovementLog } from "./improvement_log.ts";
import type { ImprovementMove, ImprovementStage } from "./move.ts";
import { IMPROVEMENT_MOVES } from "./moves.ts";
import { ReplayedProgram } from "./program.ts";

/** Inputs of the improvement of a function's program. */
export interface ImproveOptions {
  readonly roles: OpRoles;
  readonly region: L1Region;
  /** Receives a record of every move. */
  readonly log?: ImprovementLog | undefined;
  /** Steps that may change; by default all. */
  readonly mayChange?: (step: ProgramStep, program: LayoutProgram) => boolean;
  /** The moves to choose from; by default all. */
  readonly moves?: readonly ImprovementMove[];
}

/**
 * Improves a finished program by local moves. A change is kept if the predicted time falls and no further
 * step lacks L1.
 *
 * @returns the number of kept changes
 */
export function improve(
  program: LayoutProgram,
  stage: ImprovementStage,
  { roles, region, log, mayChange = () => true, moves = IMPROVEMENT_MOVES }: ImproveOptions,
): number {
  const mostReplays = Math.min(MOST_REPLAYS, Math.ceil(MOST_REPLAYED_OPS / Math.max(1, program.ops.length)));
  const replayed = new ReplayedProgram(program, roles, region);
  const passes = moves.filter(({ stages }) => stages.includes(stage)).map((move): Pass<ProgramStep> => {
    let replays = 0;
    return {
      isSpent: () => replays >= mostReplays,
      sites: () => sitesOf(move, program, roles, mayChange),
      improveAt(step) {
        // Proposed anew, because an earlier change may have altered the answer or removed the copy.
        if (step.kind === "copy" && !program.steps().includes(step)) return false;
        const before = replayed.replays;
        let savedUs = 0;
        for (const { apply } of move.propose(program, roles, step)) {
          savedUs = replayed.keepIfFaster(apply);
          if (savedUs > 0) break;
        }
        log?.add(move.name, replayed.replays - before, savedUs);
        replays += replayed.replays - before;
        return savedUs > 0;
      },
    };
  });
  return climb(passes, IMPROVEMENT_ROUNDS);
}

/**
 * The steps at which a move has proposals, most promising first; copies before ops, because a copy that is
 * still read may become the source of another one.
 */
function sitesOf(
  move: ImprovementMove,
  program: LayoutProgram,
  roles: OpRoles,
  mayChange: (step: ProgramStep, program: LayoutProgram) => boolean,
): readonly ProgramStep[] {
  const isOp = ({ kind }: ProgramStep): number => Number(kind === "op");
  return program.steps().filter((step) => mayChange(step, program))
    .map((step) => ({ step, microseconds: move.propose(program, roles, step)[0]?.microseconds ?? 0 }))
    .filter(({ microseconds }) => microseconds < 0)
    .sort((a, b) => isOp(a.step) - isOp(b.step) || a.microseconds - b.microseconds)
    .map(({ step }) => step);
}
