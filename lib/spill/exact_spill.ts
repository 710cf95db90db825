// SPDX-License-Identifier: Apache-2.0
import { isOp } from "../graph/graph.ts";
import type { L1Region } from "../memory/l1_schedule.ts";
import { simulateL1Schedule } from "../memory/l1_timeline.ts";
import { Heap } from "../search/heap.ts";
import type { LayoutProgram } from "../search/layout_program.ts";
import { SPILLED_PROGRAMS } from "../search/limits.ts";
import type { OpRoles } from "../search/op_roles.ts";
import { copyAt, decisionFor } from "../search/program.ts";
import { type SpillMove, SpillMoves } from "./moves.ts";
import { eventOf, movesOf, shortageAt, type SpillEvent, type SpillResult } from "./shortage.ts";

/** A program after some moves. */
interface SpilledProgram {
  readonly program: LayoutProgram;
  readonly events: readonly SpillEvent[];
  readonly microseconds: number;
  /** Attempts are numbered in the order in which they are made; of equal ones the first goes on. */
  readonly number: number;
}

/**
 * Pass 2 of `--spill exact` (ttnn-optimizer §5.8.2): uniform-cost search over programs. A program is extended by each
 * move of greedy pass 2 of the most promising tensors ({@linkcode MOST_VICTIMS}) that are live at its first step
 * without room; whether one move is enough shows in the next replay. Moves mostly cost time, so the first program that
 * fits is usually the fastest; it is not proven, since a few moves save time. Programs that moves give in several
 * orders are met once. Rejected: dynamic programming over which live tensors are in L1. It tells apart more spills in
 * the same time, but not by address, took 850 lines with moves, prices and replays of its own, and no search but
 * `--spill exact` used it.
 *
 * @param mostUs only faster programs are of use
 * @returns `undefined`, and the program is unchanged, if none is found among {@linkcode SPILLED_PROGRAMS}
 */
export function spillExactly(
  program: LayoutProgram,
  roles: OpRoles,
  region: L1Region,
  mostUs: number = Infinity,
): SpillResult | undefined {
  const open = new Heap<SpilledProgram>((a, b) =>
    a.microseconds < b.microseconds || a.microseconds === b.microseconds && a.number < b.number
  );
  const seen = new Set<string>();
  const add = (next: LayoutProgram, events: readonly SpillEvent[]): void => {
    const microseconds = next.microseconds();
    const key = keyOf(next);
    if (microseconds >= mostUs || seen.has(key)) return;
    seen.add(key);
    open.push({ program: next, events, microseconds, number: seen.size });
  };
  add(program.clone(), []);
  for (let tried = 0; tried < SPILLED_PROGRAMS; tried++) {
    const attempt = open.pop();
    if (attempt === undefined) return undefined;
    const steps = attempt.program.steps();
    const schedule = attempt.program.l1Schedule(steps);
    const timeline = simulateL1Schedule(schedule, region, "failures", { endsAt: () => true });
    const [failure] = timeline.failures;
    if (failure === undefined) {
      program.assign(attempt.program);
      return { fits: true, events: attempt.events, timeline };
    }
    const shortage = shortageAt(attempt.program, { steps, timeline }, failure);
    const { op, position, residents } = shortage;
    const moves = new SpillMoves(attempt.program, roles);
    for (const resident of residents) {
      program.evaluator.work.charge("victim", 1);
      for (const move of movesOf(moves, resident, position)) {
        const event = eventOf(attempt.program, shortage, move, resident);
        add(moved(attempt.program, move), [...attempt.events, event]);
      }
    }
    const own = isOp(program.evaluator.fn, op) ? moves.readDram(op) : undefined;
    if (own !== undefined) {
      add(moved(attempt.program, own), [...attempt.events, eventOf(attempt.program, shortage, own)]);
    }
  }
  return undefined;
}

/** A copy of a program after a move; the program itself stays as it is, so that its other moves still hold. */
function moved(program: LayoutProgram, move: SpillMove): LayoutProgram {
  const before = program.clone();
  move.apply();
  const after = program.clone();
  program.assign(before);
  return after;
}

/** Equal for programs with the same steps, each with its config or source, in the same layouts. */
function keyOf(program: LayoutProgram): string {
  const { evaluator } = program;
  return program.steps().map((step) => {
    if (step.kind === "op") {
      const choice = { inputs: program.inputsOf(step.op), ...decisionFor(program, step.op) };
      return `${step.op}:${evaluator.choiceId(choice)}`;
    }
    const { value, source, layout } = copyAt(program, step.copy);
    return `${value}:${program.layoutOf(value, source)}>${layout}`;
  }).join("|");
}
