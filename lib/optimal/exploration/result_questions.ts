// SPDX-License-Identifier: Apache-2.0
import type { OpId } from "../../graph/graph.ts";
import type { LayoutId, LayoutIds } from "../../layout/layout_table.ts";
import type { OpEvaluator } from "../../search/op_evaluator.ts";
import type { OpImpl } from "../../search/impls.ts";

/** State of the queries of an op for one result. */
interface AskedResult {
  /** Per operand, by index in the table: equal for layouts that the op reads in the same way for that result. */
  readonly asRead: readonly (readonly number[])[];
  /** Answers by the operands as they are read. */
  readonly impls: Map<number, OpImpl | undefined>;
}

/**
 * Queries for a given result, once per class of operands with equal answers. A sum that reads shards by
 * address, for example, does not depend on their cores: its thousands of operand combinations have about a
 * dozen answers.
 */
export class ResultQuestions {
  readonly #evaluator: OpEvaluator;
  readonly #op: OpId;
  readonly #reads: readonly LayoutIds[];
  readonly #byResult: Map<LayoutId, AskedResult | undefined> = new Map();

  /** @param reads layouts per operand; combinations are indices into these */
  constructor(evaluator: OpEvaluator, op: OpId, reads: readonly LayoutIds[]) {
    this.#evaluator = evaluator;
    this.#op = op;
    this.#reads = reads;
  }

  /**
   * The answer of the op model; `undefined` if it refuses.
   *
   * @param combination per operand: an index into its layouts
   * @param inputs the layouts themselves
   */
  query(combination: readonly number[], inputs: LayoutIds, result: LayoutId): OpImpl | undefined {
    const ask = (): OpImpl | undefined =>
      this.#evaluator.impl(this.#op, inputs, { layout: result, config: undefined });
    const asked = this.#askedFor(result);
    if (asked === undefined) return ask();
    const { asRead, impls } = asked;
    let key = 0;
    for (let operand = 0; operand < combination.length; operand++) {
      key = key * (this.#reads[operand]?.length ?? 1) + (asRead[operand]?.[combination[operand] ?? 0] ?? 0);
    }
    let impl = impls.get(key);
    if (impl !== undefined || impls.has(key)) return impl;
    impl = ask();
    // If another result comes out than requested, the price may depend on the operands, so the answer is not cached.
    if (impl === undefined || impl.outputs[0] === result) impls.set(key, impl);
    return impl;
  }

  /** `undefined` if the answer depends on the complete layouts of all operands. */
  #askedFor(result: LayoutId): AskedResult | undefined {
    if (this.#byResult.has(result)) return this.#byResult.get(result);
    const asked = this.#readsBeside(result);
    this.#byResult.set(result, asked);
    return asked;
  }

  #readsBeside(result: LayoutId): AskedResult | undefined {
    const { opModel } = this.#evaluator;
    const combinations = this.#reads.reduce((product, layouts) => product * layouts.length, 1);
    if (this.#evaluator.overrides.isOverridden(this.#op) || combinations > Number.MAX_SAFE_INTEGER) {
      return undefined;
    }
    const signature = this.#evaluator.signature(this.#op);
    let isShared = false;
    const asRead = this.#reads.map((layouts, operand) => {
      const first = new Map<LayoutId | undefined, number>();
      return layouts.map((layout, index) => {
        const read = layout === undefined
          ? undefined
          : opModel.operandAsRead(signature, operand, layout, result);
        const cached = first.get(read);
        if (cached === undefined) first.set(read, index);
        else isShared = true;
        return cached ?? index;
      });
    });
    return isShared ? { asRead, impls: new Map() } : undefined;
  }
}
