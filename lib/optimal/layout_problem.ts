// SPDX-License-Identifier: Apache-2.0
import type { OpId, ValueId } from "../graph/graph.ts";
import type { LayoutId } from "../layout/layout_table.ts";
import { bornLayout, choiceFor, readLayouts } from "../search/assignment.ts";
import type { OpEvaluator } from "../search/op_evaluator.ts";
import type { Assignment, Choice, LayoutIds } from "../search/ways.ts";
import type { Conversions, ConversionTable } from "./conversions.ts";
import { type Factor, type FactorProblem, inScopeOrder, ROUNDING } from "./factor.ts";
import { type Ending, isWithWait } from "./hidden_waits.ts";
import type { LayoutSpace } from "./layout_space.ts";
import { type FeedCosts, opFactor } from "./op_factor.ts";
import { KnownFactors } from "./known_factors.ts";
import { cappedReaders, type L1Caps, type L1Row, NO_CAPS } from "./l1_branching.ts";
import { type CarrierOf, l1Rows } from "./l1_rows.ts";
import { PlacedProgram } from "./placed_program.ts";
import { type MayWait, SharedValue } from "./shared_value.ts";
import { equalParts, type SharedCharge, type Sharing } from "./sharing.ts";
import type { WayRow, WayTable } from "./way_table.ts";

/** Copies that one round of tightening adds for one that is charged too little for. */
const COPIES_A_ROUND = 4;

/** What is no tensor is read in no layout. */
const NO_LAYOUT: LayoutIds = [undefined];

/** What an operand of an op costs, and a number that is equal for equal prices. */
interface Feed {
  readonly costs: FeedCosts;
  readonly id: number;
}

/** How the readers of a value are served: a variable of the problem and what each of its choices stands for. */
interface Source {
  /** `undefined` where there is no choice. */
  readonly variable: number | undefined;
  readonly shared: SharedValue;
  readonly sharing: Sharing;
  /** Equal for values with equal prices. */
  readonly key: string;
}

/**
 * Layout assignment without L1 capacity as a factor problem: a variable per op (which of its result layouts it makes),
 * a factor per op over it and the producers of its operands. The layouts in which operands are read are minimised out
 * of every factor beforehand.
 *
 * A conversion is shared by every reader that wants it, which no factor of single readers can say. Each reader is
 * charged a part of the conversion's price: together they never pay more than the plan does, so that the least cost of
 * the problem is a lower bound of the predicted time. A value with paid copies has a variable of its own, which of them
 * is made, and charges what the plan does ({@linkcode SharedValue}).
 */
export class LayoutProblem {
  readonly problem: FactorProblem;
  readonly #space: LayoutSpace;
  readonly #conversions: Conversions;
  readonly #caps: L1Caps | undefined;
  readonly #cappedTables: Map<OpId, WayTable> = new Map();
  readonly #sources: readonly Source[];
  readonly #known: KnownFactors;
  /** Per op, what its operands cost. */
  readonly #feeds: readonly (readonly Feed[])[];
  /** The cheapest rows found by table, by what producers and op choose. */
  readonly #bestRows: Map<string, WayRow | undefined> = new Map();

  /** @param previous a problem of the same space and conversions, whose factors are taken over where they are equal */
  constructor(
    space: LayoutSpace,
    conversions: Conversions,
    sharings: ReadonlyMap<ValueId, Sharing> = new Map(),
    caps?: L1Caps,
    previous?: LayoutProblem,
  ) {
    this.#known = new KnownFactors(previous === undefined ? undefined : previous.#known);
    this.#space = space;
    this.#caps = caps;
    this.#conversions = conversions;
    const { fn } = space.evaluator;
    const domains = fn.ops.map((op) => space.table(op.id).outputs.length);
    const factors: Factor[] = [];
    this.#sources = fn.values.map(({ id }) => {
      const waits = caps === undefined ? undefined : cappedReaders(caps, id);
      const readers = readersOf(space.evaluator, id);
      const tightened = sharings.get(id);
      const sharing = tightened ?? equalParts(readers);
      const births = this.#births(id);
      const table = this.#conversionsOf(id);
      const prices = table === undefined ? "-" : this.#known.idOf(table);
      const key = `${prices}:${readers}:${births.layouts.join()}:${sharing.paid.join()}:${
        waits === undefined
          ? ""
          : `${[...caps?.values.get(id) ?? []].join(";")}!${[...caps?.moved.get(id) ?? []].join(";")}`
      }`;
      const parts = tightened === undefined ? "=" : tightened.parts.join();
      const shared = this.#known.value(
        `${key}*${parts}`,
        () => this.#sharedValue(id, births.layouts, table, sharing, waits),
      );
      if (sharing.paid.length === 0) {
        return { variable: births.layouts.length > 1 ? births.op : undefined, shared, sharing, key };
      }
      const variable = domains.push(shared.supplies.length) - 1;
      const supply = supplyFactor(births.op, births.layouts.length, variable, shared);
      factors.push({ scope: supply.scope, table: this.#known.one(supply.table) });
      return { variable, shared, sharing, key };
    });
    this.#feeds = fn.ops.map((op) => {
      const { reads } = this.#table(op.id);
      return op.operands.map((value, operand) =>
        this.#feed(op.id, operand, value, reads[operand] ?? NO_LAYOUT)
      );
    });
    for (const { id } of fn.ops) {
      const feeds = this.#feedsOf(id);
      const table = this.#table(id);
      const factor = this.#known.factor(this.#factorKey(id, table, feeds), () => {
        const { axes, table: costs } = opFactor(table, feeds.map(({ costs }) => costs));
        return { axes, table: inScopeOrder(scopeOf(feeds, axes, id), costs, domains).table };
      });
      factors.push({
        scope: scopeOf(feeds, factor.axes, id).toSorted((a, b) => a - b),
        table: factor.table,
      });
    }
    for (const value of fn.values) {
      if (value.returned > 0) factors.push(this.#returnFactor(value.id));
    }
    for (const ending of space.endings) factors.push(this.#endingFactor(ending));
    this.problem = { domains, factors };
    this.#known.forgetEarlier();
  }

  /**
   * The assignment of a choice: every op runs in the cheapest way to get from what its producers make to what it makes.
   * An op that was not explored runs as the input has it.
   */
  assignment(choice: ArrayLike<number>, reason: string): Assignment {
    const { evaluator } = this.#space;
    const chosen = new Map<WayRow, Choice>();
    return evaluator.fn.ops.map((op): Choice => {
      const table = this.#table(op.id);
      if (table.relaxed) {
        return evaluator.kept(op.id, "too many ways to run it: kept as the input has it");
      }
      const best = this.#bestRow(op.id, table, choice);
      if (best === undefined) return evaluator.kept(op.id, "kept as the input has it");
      let own = chosen.get(best);
      if (own === undefined) {
        own = {
          inputs: best.reads.map((read, operand) => table.reads[operand]?.[read]),
          outputs: table.outputs[best.output] ?? [],
          config: best.config,
          reasons: [reason],
        };
        chosen.set(best, own);
      }
      return own;
    });
  }

  /** The row of an op that costs least for what its producers and itself choose; of equals the first. */
  #bestRow(op: OpId, table: WayTable, choice: ArrayLike<number>): WayRow | undefined {
    const feeds = this.#feedsOf(op);
    const supplies = feeds.map(({ costs: { variable } }) =>
      variable === undefined ? 0 : choice[variable] ?? 0
    );
    const output = choice[op];
    const key = `${this.#known.idOf(table)}>${output}|${
      feeds.map(({ id }, operand) => `${id}:${supplies[operand]}`).join()
    }`;
    let best = this.#bestRows.get(key);
    if (best !== undefined || this.#bestRows.has(key)) return best;
    const prices = feeds.map(({ costs: { microseconds } }, operand) =>
      microseconds.subarray((supplies[operand] ?? 0) * (table.reads[operand]?.length ?? 1))
    );
    let least = Infinity;
    for (const row of table.rows) {
      if (row.output !== output) continue;
      let cost = row.microseconds;
      for (let operand = 0; operand < prices.length; operand++) {
        cost += prices[operand]?.[row.reads[operand] ?? -1] ?? 0;
      }
      if (cost >= least) continue;
      least = cost;
      best = row;
    }
    this.#bestRows.set(key, best);
    return best;
  }

  /** The last op that takes time has its wait where something follows it before the end. */
  #endingFactor(ending: Ending): Factor {
    const { op, value } = ending;
    const { op: producer, layouts } = this.#births(value);
    const isReturned = layouts.map((born) => born === this.#space.evaluator.declared[value]);
    const table = this.#space.table(op);
    const mayBeHidden = table.outputs.map((made, output) =>
      isWithWait(table, output) ? undefined : this.#space.mayEndWith(ending, made)
    );
    const priceOf = (isLast: boolean | undefined, returned: boolean | undefined): number =>
      isLast === undefined || (isLast && returned === true) ? 0 : Infinity;
    if (producer === undefined || producer === op) {
      const costs = mayBeHidden.map((isLast, output) => priceOf(isLast, isReturned[output]));
      return { scope: [op], table: Float64Array.from(costs) };
    }
    const costs = mayBeHidden.flatMap((isLast) => isReturned.map((returned) => priceOf(isLast, returned)));
    return { scope: [op, producer], table: Float64Array.from(costs) };
  }

  /** µs of an assignment by the prices of the problem, every shared conversion once. */
  microseconds(assignment: Assignment): number {
    const { evaluator } = this.#space;
    let microseconds = 0;
    for (const ending of this.#space.endings) {
      const { op, value } = ending;
      const { inputs, ...chosen } = choiceFor(assignment, op);
      const isReturned = bornLayout(evaluator, assignment, value) === evaluator.declared[value];
      if (isReturned && this.#space.mayEndWith(ending, chosen.outputs)) continue;
      microseconds += Math.max(
        0,
        evaluator.runtime(op, inputs, chosen) - evaluator.ownMicroseconds(op, inputs, chosen),
      );
    }
    for (const { id } of evaluator.fn.ops) {
      microseconds += this.#space.microseconds(id, choiceFor(assignment, id));
    }
    for (const { id } of evaluator.fn.values) {
      const born = bornLayout(evaluator, assignment, id);
      if (born === undefined) continue;
      for (const layout of readLayouts(evaluator, assignment, id)) {
        microseconds += this.#moveMicroseconds(id, born, layout);
      }
    }
    return microseconds;
  }

  /** Prices what an assignment does with congestion from now on; whether any price is higher than before. */
  addCongestion(assignment: Assignment): boolean {
    const { evaluator } = this.#space;
    let isDearer = false;
    for (const { id } of evaluator.fn.ops) {
      if (this.#space.addCongestion(id, choiceFor(assignment, id))) isDearer = true;
    }
    for (const { id, tensor } of evaluator.fn.values) {
      const born = bornLayout(evaluator, assignment, id);
      if (born === undefined || tensor === undefined) continue;
      const hidesWait = this.#space.mayHideWait(id);
      for (const to of readLayouts(evaluator, assignment, id)) {
        // What is charged may be a detour, what is made is the direct move.
        const path = this.#conversions.table(tensor, this.#space.layoutsOf(id), hidesWait).path(born, to);
        const moves = [
          [born, to] as const,
          ...path.slice(1).map((next, at) => [path[at] ?? born, next] as const),
        ];
        for (const [from, next] of moves) {
          if (this.#conversions.addCongestion(tensor, from, next, hidesWait)) isDearer = true;
        }
      }
    }
    return isDearer;
  }

  #moveMicroseconds(value: ValueId, from: LayoutId, to: LayoutId): number {
    const { tensor } = this.#space.evaluator.value(value);
    return tensor === undefined
      ? 0
      : this.#conversions.direct(tensor, from, to, this.#space.mayHideWait(value));
  }

  /**
   * Values whose copies an assignment is charged less for than they cost.
   *
   * @param choice what the assignment was read from
   */
  undercharged(choice: ArrayLike<number>, assignment: Assignment): readonly SharedCharge[] {
    const { evaluator } = this.#space;
    return evaluator.fn.values.flatMap(({ id, tensor, uses, returned }): SharedCharge[] => {
      const { shared, sharing, variable } = this.#source(id);
      if (tensor === undefined || sharing.parts.length < 2) return [];
      const reads = uses.map(({ op, operand }) => choiceFor(assignment, op).inputs[operand]);
      if (returned > 0) reads.push(evaluator.declared[id]);
      const supply = shared.supplies[variable === undefined ? 0 : choice[variable] ?? 0];
      const born = bornLayout(evaluator, assignment, id);
      if (supply === undefined || born === undefined) return [];
      const charged = reads.reduce(
        (us: number, read, reader) => us + shared.shareOf(supply, reader, read),
        shared.priceOf(supply),
      );
      const copies = [...new Set(reads)].flatMap((to) => to === undefined || to === born ? [] : [to]);
      const paid = copies.reduce((us, to) => us + this.#moveMicroseconds(id, born, to), 0);
      if (paid <= charged * (1 + ROUNDING)) return [];
      const isOther = supply.copy === undefined;
      const payNext = isOther
        ? copies.flatMap((to) => shared.stopsBetween(born, to).slice(0, COPIES_A_ROUND))
        : [];
      const paths = isOther ? reads.map((to) => shared.pathOf(born, to)) : reads.map(() => 0);
      return [{ value: id, sharing, paths, payNext: [...new Set(payNext)] }];
    });
  }

  #source(value: ValueId): Source {
    const source = this.#sources[value];
    if (source === undefined) throw new RangeError(`Cannot look up value ${value}: it does not exist`);
    return source;
  }

  /** The ways of an op that its cap lets through. */
  #table(op: OpId): WayTable {
    const table = this.#space.table(op);
    const cap = this.#caps?.ops.get(op);
    if (cap === undefined) return table;
    let capped = this.#cappedTables.get(op);
    if (capped === undefined) {
      capped = { ...table, rows: table.rows.filter(({ l1Bytes }) => l1Bytes <= cap) };
      this.#cappedTables.set(op, capped);
    }
    return capped;
  }

  /** What an assignment of this problem needs at least of L1, step by step. */
  l1Rows(assignment: Assignment): readonly L1Row[] {
    return l1Rows(this.#space, assignment, this.#carrierOf);
  }

  readonly #carrierOf: CarrierOf = (value, born, reader, to, preferred) =>
    this.#source(value).shared.carrierOf(born, reader, to, preferred);

  /** An assignment of this problem as a program in which values wait where they are charged for. */
  placed(assignment: Assignment, schedule: readonly OpId[]): PlacedProgram {
    const placing = { caps: this.#caps ?? NO_CAPS, schedule };
    return new PlacedProgram(this.#space, assignment, placing, this.#carrierOf);
  }

  #conversionsOf(value: ValueId): ConversionTable | undefined {
    const { tensor } = this.#space.evaluator.value(value);
    if (tensor === undefined) return undefined;
    return this.#conversions.table(tensor, this.#space.layoutsOf(value), this.#space.mayHideWait(value));
  }

  #sharedValue(
    value: ValueId,
    births: LayoutIds,
    conversions: ConversionTable | undefined,
    { paid, parts }: Sharing,
    waits: ReadonlySet<number> | undefined,
  ): SharedValue {
    const layouts = this.#space.layoutsOf(value);
    const mayWait = waits === undefined ? undefined : parts.map((_, reader): MayWait | undefined => {
      if (!waits.has(reader)) return undefined;
      const most = this.#caps?.values.get(value)?.get(reader) ?? Infinity;
      const isMoved = this.#caps?.moved.get(value)?.has(reader) === true;
      return (layout, born) =>
        this.#space.evaluator.facts(layout).l1Bytes <= most && !(isMoved && layout === born);
    });
    return new SharedValue(births, paid, layouts, conversions, parts, mayWait);
  }

  /** Costs of bringing a value into the layouts that an op may read it in. */
  #feed(op: OpId, operand: number, value: ValueId, reads: LayoutIds): Feed {
    const { variable, shared, sharing, key: kind } = this.#source(value);
    const reader = this.#space.evaluator.value(value).uses.findIndex((use) =>
      use.op === op && use.operand === operand
    );
    const key = `${kind}*${sharing.parts[reader]}>${this.#known.idOf(reads)}`;
    const microseconds = this.#known.feed(key, () => sharesOf(shared, reader, reads));
    return {
      costs: { variable, choices: shared.supplies.length, microseconds },
      id: this.#known.idOf(microseconds),
    };
  }

  #feedsOf(op: OpId): readonly Feed[] {
    const feeds = this.#feeds[op];
    if (feeds === undefined) throw new RangeError(`Cannot look up op ${op}: it does not exist`);
    return feeds;
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
    const { variable, shared, sharing } = this.#source(value);
    const to = this.#space.evaluator.declared[value];
    const table = this.#known.one(sharesOf(shared, sharing.parts.length - 1, [to]));
    return { scope: variable === undefined ? [] : [variable], table };
  }

  #factorKey(
    op: OpId,
    table: WayTable,
    feeds: readonly Feed[],
  ): string {
    const variables = feeds.map(({ costs }) => costs.variable ?? -1);
    const ranks = [...new Set(variables)].sort((a, b) => a - b);
    return `${this.#known.idOf(table)}|${feeds.map(({ id, costs }) => `${id}x${costs.choices}`).join()}|${
      variables.map((variable) => variable < 0 ? -1 : ranks.indexOf(variable)).join()
    }|${variables.map((variable) => variable > op).join()}`;
  }
}

/** Readers that may share a conversion of the value: every use, and `return`. */
export function readersOf(evaluator: OpEvaluator, value: ValueId): number {
  const { uses, returned } = evaluator.value(value);
  return Math.max(1, uses.length + (returned > 0 ? 1 : 0));
}

/** What the supplies of a value cost, and which birth each of them is of. */
function supplyFactor(
  producer: OpId | undefined,
  births: number,
  variable: number,
  shared: SharedValue,
): Factor {
  const { supplies } = shared;
  if (producer === undefined) {
    return { scope: [variable], table: Float64Array.from(supplies, (supply) => shared.priceOf(supply)) };
  }
  const table = new Float64Array(births * supplies.length).fill(Infinity);
  supplies.forEach((supply, index) => table[supply.birth * supplies.length + index] = shared.priceOf(supply));
  return { scope: [producer, variable], table };
}

/** µs per supply (slow) and layout that a reader may read (fast). */
function sharesOf(shared: SharedValue, reader: number, reads: LayoutIds): Float64Array {
  return Float64Array.from(
    shared.supplies.flatMap((supply) => reads.map((to) => shared.shareOf(supply, reader, to))),
  );
}

/** The scope of an op's factor: producers that the (possibly shared) table has axes for, then the op. */
function scopeOf(
  feeds: readonly { readonly costs: FeedCosts }[],
  axes: readonly number[],
  op: OpId,
): readonly number[] {
  const variables = feeds.flatMap(({ costs }) => costs.variable === undefined ? [] : [costs.variable]);
  const ascending = [...new Set(variables)].sort((a, b) => a - b);
  return [...axes.map((rank) => ascending[rank] ?? -1), op];
}
