// SPDX-License-Identifier: Apache-2.0
import type { OpId } from "../graph/graph.ts";
import { isSharded } from "../layout/ttnn_layout.ts";
import type { OutputHint } from "../opmodel/op_model.ts";
import { type Hints, trimHints } from "./hints.ts";
import type { LayoutIds, OpImpl } from "./impls.ts";
import { LayoutCatalog } from "./layout_catalog.ts";
import type { OpEvaluator } from "./op_evaluator.ts";

/**
 * Implementations as tt-mlir's compiler asks for them (tt-mlir:memory-layout-propagation): those of the primary hints
 * and, if none of these is sharded, those of the sharded fallback hints, one per hint. There is no ladder of interleaved
 * results behind them, which only the optimizer document has.
 */
export class HintedImpls {
  /** Layouts in the compiler's order. */
  readonly catalog: LayoutCatalog;
  readonly #evaluator: OpEvaluator;
  /** By structure of op. */
  readonly #hints: Map<number, Hints> = new Map();
  readonly #known: Map<string, readonly OpImpl[]> = new Map();

  constructor(evaluator: OpEvaluator) {
    this.#evaluator = evaluator;
    const { opModel, layouts, limits } = evaluator;
    this.catalog = new LayoutCatalog(opModel.chip, layouts, limits, "as_compiler");
  }

  /** Every legal implementation of an op with the given operand layouts, in the order of the hints. */
  of(op: OpId, inputs: LayoutIds): readonly OpImpl[] {
    const evaluator = this.#evaluator;
    if (evaluator.isOverridden(op)) return evaluator.impls(op, inputs);
    const key = `${evaluator.structureId(op)}:${inputs.join()}`;
    return this.#known.getOrInsertComputed(key, () => this.#ask(op, inputs));
  }

  #ask(op: OpId, inputs: LayoutIds): readonly OpImpl[] {
    const { primary, fallback } = this.#hintsOf(op);
    const asked = primary.flatMap((hint) => this.#answer(op, inputs, hint));
    return asked.some((impl) => this.#isSharded(impl))
      ? asked
      : [...asked, ...fallback.flatMap((hint) => this.#answer(op, inputs, hint))];
  }

  #answer(op: OpId, inputs: LayoutIds, { layout, config }: OutputHint): readonly OpImpl[] {
    const impl = this.#evaluator.query(op, inputs, layout, config);
    return impl === undefined ? [] : [impl];
  }

  #isSharded({ outputs: [first] }: OpImpl): boolean {
    return first !== undefined && this.#evaluator.facts(first).isSharded;
  }

  #hintsOf(op: OpId): Hints {
    const evaluator = this.#evaluator;
    return this.#hints.getOrInsertComputed(evaluator.structureId(op), () => {
      const [result] = evaluator.op(op).results;
      const { tensor, layout } = result === undefined ? {} : evaluator.value(result);
      const legal = tensor === undefined || layout === undefined ? [] : this.catalog.legalOutputs(tensor, layout);
      const { primary, fallback } = evaluator.opModel.outputHints(evaluator.signature(op), legal);
      const { maxReshardCandidatesPerType } = evaluator.limits;
      const inShards = fallback.filter(({ layout }) =>
        layout !== undefined && isSharded(evaluator.layouts.get(layout))
      );
      return {
        primary,
        fallback: maxReshardCandidatesPerType === 0 ? trimHints(inShards, evaluator.layouts, 0) : inShards,
      };
    });
  }
}
