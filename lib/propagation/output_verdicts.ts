// SPDX-License-Identifier: Apache-2.0
import type { LayoutIds } from "../layout/layout_table.ts";
import type { OpId, ValueId } from "../graph/graph.ts";
import type { OpEvaluator } from "../search/op_evaluator.ts";
import type { OpImpl } from "../search/impls.ts";

/** Verdict on one set of result layouts of an op. */
export interface OutputVerdict {
  /** Why results in these layouts are unusable; `undefined` if they are usable. */
  readonly refusal: string | undefined;
  /** µs of converting every returned result once to its declared layout; `Infinity` if refused. */
  readonly returnMicroseconds: number;
}

/**
 * Checks result layouts of an op against the requirements of its readers and `return`; caches the verdicts.
 */
export class OutputVerdicts {
  readonly #evaluator: OpEvaluator;
  readonly #results: readonly ValueId[];
  readonly #mustReach: LayoutIds;
  readonly #mayChangePages: boolean;
  readonly #verdicts: Map<number, OutputVerdict> = new Map();

  /**
   * @param mustReach by value: the layout to which it must be convertible
   * @param mayChangePages whether results may change between tiles and rows
   */
  constructor(
    evaluator: OpEvaluator,
    op: OpId,
    mustReach: LayoutIds,
    mayChangePages: boolean = false,
  ) {
    this.#mayChangePages = mayChangePages;
    this.#evaluator = evaluator;
    this.#results = evaluator.op(op).results;
    this.#mustReach = mustReach;
  }

  of({ outputs, outputsId }: Pick<OpImpl, "outputs" | "outputsId">): OutputVerdict {
    return this.#verdicts.getOrInsertComputed(outputsId, () => this.#verdictOf(outputs));
  }

  #verdictOf(outputs: LayoutIds): OutputVerdict {
    const evaluator = this.#evaluator;
    let returnMicroseconds = 0;
    for (const [index, value] of this.#results.entries()) {
      const { tensor, layout, returned } = evaluator.value(value);
      if (tensor === undefined || layout === undefined) continue;
      const refuse = (refusal: string): OutputVerdict => ({ refusal, returnMicroseconds: Infinity });
      const output = outputs[index];
      if (output === undefined) return refuse(`the layout of result ${index} is unknown`);
      if (!this.#mayChangePages && !evaluator.keepsPages(value, output)) {
        return refuse(`result ${index} changes between tiles and row-major pages`);
      }
      const target = this.#mustReach[value];
      if (target === undefined) continue;
      const reshard = evaluator.reshard(tensor, output, target);
      if (reshard === undefined) {
        return refuse(`result ${index} cannot be converted back to the layout that the input gives it`);
      }
      if (returned > 0) returnMicroseconds += reshard.microseconds;
    }
    return { refusal: undefined, returnMicroseconds };
  }
}
