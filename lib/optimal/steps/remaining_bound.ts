// SPDX-License-Identifier: Apache-2.0
import type { GraphOp, OpId, ValueId } from "../../graph/graph.ts";
import type { LayoutId } from "../../layout/layout_table.ts";
import type { LayoutIds } from "../../search/ways.ts";
import type { Conversions, ConversionTable } from "../exploration/conversions.ts";
import { type Factor, ROUNDING } from "../elimination/factor.ts";
import { KnownMessages } from "../elimination/known_messages.ts";
import type { LayoutSpace } from "../exploration/layout_space.ts";
import { type FeedCosts, opFactor } from "../factors/op_factor.ts";
import type { Sharing } from "../factors/sharing.ts";
import { eliminateVariables } from "../elimination/variable_elimination.ts";

/** Joint choices that one elimination may examine. */
const MOST_WORK = 1_000_000;

/** A value that later steps may copy, and the fractions that its readers pay. */
interface Supplied {
  /** Layouts in which it exists; `undefined` if its op has not run yet. */
  readonly present: readonly LayoutId[] | undefined;
  readonly parts: ReadonlyMap<number, number>;
  readonly key: string;
}

/**
 * A lower bound on the remaining time of a function after some of its ops have run: layouts by variable
 * elimination with unlimited L1, starting from what exists. Each remaining reader pays a fraction of the
 * cheapest path from any existing layout, and the fractions of all remaining readers add up to 1.
 *
 * This is a bound because the copies that a plan still makes form trees with existing roots. The readers of a
 * copy pay at most their fractions of it, so together they never pay more than the plan does.
 */
export class RemainingBound {
  readonly #space: LayoutSpace;
  readonly #conversions: Conversions;
  readonly #sharings: ReadonlyMap<ValueId, Sharing>;
  readonly #known: Map<string, number> = new Map();
  readonly #factors: Map<string, Factor> = new Map();
  readonly #messages: KnownMessages = new KnownMessages();
  readonly #domains: readonly number[];

  constructor(space: LayoutSpace, conversions: Conversions, sharings: ReadonlyMap<ValueId, Sharing>) {
    this.#space = space;
    this.#conversions = conversions;
    this.#sharings = sharings;
    this.#domains = space.evaluator.fn.ops.map(({ id }) => space.table(id).outputs.length);
  }

  /** How many problems were solved. */
  get solved(): number {
    return this.#known.size;
  }

  /**
   * A time in µs that no continuation beats.
   *
   * @param isDone whether an op has run
   * @param presentOf layouts in which a value exists that is an argument or whose op has run
   */
  microseconds(isDone: (op: OpId) => boolean, presentOf: (value: ValueId) => readonly LayoutId[]): number {
    const { fn } = this.#space.evaluator;
    const supplied = fn.values.map(({ id }) => this.#suppliedBy(id, isDone, presentOf));
    const rest = fn.ops.filter(({ id }) => !isDone(id));
    const key = `${rest.map(({ id }) => id).join()}|${
      supplied.map(({ present, parts, key }) => present === undefined || parts.size === 0 ? "" : key).join(
        ";",
      )
    }`;
    let known = this.#known.get(key);
    if (known === undefined) {
      this.#space.evaluator.work.charge("stepBound", 1);
      const factors = [
        ...rest.map((op) => this.#factorOf(op, supplied)),
        ...new Set(fn.results).values().map((value) => this.#returnOf(value, supplied)),
      ];
      const { bound } = eliminateVariables(
        { domains: this.#domains, factors },
        { work: MOST_WORK },
        this.#messages,
      );
      this.#known.set(key, known = bound * (1 - ROUNDING));
    }
    return known;
  }

  #suppliedBy(
    value: ValueId,
    isDone: (op: OpId) => boolean,
    presentOf: (value: ValueId) => readonly LayoutId[],
  ): Supplied {
    const { definition, uses, returned } = this.#space.evaluator.value(value);
    const readers = uses.flatMap(({ op }, index) => isDone(op) ? [] : [index]);
    if (returned > 0) readers.push(uses.length);
    const sharing = this.#sharings.get(value);
    const weights = readers.map((reader) =>
      sharing === undefined || sharing.paid.length > 0 || sharing.tellsApart ? 1 : sharing.parts[reader] ?? 0
    );
    const sum = weights.reduce((total, weight) => total + weight, 0);
    const parts = new Map(
      readers.map((reader, index) =>
        [reader, sum > 0 ? (weights[index] ?? 0) / sum : 1 / readers.length] as const
      ),
    );
    const isMade = definition.kind === "argument" || isDone(definition.op);
    const present = isMade ? presentOf(value).toSorted((a, b) => a - b) : undefined;
    return { present, parts, key: `${value}:${present?.join() ?? ""}:${readers.join()}` };
  }

  #factorOf({ id, operands }: GraphOp, supplied: readonly Supplied[]): Factor {
    const key = `${id}|${operands.map((value) => supplied[value]?.key).join(";")}`;
    let factor = this.#factors.get(key);
    if (factor === undefined) {
      const { evaluator } = this.#space;
      const table = this.#space.table(id);
      const feeds = operands.map((value, operand) => {
        const reader = evaluator.value(value).uses.findIndex((use) =>
          use.op === id && use.operand === operand
        );
        return this.#feed(value, reader, table.reads[operand] ?? [undefined], supplied);
      });
      const { axes, table: costs } = opFactor(table, feeds);
      const variables = [...new Set(feeds.flatMap(({ variable }) => variable ?? []))].sort((a, b) => a - b);
      // Definitions come before uses, so the op's own variable is the last one.
      factor = { scope: [...axes.map((rank) => variables[rank] ?? -1), id], table: costs };
      this.#factors.set(key, factor);
    }
    return factor;
  }

  #returnOf(value: ValueId, supplied: readonly Supplied[]): Factor {
    const { declared } = this.#space.evaluator;
    const reader = this.#space.evaluator.value(value).uses.length;
    const { variable, microseconds } = this.#feed(value, reader, [declared[value]], supplied);
    return { scope: variable === undefined ? [] : [variable], table: microseconds };
  }

  /** What a reader of a value pays, by the choice of the value's op and the layout in which it may be read. */
  #feed(value: ValueId, reader: number, reads: LayoutIds, supplied: readonly Supplied[]): FeedCosts {
    const { definition } = this.#space.evaluator.value(value);
    const { present, parts } = supplied[value] ?? { present: undefined, parts: new Map<number, number>() };
    const part = parts.get(reader) ?? 0;
    const conversions = this.#conversionsOf(value);
    const pay = (from: LayoutId | undefined, to: LayoutId | undefined): number => {
      if (from === undefined || to === undefined || conversions === undefined) return 0;
      const us = conversions.microseconds(from, to);
      return us === Infinity ? us : part * us;
    };
    if (present !== undefined) {
      const roots: LayoutIds = present.length === 0 ? [undefined] : present;
      const costs = reads.map((to) => Math.min(...roots.map((from) => pay(from, to))));
      return { variable: undefined, choices: 1, microseconds: Float64Array.from(costs) };
    }
    if (definition.kind === "argument") throw new RangeError(`Value ${value} is not a result`);
    const { op, index } = definition;
    const { outputs } = this.#space.table(op);
    const costs = outputs.flatMap((made) => reads.map((to) => pay(made[index], to)));
    return { variable: op, choices: outputs.length, microseconds: Float64Array.from(costs) };
  }

  #conversionsOf(value: ValueId): ConversionTable | undefined {
    const { tensor } = this.#space.evaluator.value(value);
    return tensor === undefined ? undefined : this.#conversions.table(tensor, this.#space.layoutsOf(value));
  }
}
