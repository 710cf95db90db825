// SPDX-License-Identifier: Apache-2.0
import type { Assignment } from "../search/ways.ts";
import type { FunctionContext } from "./function_context.ts";
import type { FinishedProgram, PassPipeline } from "./pass_pipeline.ts";
import { endsSearch, THOROUGH_OPS } from "./search_end.ts";

/** An assignment to be finished, with its predicted µs before pass 2. */
interface Entry {
  readonly origin: string;
  readonly assignment: Assignment;
  readonly microseconds: number;
}

/** How many assignments of longer functions get the exact pass 2. */
const THOROUGH_SPILLS = 2;

/** Programs that the finer model compares beside those that must take part: it and the search's own price disagree by little. */
const JUDGED_BEST = 3;

/** Assignments that compete for the cheapest plan; each takes part as it is and refined, equal ones once. */
export class Portfolio {
  readonly pipeline: PassPipeline;
  readonly #context: FunctionContext;
  readonly #isSpent: () => boolean;
  /** Whether every assignment is finished. */
  readonly isThorough: boolean;
  readonly #seen: Set<string> = new Set();
  #waiting: Entry[] = [];
  /** What L1 was too small for, with what became of it. */
  readonly #spilled: Entry[] = [];
  /** How many of them may get the exact pass 2. */
  #thoroughSpills: number;
  /** Usable programs, the best first. */
  readonly #programs: FinishedProgram[] = [];
  /** Programs of single policies, which the finer model must not find cheaper than the winner. */
  readonly #parts: FinishedProgram[] = [];

  /** @param isSpent whether nothing more should be begun once there is a usable program */
  constructor(pipeline: PassPipeline, context: FunctionContext, isSpent: () => boolean = () => false) {
    this.pipeline = pipeline;
    this.#context = context;
    this.#isSpent = isSpent;
    this.isThorough = context.fn.ops.length <= THOROUGH_OPS;
    this.#thoroughSpills = this.isThorough ? Infinity : THOROUGH_SPILLS;
  }

  /** The best usable program so far, the first of equals. */
  get best(): FinishedProgram | undefined {
    return this.#programs[0];
  }

  /** Lets a finished program compete. */
  offer(program: FinishedProgram): void {
    if (!program.usable) return;
    const place = this.#programs.findIndex((other) => isBetter(program, other));
    this.#programs.splice(place < 0 ? this.#programs.length : place, 0, program);
    this.#programs.splice(JUDGED_BEST);
  }

  /** Lets the program of a single policy compete, which the winner is never dearer than. */
  offerPart(program: FinishedProgram): void {
    if (!program.usable) return;
    this.offer(program);
    this.#parts.push(program);
  }

  /** Adds an assignment and its refinement to those that wait for pass 2. */
  add(origin: string, assignment: Assignment): void {
    this.#addOne(origin, assignment);
    this.#addOne(`${origin}, refined`, this.pipeline.refine(assignment));
  }

  #addOne(origin: string, assignment: Assignment): void {
    const key = this.pipeline.key(assignment);
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    this.#waiting.push({ origin, assignment, microseconds: this.pipeline.microseconds(assignment) });
  }

  /**
   * Runs pass 2 on what waits, the most promising first.
   *
   * @param isSpent asked once one of them is usable: whether the others are dropped
   * @returns the cheapest usable one of them, for feedback; `undefined` when none was finished or is usable
   */
  settle(isSpent: () => boolean = this.#isSpent): FinishedProgram | undefined {
    let group: FinishedProgram | undefined;
    const ranked = this.#waiting.sort((a, b) => a.microseconds - b.microseconds);
    this.#waiting = [];
    for (const entry of ranked) {
      if (!this.isThorough && this.#isHopeless(entry)) break;
      if (group !== undefined && isSpent()) break;
      const program = this.pipeline.finish(entry.origin, entry.assignment);
      if (program.spill.events.length > 0 || !program.usable) this.#spilled.push(entry);
      this.offer(program);
      if (program.usable && (group === undefined || program.microseconds < group.microseconds)) {
        group = program;
      }
    }
    return group;
  }

  #isHopeless({ microseconds }: Entry): boolean {
    return this.best !== undefined && microseconds >= this.best.microseconds;
  }

  /** Runs pass 2 again, with everything that it can do, on what L1 was too small for and what could still win. */
  spillThoroughly(): void {
    this.#spilled.sort((a, b) => a.microseconds - b.microseconds);
    for (const entry of this.#spilled.splice(0, this.#thoroughSpills)) {
      if (this.#isHopeless(entry) || this.#isSpent()) return;
      this.#thoroughSpills--;
      this.offer(this.pipeline.finishThoroughly(entry.origin, entry.assignment));
    }
  }

  /** Lets ops of the best programs read what exists for others anyway. */
  readPresent(): void {
    for (const program of [...this.#programs]) {
      if (this.#isSpent()) return;
      const better = this.pipeline.readingPresent(program);
      if (better !== undefined) this.offer(better);
    }
  }

  /**
   * The winner, where a lower bound ends the search; asks the finer model, whose time has no wait after the last step in
   * it.
   */
  provenBy(lowerBoundUs: number): FinishedProgram | undefined {
    const winner = this.winner();
    const us = winner === undefined ? undefined : this.#context.judge?.(winner.program.toPlan());
    return us !== undefined && endsSearch(this.#context.fn.ops.length, us, lowerBoundUs) ? winner : undefined;
  }

  /** µs of a program by the finer model, where there is one. */
  priceOf(program: FinishedProgram): number {
    return this.#context.judge?.(program.program.toPlan()) ?? program.microseconds;
  }

  /**
   * The best program by the finer model, where there is one; `undefined` when nothing is usable. That model never goes
   * below the search's own, so that a program is only worth asking about when its own price undercuts what the finer
   * model says of the best so far.
   */
  winner(): FinishedProgram | undefined {
    const { best } = this;
    if (best === undefined) return undefined;
    const { judge } = this.#context;
    let winner = this.pipeline.direct(best);
    if (judge === undefined) return winner;
    let price = judge(winner.program.toPlan());
    for (const program of new Set([...this.#programs, ...this.#parts])) {
      if (program === best || program.doubtfulSteps > winner.doubtfulSteps) continue;
      if (program.microseconds >= price) continue;
      const other = judge(program.program.toPlan());
      if (other >= price) continue;
      winner = program;
      price = other;
    }
    return winner;
  }
}

/** Whether fewer steps are in doubt, or as many and it takes less time. */
function isBetter(a: FinishedProgram, b: FinishedProgram): boolean {
  return a.doubtfulSteps === b.doubtfulSteps
    ? a.microseconds < b.microseconds
    : a.doubtfulSteps < b.doubtfulSteps;
}
