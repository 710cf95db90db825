// SPDX-License-Identifier: Apache-2.0
import type { GraphFunction } from "../graph/graph.ts";
import type { OpModel } from "../opmodel/op_model.ts";

/**
 * Questions to the op model that stand for a second of `--time-budget`. Work is counted and not clocked, so that the
 * same input gives the same plan on every machine; a fast machine needs less than the budget says (derived:work-budget).
 */
export const QUESTIONS_PER_SECOND = 300_000;

/** Work that a decision may still take, in questions to the op model, cached ones included. */
export class WorkBudget {
  readonly #opModel: Pick<OpModel, "statistics">;
  readonly #last: number;

  /** @param questions how many may be asked from now on */
  constructor(opModel: Pick<OpModel, "statistics">, questions: number) {
    this.#opModel = opModel;
    this.#last = opModel.statistics.queries + questions;
  }

  /** Questions that are left. */
  get left(): number {
    return Math.max(0, this.#last - this.#opModel.statistics.queries);
  }

  /** Whether nothing more should be begun; what runs is finished. */
  get isSpent(): boolean {
    return this.left === 0;
  }

  /** A part of what is left: as large as the function's part of the ops that wait. */
  shareFor(fn: GraphFunction, waiting: readonly GraphFunction[]): WorkBudget {
    const ops = waiting.reduce((sum, other) => sum + other.ops.length, 0);
    return new WorkBudget(this.#opModel, this.left * fn.ops.length / Math.max(1, ops));
  }
}
