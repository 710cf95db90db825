// SPDX-License-Identifier: Apache-2.0
import type { OpId, ValueId } from "../graph/graph.ts";
import type { Assignment, Choice, LayoutIds } from "../search/ways.ts";
import { Conversions } from "./conversions.ts";
import type { Factor, FactorProblem } from "./factor.ts";
import type { LayoutSpace } from "./layout_space.ts";
import { type FeedCosts, type OpFactor, opFactor } from "./op_factor.ts";
import type { WayTable } from "./way_table.ts";

/**
 * Layout assignment without L1 capacity as a factor problem: a variable per op (which of its result layouts it makes),
 * a factor per op over it and the producers of its operands. The layouts in which operands are read are minimised out
 * of every factor beforehand.
 *
 * A conversion is shared by every reader that wants it, which no factor of single readers can say. Each reader is
 * charged the conversion's price divided by the number of readers of the value: together they never pay more than the
 * plan does, so that the least cost of the problem is a lower bound of the predicted time.
 */
export class LayoutProblem {
  readonly problem: FactorProblem;
  readonly #space: LayoutSpace;
  readonly #conversions: Conversions;
  readonly #feedByKey: Map<string, Float64Array> = new Map();
  readonly #keyOfTable: Map<WayTable, number> = new Map();

  constructor(space: LayoutSpace) {
    this.#space = space;
    this.#conversions = new Conversions(space.evaluator);
    const { fn } = space.evaluator;
    const factors: Factor[] = [];
    const known = new Map<string, OpFactor>();
    for (const op of fn.ops) {
      const table = space.table(op.id);
      const feeds = op.operands.map((value, operand) => this.#feed(value, table, operand));
      const key = this.#factorKey(table, feeds);
      let factor = known.get(key);
      if (factor === undefined) known.set(key, factor = opFactor(table, feeds.map(({ costs }) => costs)));
      factors.push({ scope: producersOf(feeds, factor, op.id), table: factor.table });
    }
    for (const value of fn.values) {
      if (value.returned === 0) continue;
      factors.push(this.#returnFactor(value.id));
    }
    this.problem = { domains: fn.ops.map((op) => space.table(op.id).outputs.length), factors };
  }

  /**
   * The assignment of a choice: every op runs in the cheapest way to get from what its producers make to what it makes.
   * An op that was not explored runs as the input has it.
   */
  assignment(choice: ArrayLike<number>, reason: string): Assignment {
    const { evaluator } = this.#space;
    return evaluator.fn.ops.map((op): Choice => {
      const table = this.#space.table(op.id);
      if (table.relaxed) {
        return evaluator.kept(op.id, "too many ways to run it: kept as the input has it");
      }
      const feeds = op.operands.map((value, operand) => {
        const { costs } = this.#feed(value, table, operand);
        const row = costs.variable === undefined ? 0 : choice[costs.variable] ?? 0;
        return costs.microseconds.subarray(row * (table.reads[operand]?.length ?? 1));
      });
      let best = table.rows[0];
      let least = Infinity;
      for (const row of table.rows) {
        if (row.output !== choice[op.id]) continue;
        let cost = row.microseconds;
        row.reads.forEach((read, operand) => cost += feeds[operand]?.[read] ?? 0);
        if (cost >= least) continue;
        least = cost;
        best = row;
      }
      if (best === undefined) return evaluator.kept(op.id, "kept as the input has it");
      return {
        inputs: best.reads.map((read, operand) => table.reads[operand]?.[read]),
        outputs: table.outputs[best.output] ?? [],
        config: best.config,
        reasons: [reason],
      };
    });
  }

  /** Costs of bringing a value into the layouts that an op may read it in. */
  #feed(
    value: ValueId,
    table: WayTable,
    operand: number,
  ): { readonly costs: FeedCosts; readonly key: string } {
    const reads = table.reads[operand] ?? [undefined];
    const births = this.#births(value);
    const key = `${this.#kindOf(value)}:${births.layouts.join()}>${reads.join()}`;
    let microseconds = this.#feedByKey.get(key);
    if (microseconds === undefined) {
      microseconds = this.#prices(value, births.layouts, reads);
      this.#feedByKey.set(key, microseconds);
    }
    const choices = births.layouts.length;
    return { costs: { variable: choices > 1 ? births.op : undefined, choices, microseconds }, key };
  }

  #prices(
    value: ValueId,
    births: LayoutIds,
    reads: LayoutIds,
  ): Float64Array {
    const prices = new Float64Array(births.length * reads.length);
    const { tensor } = this.#space.evaluator.value(value);
    if (tensor === undefined) return prices;
    const table = this.#conversions.table(tensor, this.#space.layoutsOf(value));
    const readers = this.#readersOf(value);
    births.forEach((from, birth) =>
      reads.forEach((to, read) => {
        if (from === undefined || to === undefined) return;
        prices[birth * reads.length + read] = table.microseconds(from, to) / readers;
      })
    );
    return prices;
  }

  /** Shape, format, layouts and number of readers: values of one kind have equal prices. */
  #kindOf(value: ValueId): string {
    const { tensor } = this.#space.evaluator.value(value);
    if (tensor === undefined) return "-";
    const layouts = this.#space.layoutsOf(value).join();
    return `${tensor.shape.join("x")}:${tensor.dataType}:${this.#readersOf(value)}:${layouts}`;
  }

  /** Readers that may share a conversion of the value: every use, and `return`. */
  #readersOf(value: ValueId): number {
    const { uses, returned } = this.#space.evaluator.value(value);
    return Math.max(1, uses.length + (returned > 0 ? 1 : 0));
  }

  /** Layout per choice of the op that makes a value; the only layout of a value that no op makes. */
  #births(value: ValueId): { readonly op: OpId | undefined; readonly layouts: LayoutIds } {
    const { evaluator } = this.#space;
    const { definition } = evaluator.value(value);
    if (definition.kind === "argument") return { op: undefined, layouts: [evaluator.declared[value]] };
    const { op, index } = definition;
    return { op, layouts: this.#space.table(op).outputs.map((outputs) => outputs[index]) };
  }

  #returnFactor(value: ValueId): Factor {
    const births = this.#births(value);
    const to = this.#space.evaluator.declared[value];
    const wait = to === undefined
      ? 0
      : this.#space.lastWait.ofReturn(value, this.#space.layoutsOf(value), to);
    const table = this.#prices(value, births.layouts, [to]).map((us) => Math.max(0, us - wait));
    return { scope: births.op === undefined ? [] : [births.op], table };
  }

  #factorKey(table: WayTable, feeds: readonly { readonly costs: FeedCosts; readonly key: string }[]): string {
    let id = this.#keyOfTable.get(table);
    if (id === undefined) this.#keyOfTable.set(table, id = this.#keyOfTable.size);
    const variables = feeds.map(({ costs }) => costs.variable ?? -1);
    const ranks = [...new Set(variables)].sort((a, b) => a - b);
    return `${id}|${feeds.map(({ key }) => key).join("|")}|${
      variables.map((variable) => variable < 0 ? -1 : ranks.indexOf(variable)).join()
    }`;
  }
}

/** The scope of an op's factor: producers that the (possibly shared) table has axes for, then the op. */
function producersOf(
  feeds: readonly { readonly costs: FeedCosts }[],
  factor: OpFactor,
  op: OpId,
): readonly number[] {
  const variables = feeds.flatMap(({ costs }) => costs.variable === undefined ? [] : [costs.variable]);
  const ascending = [...new Set(variables)].sort((a, b) => a - b);
  return [...factor.axes.map((rank) => ascending[rank] ?? -1), op];
}
