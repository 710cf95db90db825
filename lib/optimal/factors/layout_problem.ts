// SPDX-License-Identifier: Apache-2.0
import { COPIES_A_ROUND } from "../limits.ts";
import type { OpId, ValueId } from "../../graph/graph.ts";
import type { LayoutId } from "../../layout/layout_table.ts";
import { choiceFor, producedLayout, readLayouts } from "../../search/assignment.ts";
import type { Assignment, Choice } from "../../search/impls.ts";
import type { Conversions } from "../exploration/conversions.ts";
import { type Factor, type FactorProblem, ROUNDING } from "../elimination/factor.ts";
import type { LayoutSpace } from "../exploration/layout_space.ts";
import type { Placing } from "../addresses/address_search.ts";
import type { WaitingLayoutOf } from "../addresses/placed_program.ts";
import { PlacedProgram } from "../addresses/placed_program.ts";
import { ProblemParts } from "./problem_parts.ts";
import type { ProblemTerms } from "./problem_terms.ts";
import { sharesOf } from "./shared_value.ts";
import type { SharedCharge } from "./sharing.ts";
import type { Impl, ImplTable } from "../exploration/impl_table.ts";

/**
 * Layout assignment as a factor problem, without L1 capacity except the caps in {@linkcode ProblemTerms}: one
 * variable per op (its result layouts), one factor per op over its variable and those of its operands'
 * producers, and one factor per returned value. The layouts in which operands are read are minimized out of
 * every factor. If an op's factor would have too many entries, the row of its table is a variable as well.
 *
 * Readers share conversions, which factors of single readers cannot express. Each reader r is charged a
 * fraction s_r of a conversion's price, Σ_r s_r ≤ 1, so the least cost of the problem is a lower bound of the
 * predicted time. A value with copies that are paid in full gets a further variable, whose choice is
 * the copy tree of the value ({@linkcode SharedValue}).
 */
export class LayoutProblem {
  readonly problem: FactorProblem;
  readonly #space: LayoutSpace;
  readonly #conversions: Conversions;
  readonly #parts: ProblemParts;

  /**
   * @param previous a problem of the same space and conversions, whose equal factors are reused
   */
  constructor(
    space: LayoutSpace,
    conversions: Conversions,
    terms: ProblemTerms = {},
    previous?: LayoutProblem,
  ) {
    this.#space = space;
    this.#conversions = conversions;
    const { fn } = space.evaluator;
    const earlier = previous === undefined ? undefined : previous.#parts;
    this.#parts = new ProblemParts(space, conversions, terms, earlier);
    const { domains } = this.#parts;
    const factors = [...this.#parts.factors];
    for (const value of fn.values) {
      if (value.returned > 0) factors.push(this.#returnFactor(value.id));
    }
    this.problem = { domains, factors };
  }

  /**
   * The assignment for a choice: every op runs in its cheapest implementation between the layouts of its
   * producers and its own result. A relaxed op, and an op without a row for the choice, runs as in the input.
   */
  assignment(choice: ArrayLike<number>, reason: string): Assignment {
    const { evaluator } = this.#space;
    return evaluator.fn.ops.map((op): Choice => {
      const table = this.#parts.table(op.id);
      if (table.relaxed) {
        return evaluator.kept(op.id, "too many ways to run it: kept as in the input");
      }
      const best = this.#bestRow(op.id, table, choice);
      if (best === undefined) return evaluator.kept(op.id, "kept as in the input");
      return this.#space.choiceOf(table, best, reason);
    });
  }

  /** The cheapest row of an op for the choices of its producers and its own; of equal ones the first. */
  #bestRow(op: OpId, table: ImplTable, choice: ArrayLike<number>): Impl | undefined {
    const operandCosts = this.#parts.operandCostsOf(op);
    const copyTrees = operandCosts.map(({ costs: { variable } }) =>
      variable === undefined ? 0 : choice[variable] ?? 0
    );
    const output = choice[op];
    const key = `${this.#parts.cache.idOf(table)}>${output}|${
      operandCosts.map(({ id }, operand) => `${id}:${copyTrees[operand]}`).join()
    }`;
    return this.#parts.cache.bestRow(key, () => {
      const prices = operandCosts.map(({ costs: { microseconds } }, operand) =>
        microseconds.subarray((copyTrees[operand] ?? 0) * (table.reads[operand]?.length ?? 1))
      );
      let best: Impl | undefined;
      let least = Infinity;
      // Without an iterator, because tables have tens of thousands of rows.
      for (let at = 0; at < table.rows.length; at++) {
        const row = table.rows[at];
        if (row === undefined || row.output !== output) continue;
        let cost = row.microseconds;
        for (let operand = 0; operand < prices.length; operand++) {
          cost += prices[operand]?.[row.reads[operand] ?? -1] ?? 0;
        }
        if (cost >= least) continue;
        least = cost;
        best = row;
      }
      return best;
    });
  }

  /**
   * µs of an assignment, by the space's prices of ops and the prices of direct conversions. A conversion of a
   * value into one layout counts once for all its readers. Prices in {@linkcode ProblemTerms} do not apply.
   */
  microseconds(assignment: Assignment): number {
    const { evaluator } = this.#space;
    let microseconds = 0;
    for (const { id } of evaluator.fn.ops) {
      microseconds += this.#space.microseconds(id, choiceFor(assignment, id));
    }
    for (const { id } of evaluator.fn.values) {
      const producedIn = producedLayout(evaluator, assignment, id);
      if (producedIn === undefined) continue;
      for (const layout of readLayouts(evaluator, assignment, id)) {
        microseconds += this.#moveMicroseconds(id, producedIn, layout);
      }
    }
    return microseconds;
  }

  /**
   * Adds congestion to the prices of the ops and conversions of an assignment, in the space and in the
   * conversion tables. @returns whether any price increased
   */
  addCongestion(assignment: Assignment): boolean {
    const { evaluator } = this.#space;
    let isDearer = false;
    for (const { id } of evaluator.fn.ops) {
      if (this.#space.addCongestion(id, choiceFor(assignment, id))) isDearer = true;
    }
    for (const { id, tensor } of evaluator.fn.values) {
      const producedIn = producedLayout(evaluator, assignment, id);
      if (producedIn === undefined || tensor === undefined) continue;
      for (const to of readLayouts(evaluator, assignment, id)) {
        // The charged path may be a detour, whereas the plan makes the direct move.
        const path = this.#conversions.table(tensor, this.#space.layoutsOf(id)).path(producedIn, to);
        const moves = [
          [producedIn, to] as const,
          ...path.slice(1).map((next, at) => [path[at] ?? producedIn, next] as const),
        ];
        for (const [from, next] of moves) {
          if (this.#conversions.addCongestion(tensor, from, next)) isDearer = true;
        }
      }
    }
    return isDearer;
  }

  #moveMicroseconds(value: ValueId, from: LayoutId, to: LayoutId): number {
    const { tensor } = this.#space.evaluator.value(value);
    return tensor === undefined ? 0 : this.#conversions.direct(tensor, from, to);
  }

  /**
   * Values whose copies cost more than an assignment is charged for them.
   *
   * @param choice that the assignment was read from
   */
  undercharged(choice: ArrayLike<number>, assignment: Assignment): readonly SharedCharge[] {
    const { evaluator } = this.#space;
    return evaluator.fn.values.flatMap(({ id, tensor, uses, returned }): SharedCharge[] => {
      const { shared, sharing, variable } = this.#parts.source(id);
      if (tensor === undefined || sharing.shares.length < 2) return [];
      const reads = uses.map(({ op, operand }) => choiceFor(assignment, op).inputs[operand]);
      if (returned > 0) reads.push(evaluator.declared[id]);
      const copyTree = shared.copyTrees[variable === undefined ? 0 : choice[variable] ?? 0];
      const producedIn = producedLayout(evaluator, assignment, id);
      if (copyTree === undefined || producedIn === undefined) return [];
      const charged = reads.reduce(
        (us: number, read, reader) => us + shared.shareOf(copyTree, reader, read),
        0,
      );
      const copies = [...new Set(reads)].flatMap((to) => to === undefined || to === producedIn ? [] : [to]);
      const paid = copies.reduce((us, to) => us + this.#moveMicroseconds(id, producedIn, to), 0);
      if (paid <= charged * (1 + ROUNDING)) return [];
      const isOther = typeof copyTree.branch === "string";
      const payNext = isOther
        ? copies.flatMap((to) => shared.intermediatesBetween(producedIn, to).slice(0, COPIES_A_ROUND))
        : [];
      return [{ value: id, sharing, payNext: [...new Set(payNext)] }];
    });
  }

  readonly #waitingLayoutOf: WaitingLayoutOf = (value, producedIn, reader, to, candidates) =>
    this.#parts.source(value).shared.waitingLayoutOf(producedIn, reader, to, candidates);

  /** An assignment of this problem as a program in which values wait in the layouts that they are charged for. */
  placed(assignment: Assignment, placing: Placing): PlacedProgram {
    return new PlacedProgram(this.#space, assignment, placing, this.#waitingLayoutOf);
  }

  #returnFactor(value: ValueId): Factor {
    const { variable, shared, sharing } = this.#parts.source(value);
    const to = this.#space.evaluator.declared[value];
    const table = this.#parts.cache.one(sharesOf(shared, sharing.shares.length - 1, [to]));
    return { scope: variable === undefined ? [] : [variable], table };
  }
}
