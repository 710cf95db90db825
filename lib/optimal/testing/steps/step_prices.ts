// SPDX-License-Identifier: Apache-2.0
import type { TimedProgram } from "../../../cost/dispatcher.ts";
import type { OpId } from "../../../graph/graph.ts";
import type { LayoutId } from "../../../layout/layout_table.ts";
import type { TensorShape } from "../../../ops/op_signature.ts";
import { congestedOpMicroseconds } from "../../../search/congested_times.ts";
import type { OpEvaluator } from "../../../search/op_evaluator.ts";
import type { Choice } from "../../../search/impls.ts";
import type { Conversions } from "../../exploration/conversions.ts";
import type { Impl } from "../../exploration/impl_table.ts";

/** The price of something that no single program does. */
const IMPOSSIBLE: TimedProgram = { microseconds: Infinity, bound: "SLOW", terms: { launch: 0 } };

/**
 * Prices of steps in µs: first without congestion, which is already known and never higher; after the first
 * request with congestion, as finished plans are priced.
 */
export class StepPrices {
  readonly #evaluator: OpEvaluator;
  readonly #conversions: Conversions;
  readonly #rows: WeakMap<Impl, TimedProgram> = new WeakMap();
  readonly #congested: Map<OpId, Map<Impl, TimedProgram>> = new Map();

  constructor(evaluator: OpEvaluator, conversions: Conversions) {
    this.#evaluator = evaluator;
    this.#conversions = conversions;
  }

  /** An implementation of an op, with its µs as far as known. */
  ofRow(op: OpId, row: Impl, choice: Choice): TimedProgram {
    return this.#congested.get(op)?.get(row) ?? this.#timed(op, row, choice);
  }

  /** The same with congestion. */
  ofCongestedRow(op: OpId, row: Impl, choice: Choice): TimedProgram {
    let cached = this.#congested.get(op);
    if (cached === undefined) this.#congested.set(op, cached = new Map());
    let program = cached.get(row);
    if (program === undefined) {
      const timed = this.#timed(op, row, choice);
      const microseconds = congestedOpMicroseconds(this.#evaluator, op, choice) ?? row.microseconds;
      cached.set(row, program = { ...timed, microseconds });
    }
    return program;
  }

  #timed(op: OpId, row: Impl, { inputs, ...chosen }: Choice): TimedProgram {
    let program = this.#rows.get(row);
    if (program === undefined) {
      const { cost } = this.#evaluator;
      const { config } = this.#evaluator.footprint(op, inputs, chosen);
      const { bound, terms } = cost.getOpRuntime(
        this.#evaluator.signature(op),
        inputs,
        chosen.outputs,
        config,
      );
      this.#rows.set(row, program = { microseconds: row.microseconds, bound, terms });
    }
    return program;
  }

  /** A copy, with its µs as far as known; `Infinity` if it cannot be made. */
  ofCopy(tensor: TensorShape, from: LayoutId, to: LayoutId): TimedProgram {
    const microseconds = this.#conversions.direct(tensor, from, to);
    if (microseconds === Infinity) return IMPOSSIBLE;
    const { bound, terms } = this.#evaluator.cost.getReshardRuntime(tensor, from, to);
    return { microseconds, bound, terms };
  }

  /** The same with congestion. */
  ofCongestedCopy(tensor: TensorShape, from: LayoutId, to: LayoutId): TimedProgram {
    this.#conversions.addCongestion(tensor, from, to);
    return this.ofCopy(tensor, from, to);
  }

  /** Layouts on the cheapest path from one layout to another, priced with congestion; empty if there is no path. */
  intermediates(
    tensor: TensorShape,
    layouts: readonly LayoutId[],
    from: LayoutId,
    to: LayoutId,
  ): readonly LayoutId[] {
    for (;;) {
      const table = this.#conversions.table(tensor, layouts);
      if (table.microseconds(from, to) === Infinity) return [];
      const path = table.path(from, to);
      const isDearer = path.slice(1).map((intermediate, index) =>
        this.#conversions.addCongestion(tensor, path[index] ?? from, intermediate)
      );
      if (!isDearer.includes(true)) return path;
    }
  }
}
