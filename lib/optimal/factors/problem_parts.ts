// SPDX-License-Identifier: Apache-2.0
import type { GraphOp, OpId, ValueId } from "../../graph/graph.ts";
import type { LayoutId } from "../../layout/layout_table.ts";
import type { LayoutIds } from "../../search/ways.ts";
import type { Conversions, ConversionTable } from "../exploration/conversions.ts";
import { type Factor, inScopeOrder } from "../elimination/factor.ts";
import { KnownFactors } from "./known_factors.ts";
import { cappedReaders, type L1Caps } from "../l1/l1_branching.ts";
import type { LayoutSpace } from "../exploration/layout_space.ts";
import { type FeedCosts, isTooWide, type OpFactor, opFactor } from "./op_factor.ts";
import type { ProblemPrices, ProblemTerms } from "./problem_terms.ts";
import { feedRowCosts, fitsRowVariable, ownRowCosts } from "./row_factors.ts";
import { type MayWait, SharedValue, sharesOf, supplyTable } from "./shared_value.ts";
import { countReaders, equalParts, type Sharing } from "./sharing.ts";
import type { WayTable } from "../exploration/way_table.ts";

/** Layouts of a value that is not a tensor. */
const NO_LAYOUT: LayoutIds = [undefined];

/** The layouts in which a value may be produced, one per choice of its op. */
interface Births {
  /** `undefined` for a value that no op produces, which has one layout. */
  readonly op: OpId | undefined;
  readonly layouts: LayoutIds;
}

/** Everything that determines how the readers of a value are served; equal if all parts are the same objects. */
interface SourceGrounds {
  /** Prices of its conversions; `undefined` if it is not a tensor. */
  readonly prices: ConversionTable | undefined;
  /** Lists of layouts that its op may produce; `undefined` for an argument. */
  readonly outputs: readonly LayoutIds[] | undefined;
  readonly tightened: Sharing | undefined;
  readonly caps: ReadonlyMap<number, number> | undefined;
  readonly moved: ReadonlySet<number> | undefined;
  readonly copiedFrom: ReadonlyMap<number, ReadonlySet<LayoutId>> | undefined;
}

/** How the readers of a value are served: a variable of the problem, and the meaning of its choices. */
export interface ValueSource {
  /** `undefined` if there is no choice. */
  readonly variable: number | undefined;
  readonly shared: SharedValue;
  readonly sharing: Sharing;
  /** Equal for values with equal prices. */
  readonly key: string;
  /** Equal if the readers' fractions are equal as well. */
  readonly sharedKey: string;
  readonly births: Births;
  readonly grounds: SourceGrounds;
}

/** The costs of an operand of an op, and a number that identifies equal costs. */
export interface OperandFeed {
  readonly costs: FeedCosts;
  readonly id: number;
  readonly key: string;
  /** Its value, and the layouts in which the op may read it. */
  readonly source: ValueSource;
  readonly reads: LayoutIds;
  /** The index of the operand among the value's readers. */
  readonly reader: number;
}

/** The factor of an op, and what it was made from. */
interface FactorOfOp {
  readonly factor: Factor;
  readonly own: OpFactor;
  readonly key: string;
  readonly table: WayTable;
  readonly feeds: readonly OperandFeed[];
}

/**
 * The costs of the values and ops of a layout problem. Parts with equal inputs are taken over from an earlier
 * problem, without computing their keys again: rounds of tightening and branching change little, and
 * functions are long.
 */
export class ProblemParts {
  /**
   * Choices per variable: first those of ops, then of values with paid copies, then of the rows of ops with
   * many operands.
   */
  readonly domains: readonly number[];
  /** First of values with paid copies, then of ops. */
  readonly factors: readonly Factor[];
  readonly known: KnownFactors;
  /** Whether the earlier problem uses the same cache, so that nothing has to be copied over. */
  readonly #isShared: boolean;
  /** How often prices of the space and its conversions had changed. */
  readonly #repriced: number;
  readonly #space: LayoutSpace;
  readonly #conversions: Conversions;
  readonly #caps: L1Caps | undefined;
  readonly #prices: ProblemPrices | undefined;
  readonly #cappedTables: Map<OpId, WayTable> = new Map();
  readonly #sources: readonly ValueSource[];
  /** Per op: the costs of its operands. */
  readonly #feeds: readonly (readonly OperandFeed[])[];
  /** Per op; `undefined` if its row is a variable. */
  readonly #factors: readonly (FactorOfOp | undefined)[];

  /**
   * @param earlier of a problem of the same space and conversions
   * @param known cache of many such problems; without it, the parts of the earlier one are taken over
   */
  constructor(
    space: LayoutSpace,
    conversions: Conversions,
    { sharings = new Map(), caps, prices }: ProblemTerms,
    earlier?: ProblemParts,
    known?: KnownFactors,
  ) {
    this.#space = space;
    this.#prices = prices;
    this.#conversions = conversions;
    this.#caps = caps;
    this.known = known ?? new KnownFactors(earlier?.known);
    this.#isShared = this.known === earlier?.known;
    this.#repriced = space.repriced + conversions.repriced;
    // If prices are the same, sources differ only by the terms for single values.
    const isSamePrices = earlier !== undefined && earlier.#repriced === this.#repriced &&
      prices === undefined && earlier.#prices === undefined;
    const { fn } = space.evaluator;
    const domains = fn.ops.map((op) => space.table(op.id).outputs.length);
    const supplies: Factor[] = [];
    this.#sources = fn.values.map(({ id }) => {
      const source = this.#sourceOf(id, sharings.get(id), earlier?.source(id), isSamePrices);
      if (source.sharing.paid.length === 0 && !source.sharing.tellsApart) return source;
      const { shared, sharedKey, births } = source;
      const variable = domains.push(shared.supplies.length) - 1;
      const table = this.known.supply(sharedKey, () => supplyTable(shared, births.op !== undefined));
      supplies.push({ scope: births.op === undefined ? [variable] : [births.op, variable], table });
      return source.variable === variable ? source : { ...source, variable };
    });
    this.#feeds = fn.ops.map((op) => this.#feedsFor(op, earlier?.feedsOf(op.id)));
    const before = earlier === undefined ? [] : earlier.#factors;
    const byRow: Factor[] = [];
    this.#factors = fn.ops.map(({ id }) => {
      const table = this.table(id);
      const known = before[id];
      if (known !== undefined && known.feeds === this.feedsOf(id) && known.table === table) {
        if (!this.#isShared) this.known.factor(known.key, () => known.own);
        return known;
      }
      const costs = this.feedsOf(id).map((feed) => feed.costs);
      if (!isTooWide(table, costs)) return this.#factorOf(id, this.feedsOf(id), domains);
      if (!fitsRowVariable(table, costs)) return this.#factorOf(id, this.#narrowFeeds(id), domains);
      byRow.push(...this.#factorsByRow(id, domains.push(table.rows.length) - 1));
      return undefined;
    });
    this.domains = domains;
    this.factors = [
      ...supplies,
      ...this.#factors.flatMap((of) => of === undefined ? [] : [of.factor]),
      ...byRow,
    ];
  }

  /** How the readers of a value are served. */
  source(value: ValueId): ValueSource {
    const source = this.#sources[value];
    if (source === undefined) throw new RangeError(`Cannot look up value ${value}: it does not exist`);
    return source;
  }

  /** The costs of an op's operands. */
  feedsOf(op: OpId): readonly OperandFeed[] {
    const feeds = this.#feeds[op];
    if (feeds === undefined) throw new RangeError(`Cannot look up op ${op}: it does not exist`);
    return feeds;
  }

  /** The ways of an op that its cap allows. */
  table(op: OpId): WayTable {
    const own = this.#space.table(op);
    const table = this.#prices?.table(op, own) ?? own;
    const cap = this.#caps?.ops.get(op);
    const without = this.#caps?.without.get(op);
    if (cap === undefined && without === undefined) return table;
    let capped = this.#cappedTables.get(op);
    if (capped === undefined) {
      capped = this.known.capped(table, cap ?? Infinity, without);
      this.#cappedTables.set(op, capped);
    }
    return capped;
  }

  /** Layout per choice of the op that produces a value; the only layout of a value that no op produces. */
  births(value: ValueId): Births {
    return { op: this.#space.evaluator.producer(value), layouts: this.#space.bornIn(value) };
  }

  #sourceOf(
    value: ValueId,
    tightened: Sharing | undefined,
    earlier: ValueSource | undefined,
    isSamePrices: boolean,
  ): ValueSource {
    const caps = this.#caps?.values.get(value);
    const moved = this.#caps?.moved.get(value);
    const copiedFrom = this.#caps?.copiedFrom.get(value);
    const before = earlier?.grounds;
    const isAskedAlike = before !== undefined &&
      before.tightened === tightened && before.caps === caps && before.moved === moved &&
      before.copiedFrom === copiedFrom;
    const isKnown = isAskedAlike && isSamePrices;
    const prices = isKnown ? before.prices : this.#conversionsOf(value);
    const outputs = isKnown ? before.outputs : this.#outputsOf(value);
    if (earlier !== undefined && isAskedAlike && before.prices === prices && before.outputs === outputs) {
      if (!this.#isShared) this.known.value(earlier.sharedKey, () => earlier.shared);
      return earlier;
    }
    const grounds: SourceGrounds = { prices, outputs, tightened, caps, moved, copiedFrom };
    const readers = countReaders(this.#space.evaluator, value);
    const sharing = tightened ?? equalParts(readers);
    const births = this.births(value);
    const waits = this.#caps === undefined ? undefined : cappedReaders(this.#caps, value);
    const key = `${prices === undefined ? "-" : this.known.idOf(prices)}:${readers}:${
      this.known.idOf(births.layouts)
    }:${sharing.tellsApart ? "/" : ""}${sharing.paid.join()}${
      sharing.partsInto?.map((list) => `;${this.known.idOf(list.layouts)}`).join("") ?? ""
    }:${waits === undefined ? "" : waitsKey(caps, moved, copiedFrom)}`;
    const sharedKey = `${key}*${tightened === undefined ? "=" : allParts(tightened)}`;
    const shared = this.known.value(sharedKey, () => {
      this.#space.evaluator.work.charge("servedValue", 1);
      return this.#sharedValue(value, births.layouts, prices, sharing, waits);
    });
    const variable = births.layouts.length > 1 ? births.op : undefined;
    return { variable, shared, sharing, key, sharedKey, births, grounds };
  }

  /** Lists of layouts that the op of a value may produce; `undefined` for an argument. */
  #outputsOf(value: ValueId): readonly LayoutIds[] | undefined {
    const producer = this.#space.evaluator.producer(value);
    return producer === undefined ? undefined : this.#space.table(producer).outputs;
  }

  #conversionsOf(value: ValueId): ConversionTable | undefined {
    const { tensor } = this.#space.evaluator.value(value);
    if (tensor === undefined) return undefined;
    const table = this.#conversions.table(tensor, this.#space.layoutsOf(value));
    return this.#prices?.conversions(value, table) ?? table;
  }

  #sharedValue(
    value: ValueId,
    births: LayoutIds,
    conversions: ConversionTable | undefined,
    sharing: Sharing,
    waits: ReadonlySet<number> | undefined,
  ): SharedValue {
    const layouts = this.#space.layoutsOf(value);
    const mayWait = waits === undefined
      ? undefined
      : sharing.parts.map((_, reader) => this.#conditions(value, reader));
    return new SharedValue(births, sharing, layouts, conversions, mayWait);
  }

  /** The conditions that a value must satisfy while it waits for a reader. */
  #conditions(value: ValueId, reader: number): readonly MayWait[] {
    const { evaluator } = this.#space;
    const most = this.#caps?.values.get(value)?.get(reader);
    const isMoved = this.#caps?.moved.get(value)?.has(reader) === true;
    const sources = this.#caps?.copiedFrom.get(value)?.get(reader);
    const conditions: MayWait[] = [];
    if (most !== undefined) conditions.push((layout) => evaluator.facts(layout).l1Bytes <= most);
    if (isMoved) conditions.push((layout, born) => layout !== born);
    if (sources !== undefined) conditions.push((layout) => sources.has(layout));
    return conditions;
  }

  /**
   * The layouts of a value, as disjoint lists by the readers that may read them; within a list all copies
   * have the same shares.
   */
  layoutsByReaders(value: ValueId): readonly (readonly LayoutId[])[] {
    const { uses, returned } = this.#space.evaluator.value(value);
    const reads = uses.map(({ op, operand }) => this.#space.table(op).reads[operand] ?? NO_LAYOUT);
    const declared = returned > 0 ? [[this.#space.evaluator.declared[value]]] : [];
    return this.#space.layoutsByLists(value, [...reads, ...declared]);
  }

  #feedsFor({ id, operands }: GraphOp, earlier: readonly OperandFeed[] | undefined): readonly OperandFeed[] {
    const { reads } = this.table(id);
    const isSame = (value: ValueId, operand: number): boolean => {
      const feed = earlier?.[operand];
      return feed !== undefined && feed.source === this.source(value) &&
        feed.reads === (reads[operand] ?? NO_LAYOUT);
    };
    if (earlier !== undefined && operands.every(isSame)) {
      for (const feed of this.#isShared ? [] : earlier) this.#keep(feed);
      return earlier;
    }
    return operands.map((value, operand) =>
      this.#feed(id, operand, value, reads[operand] ?? NO_LAYOUT, earlier?.[operand])
    );
  }

  /** Copies a cached part of an earlier problem to this one's cache. */
  #keep({ key, costs }: OperandFeed): void {
    this.known.feed(key, () => costs.microseconds);
  }

  /** Costs of converting a value to the layouts in which an op may read it. */
  #feed(
    op: OpId,
    operand: number,
    value: ValueId,
    reads: LayoutIds,
    earlier: OperandFeed | undefined,
  ): OperandFeed {
    const source = this.source(value);
    if (earlier !== undefined && earlier.source === source && earlier.reads === reads) {
      if (!this.#isShared) this.#keep(earlier);
      return earlier;
    }
    const { variable, shared, key: kind } = source;
    const reader = this.#space.evaluator.value(value).uses.findIndex((use) =>
      use.op === op && use.operand === operand
    );
    const eitherOf = this.table(op).eitherOf?.[operand];
    const key = `${kind}*${shared.partsKey(reader)}>${this.known.idOf(reads)}`;
    const microseconds = this.known.feed(key, () => sharesOf(shared, reader, reads, eitherOf));
    const costs = { variable, choices: shared.supplies.length, microseconds };
    return { costs, id: this.known.idOf(microseconds), key, source, reads, reader };
  }

  /**
   * The factor of an op over its producers and itself.
   *
   * @param feeds the costs of its operands, possibly simplified
   */
  #factorOf(op: OpId, feeds: readonly OperandFeed[], domains: readonly number[]): FactorOfOp {
    const table = this.table(op);
    const { work } = this.#space.evaluator;
    const key = this.#factorKey(op, table, feeds);
    const own = this.known.factor(key, () => {
      work.charge("changedOp", 1);
      const { axes, table: costs, work: pairs } = opFactor(
        table,
        feeds.map(({ costs }) => costs),
        (order) => this.known.merges(table, order),
      );
      work.charge("pricedRow", pairs);
      return { axes, table: inScopeOrder(scopeOf(feeds, axes, op), costs, domains).table };
    });
    const scope = scopeOf(feeds, own.axes, op).toSorted((a, b) => a - b);
    return { factor: { scope, table: own.table }, own, key, table, feeds: this.feedsOf(op) };
  }

  /**
   * The costs of an op's operands if its factor would be too wide. Operands with most choices first, they
   * depend only on the layout in which the value is produced, and the reader pays the least over all copy
   * trees.
   */
  #narrowFeeds(op: OpId): readonly OperandFeed[] {
    const table = this.table(op);
    const feeds = [...this.feedsOf(op)];
    const widestFirst = [...feeds.keys()].sort((a, b) =>
      (feeds[b]?.costs.choices ?? 1) - (feeds[a]?.costs.choices ?? 1) || a - b
    );
    for (const operand of widestFirst) {
      if (!isTooWide(table, feeds.map(({ costs }) => costs))) break;
      const feed = feeds[operand];
      if (feed !== undefined) feeds[operand] = this.#feedByBirth(feed);
    }
    return feeds;
  }

  #feedByBirth(feed: OperandFeed): OperandFeed {
    const { source: { births, shared: { supplies } }, reads, costs } = feed;
    if (supplies.length === births.layouts.length) return feed;
    const key = `${feed.key}^`;
    const microseconds = this.known.feed(key, () => {
      const least = new Float64Array(births.layouts.length * reads.length).fill(Infinity);
      supplies.forEach(({ birth }, supply) => {
        for (let read = 0; read < reads.length; read++) {
          const at = birth * reads.length + read;
          const us = costs.microseconds[supply * reads.length + read] ?? Infinity;
          least[at] = Math.min(least[at] ?? Infinity, us);
        }
      });
      return least;
    });
    const choices = births.layouts.length;
    const variable = choices > 1 ? births.op : undefined;
    return { ...feed, key, id: this.known.idOf(microseconds), costs: { variable, choices, microseconds } };
  }

  /** The factors of an op whose row is a variable. */
  #factorsByRow(op: OpId, row: number): readonly Factor[] {
    const table = this.table(op);
    const feeds = this.feedsOf(op);
    const of = `row ${this.known.idOf(table)}`;
    const fixed = feeds.map(({ id, costs }) => costs.variable === undefined ? id : "").join();
    const own = this.known.feed(`${of}:${fixed}`, () => ownRowCosts(table, feeds.map(({ costs }) => costs)));
    return [
      { scope: [op, row], table: own },
      ...feeds.flatMap(({ id, costs }, operand): Factor[] => {
        if (costs.variable === undefined) return [];
        const fed = this.known.feed(`${of}.${operand}:${id}`, () => feedRowCosts(table, operand, costs));
        return [{ scope: [costs.variable, row], table: fed }];
      }),
    ];
  }

  #factorKey(
    op: OpId,
    table: WayTable,
    feeds: readonly OperandFeed[],
  ): string {
    const variables = feeds.map(({ costs }) => costs.variable ?? -1);
    const ranks = [...new Set(variables)].sort((a, b) => a - b);
    return `${this.known.idOf(table)}|${feeds.map(({ id, costs }) => `${id}x${costs.choices}`).join()}|${
      variables.map((variable) => variable < 0 ? -1 : ranks.indexOf(variable)).join()
    }|${variables.map((variable) => variable > op).join()}`;
  }
}

/** All fractions of the readers of a value, as a key. */
function allParts({ parts, partsInto = [] }: Sharing): string {
  return [...partsInto.map((list) => list.parts), parts].map((own) => own.join()).join(";");
}

/** Equal if the same is required of the layouts in which a value waits. */
function waitsKey(
  caps: SourceGrounds["caps"],
  moved: SourceGrounds["moved"],
  copiedFrom: SourceGrounds["copiedFrom"],
): string {
  const sources = [...copiedFrom ?? []].map(([reader, layouts]) => `${reader}:${[...layouts]}`);
  return `${[...caps ?? []].join(";")}!${[...moved ?? []].join(";")}!${sources.join(";")}`;
}

/** The scope of an op's factor: the producers that the (possibly shared) table has axes for, then the op. */
function scopeOf(
  feeds: readonly { readonly costs: FeedCosts }[],
  axes: readonly number[],
  op: OpId,
): readonly number[] {
  const variables = feeds.flatMap(({ costs }) => costs.variable === undefined ? [] : [costs.variable]);
  const ascending = [...new Set(variables)].sort((a, b) => a - b);
  const axis = (rank: number): number => {
    const variable = ascending[rank];
    if (variable === undefined) throw new RangeError(`Cannot place a factor: it has no producer ${rank}`);
    return variable;
  };
  return [...axes.map(axis), op];
}
