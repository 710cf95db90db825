// SPDX-License-Identifier: Apache-2.0
import type { Assignment } from "../propagation/assignment.ts";
import type { FinishedProgram, PassPipeline } from "./pass_pipeline.ts";

/** An assignment to be finished, with its predicted µs before pass 2. */
interface Entry {
  readonly origin: string;
  readonly assignment: Assignment;
  readonly microseconds: number;
}

/**
 * Assignments that compete for the cheapest plan. Each takes part as it is and refined, equal ones once. Pass 2 runs on
 * the most promising first; an assignment that is dearer before its spills than the best plan is after them is dropped.
 */
export class Portfolio {
  readonly #pipeline: PassPipeline;
  readonly #entries: Map<string, Entry> = new Map();

  constructor(pipeline: PassPipeline) {
    this.#pipeline = pipeline;
  }

  /** Adds an assignment and its refinement. */
  add(origin: string, assignment: Assignment): void {
    this.#addOne(origin, assignment);
    this.#addOne(`${origin}, refined`, this.#pipeline.refine(assignment));
  }

  #addOne(origin: string, assignment: Assignment): void {
    const key = this.#pipeline.key(assignment);
    if (this.#entries.has(key)) return;
    this.#entries.set(key, { origin, assignment, microseconds: this.#pipeline.microseconds(assignment) });
  }

  /**
   * The cheapest usable program, the first of equals; `undefined` when none is usable.
   *
   * @param finished programs that take part without conditions
   */
  cheapest(finished: readonly FinishedProgram[]): FinishedProgram | undefined {
    let best: FinishedProgram | undefined;
    const offer = (program: FinishedProgram): void => {
      if (!program.usable || (best !== undefined && program.microseconds >= best.microseconds)) return;
      best = program;
    };
    finished.forEach(offer);
    const ranked = [...this.#entries.values()].sort((a, b) => a.microseconds - b.microseconds);
    for (const { origin, assignment, microseconds } of ranked) {
      if (best !== undefined && microseconds >= best.microseconds) break;
      offer(this.#pipeline.finish(origin, assignment));
    }
    return best;
  }
}
