// SPDX-License-Identifier: Apache-2.0
import type { L1Region } from "../memory/l1_schedule.ts";
import { simulateL1Schedule } from "../memory/l1_timeline.ts";
import type { LayoutProgram } from "../search/layout_program.ts";
import type { OpRoles } from "../search/op_roles.ts";
import { IMPROVEMENT_ROUNDS, MOST_REPLAYED_OPS, MOST_REPLAYS } from "../search/limits.ts";
import type { ProgramStep } from "../search/program.ts";
import { climb, type Pass } from "../search/climb.ts";
import type { ImprovementLog } from "./improvement_log.ts";
import type { ImprovementMove, ImprovementStage } from "./move.ts";
import { IMPROVEMENT_MOVES } from "./moves.ts";

/** Measures that a change must not worsen, and the time, which it must improve. */
interface Measure {
  /** Predicted µs. */
  readonly microseconds: number;
  /** Steps that do not fit L1. */
  readonly failures: number;
  /** {@linkcode LayoutProgram.faults}. */
  readonly faults: number;
}

/** A program with its price and its L1 replay. A change is tried on a copy and kept if it is better. */
class ReplayedProgram {
  readonly #program: LayoutProgram;
  readonly #roles: OpRoles;
  readonly #region: L1Region;
  #measured: Measure | undefined;
  #replays = 0;

  constructor(program: LayoutProgram, roles: OpRoles, region: L1Region) {
    this.#program = program;
    this.#roles = roles;
    this.#region = region;
  }

  /** Number of changed programs that were replayed. */
  get replays(): number {
    return this.#replays;
  }

  /**
   * Applies a change if it makes the program faster, no further step lacks L1, and no further rule is broken.
   *
   * @returns predicted µs saved; 0 if the program is unchanged
   */
  keepIfFaster(change: (trial: LayoutProgram) => void): number {
    const before = this.#measured ??= {
      microseconds: this.#program.microseconds(),
      failures: this.#failures(this.#program),
      faults: this.#program.faults(this.#roles),
    };
    const trial = this.#program.clone();
    change(trial);
    // The cheapest check comes first: most changes do not save time.
    const microseconds = trial.microseconds();
    if (microseconds >= before.microseconds) return 0;
    this.#replays++;
    const failures = this.#failures(trial, before.failures);
    if (failures > before.failures) return 0;
    const faults = trial.faults(this.#roles);
    if (faults > before.faults) return 0;
    this.#measured = { microseconds, failures, faults };
    this.#program.assign(trial);
    return before.microseconds - microseconds;
  }

  /** Number of steps that do not fit, or would not fit an empty L1; counting stops after `most`. */
  #failures(program: LayoutProgram, most: number = Infinity): number {
    const schedule = program.l1Schedule(program.steps());
    const { failures, oversized } = simulateL1Schedule(schedule, this.#region, "failures", { most });
    return failures.length + oversized.length;
  }
}

/** Inputs of the improvement of a function's program. */
interface ImproveOptions {
  readonly roles: OpRoles;
  readonly region: L1Region;
  /** Receives a record of every move. */
  readonly log?: ImprovementLog | undefined;
  /** Steps that may change; by default all. */
  readonly mayChange?: (step: ProgramStep, program: LayoutProgram) => boolean;
  /** The moves to choose from, of which those of the stage apply; by default all. */
  readonly moves?: readonly ImprovementMove[];
}

/**
 * Improves a finished program by local moves. A change is kept if the predicted time falls, no further step lacks
 * L1, and no further rule is broken. Each move may replay {@linkcode MOST_REPLAYS} changed programs, fewer in long
 * functions ({@linkcode MOST_REPLAYED_OPS}).
 *
 * @param stage selects the moves that apply now
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
