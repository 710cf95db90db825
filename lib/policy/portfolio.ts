// SPDX-License-Identifier: Apache-2.0
import type { Assignment } from "../search/ways.ts";
import type { FinishedProgram, PassPipeline } from "./pass_pipeline.ts";

/** An assignment to be finished, with its predicted µs before pass 2. */
interface Entry {
  readonly origin: string;
  readonly assignment: Assignment;
  readonly microseconds: number;
}

/**
 * Functions up to this size have every assignment finished. In longer ones an assignment that is dearer before its
 * spills than the best plan is after them is dropped; spills hardly ever make a plan cheaper.
 */
const THOROUGH_OPS = 400;

/** Assignments that compete for the cheapest plan; each takes part as it is and refined, equal ones once. */
export class Portfolio {
  readonly #pipeline: PassPipeline;
  /** Whether every assignment is finished. */
  readonly isThorough: boolean;
  readonly #seen: Set<string> = new Set();
  #waiting: Entry[] = [];
  #best: FinishedProgram | undefined;

  /**
   * @param ops length of the function
   * @param finished programs that take part without conditions
   */
  constructor(pipeline: PassPipeline, ops: number, finished: readonly FinishedProgram[]) {
    this.#pipeline = pipeline;
    this.isThorough = ops <= THOROUGH_OPS;
    for (const program of finished) this.offer(program);
  }

  /** The cheapest usable program so far, the first of equals. */
  get best(): FinishedProgram | undefined {
    return this.#best;
  }

  /** Lets a finished program compete. */
  offer(program: FinishedProgram): void {
    if (!program.usable || (this.#best !== undefined && program.microseconds >= this.#best.microseconds)) {
      return;
    }
    this.#best = program;
  }

  /** Adds an assignment and its refinement to those that wait for pass 2. */
  add(origin: string, assignment: Assignment): void {
    this.#addOne(origin, assignment);
    this.#addOne(`${origin}, refined`, this.#pipeline.refine(assignment));
  }

  #addOne(origin: string, assignment: Assignment): void {
    const key = this.#pipeline.key(assignment);
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    this.#waiting.push({ origin, assignment, microseconds: this.#pipeline.microseconds(assignment) });
  }

  /**
   * Runs pass 2 on what waits, the most promising first.
   *
   * @returns the cheapest usable one of them, for feedback; `undefined` when none was finished or is usable
   */
  settle(): FinishedProgram | undefined {
    let group: FinishedProgram | undefined;
    const ranked = this.#waiting.sort((a, b) => a.microseconds - b.microseconds);
    this.#waiting = [];
    for (const { origin, assignment, microseconds } of ranked) {
      if (!this.isThorough && this.#best !== undefined && microseconds >= this.#best.microseconds) break;
      const program = this.#pipeline.finish(origin, assignment);
      this.offer(program);
      if (program.usable && (group === undefined || program.microseconds < group.microseconds)) {
        group = program;
      }
    }
    return group;
  }
}
