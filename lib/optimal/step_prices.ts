// SPDX-License-Identifier: Apache-2.0
import type { OpId } from "../graph/graph.ts";
import type { LayoutId } from "../layout/layout_table.ts";
import type { TensorShape } from "../ops/op_signature.ts";
import { congestedOpMicroseconds } from "../search/congested_times.ts";
import type { OpEvaluator } from "../search/op_evaluator.ts";
import type { Choice } from "../search/ways.ts";
import type { Conversions } from "./conversions.ts";
import type { PlanStep } from "./stepped_program.ts";
import type { WayRow } from "./way_table.ts";

/**
 * What steps of plans take, in µs: first without congestion, which is known already and never more, and with congestion,
 * as finished plans are priced, from the first time on that it is asked for.
 */
export class StepPrices {
  readonly #evaluator: OpEvaluator;
  readonly #conversions: Conversions;
  readonly #congested: Map<OpId, Map<WayRow, number>> = new Map();

  constructor(evaluator: OpEvaluator, conversions: Conversions) {
    this.#evaluator = evaluator;
    this.#conversions = conversions;
  }

  /** µs of a way to run an op, as far as they are known. */
  ofRow(op: OpId, row: WayRow): number {
    return this.#congested.get(op)?.get(row) ?? row.microseconds;
  }

  /** The same with congestion. */
  ofCongestedRow(op: OpId, row: WayRow, choice: Choice): number {
    let known = this.#congested.get(op);
    if (known === undefined) this.#congested.set(op, known = new Map());
    let microseconds = known.get(row);
    if (microseconds === undefined) {
      microseconds = congestedOpMicroseconds(this.#evaluator, op, choice) ?? row.microseconds;
      known.set(row, microseconds);
    }
    return microseconds;
  }

  /** µs of a copy, as far as they are known; `Infinity` where it cannot be made. */
  ofCopy(tensor: TensorShape, from: LayoutId, to: LayoutId): number {
    return this.#conversions.direct(tensor, from, to);
  }

  /** The same with congestion. */
  ofCongestedCopy({ value, from, to }: Extract<PlanStep, { kind: "copy" }>): number {
    const { tensor } = this.#evaluator.value(value);
    if (tensor === undefined) throw new RangeError(`Cannot copy value ${value}: it is no tensor`);
    this.#conversions.addCongestion(tensor, from, to);
    return this.ofCopy(tensor, from, to);
  }

  /** Layouts on the cheapest way from one layout to another, priced with congestion; nothing where none leads there. */
  stops(
    tensor: TensorShape,
    layouts: readonly LayoutId[],
    from: LayoutId,
    to: LayoutId,
  ): readonly LayoutId[] {
    for (;;) {
      const table = this.#conversions.table(tensor, layouts);
      if (table.microseconds(from, to) === Infinity) return [];
      const path = table.path(from, to);
      const isDearer = path.slice(1).map((stop, index) =>
        this.#conversions.addCongestion(tensor, path[index] ?? from, stop)
      );
      if (!isDearer.includes(true)) return path;
    }
  }
}
