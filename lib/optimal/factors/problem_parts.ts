// SPDX-License-Identifier: Apache-2.0
import type { GraphOp, OpId, ValueId } from "../../graph/graph.ts";
import type { LayoutIds } from "../../layout/layout_table.ts";
import type { Conversions, ConversionTable } from "../exploration/conversions.ts";
import { type Factor, inScopeOrder } from "../elimination/factor.ts";
import { FactorCache } from "./factor_cache.ts";
import { cappedReaders, type L1Caps } from "../l1/l1_caps.ts";
import type { LayoutSpace } from "../exploration/layout_space.ts";
import { isTooWide, type OperandCostTable, opFactor, scopeOf } from "./op_factor.ts";
import type { ProblemPrices, ProblemTerms } from "./problem_terms.ts";
import { fitsRowVariable, operandRowCosts, ownRowCosts } from "./row_factors.ts";
import { copyTreeTable, type MayWait, SharedValue, sharesOf } from "./shared_value.ts";
import { countReaders, equalShares, type Sharing } from "./sharing.ts";
import type { ImplTable } from "../exploration/impl_table.ts";

/** Layouts of a value that is not a tensor. */
const NO_LAYOUT: LayoutIds = [undefined];

/** The layouts in which a value may be produced, one per choice of its op. */
interface ProducedLayouts {
  /** `undefined` for a value that no op produces, which has one layout. */
  readonly op: OpId | undefined;
  readonly layouts: LayoutIds;
}

/** Inputs of {@linkcode ServedValue}: two values are served equally if all of these are the same objects. */
interface SourceInputs {
  /** Prices of its conversions; `undefined` if it is not a tensor. */
  readonly prices: ConversionTable | undefined;
  /** Lists of layouts that its op may produce; `undefined` for an argument. */
  readonly outputs: readonly LayoutIds[] | undefined;
  readonly tightened: Sharing | undefined;
  readonly caps: ReadonlyMap<number, number> | undefined;
  readonly moved: ReadonlySet<number> | undefined;
}

/** How the readers of a value are served: a variable of the problem, and the meaning of its choices. */
export interface ServedValue {
  /** `undefined` if there is no choice. */
  readonly variable: number | undefined;
  readonly shared: SharedValue;
  readonly sharing: Sharing;
  /** Equal for values with equal prices. */
  readonly key: string;
  /** Equal if the readers' shares are equal as well. */
  readonly sharedKey: string;
  readonly producedLayouts: ProducedLayouts;
  readonly inputs: SourceInputs;
}

/** The costs of an operand of an op, and a number that identifies equal costs. */
export interface OperandCost {
  readonly costs: OperandCostTable;
  readonly id: number;
  /** Its value, and the layouts in which the op may read it. */
  readonly source: ServedValue;
  readonly reads: LayoutIds;
}

/** The factor of an op with its inputs. */
interface FactorOfOp {
  readonly factor: Factor;
  readonly table: ImplTable;
  readonly operandCosts: readonly OperandCost[];
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
  readonly cache: FactorCache;
  /** How many prices of the space and its conversions had changed when these parts were made. */
  readonly #repriced: number;
  readonly #space: LayoutSpace;
  readonly #conversions: Conversions;
  readonly #caps: L1Caps | undefined;
  readonly #prices: ProblemPrices | undefined;
  readonly #cappedTables: Map<OpId, ImplTable> = new Map();
  readonly #sources: readonly ServedValue[];
  /** Per op: the costs of its operands. */
  readonly #operandCosts: readonly (readonly OperandCost[])[];
  /** Per op; `undefined` if its row is a variable. */
  readonly #factors: readonly (FactorOfOp | undefined)[];

  /**
   * @param earlier parts of a problem over the same space and conversions, of which equal ones are taken over
   */
  constructor(
    space: LayoutSpace,
    conversions: Conversions,
    { sharings = new Map(), caps, prices }: ProblemTerms,
    earlier?: ProblemParts,
  ) {
    this.#space = space;
    this.#prices = prices;
    this.#conversions = conversions;
    this.#caps = caps;
    this.cache = earlier?.cache ?? new FactorCache();
    this.#repriced = space.repriced + conversions.repriced;
    // If prices are the same, sources differ only by the terms for single values.
    const isSamePrices = earlier !== undefined && earlier.#repriced === this.#repriced &&
      prices === undefined && earlier.#prices === undefined;
    const { fn } = space.evaluator;
    const domains = fn.ops.map((op) => space.table(op.id).outputs.length);
    const copyTrees: Factor[] = [];
    this.#sources = fn.values.map(({ id }) => {
      const source = this.#sourceOf(id, sharings.get(id), earlier?.source(id), isSamePrices);
      if (source.sharing.paid.length === 0 && !source.sharing.separatesBranches) return source;
      const { shared, sharedKey, producedLayouts } = source;
      const variable = domains.push(shared.copyTrees.length) - 1;
      const table = this.cache.copyTree(
        sharedKey,
        () => copyTreeTable(shared, producedLayouts.op !== undefined),
      );
      copyTrees.push({
        scope: producedLayouts.op === undefined ? [variable] : [producedLayouts.op, variable],
        table,
      });
      return source.variable === variable ? source : { ...source, variable };
    });
    this.#operandCosts = fn.ops.map((op) => this.#operandCostsFor(op, earlier?.operandCostsOf(op.id)));
    const before = earlier === undefined ? [] : earlier.#factors;
    const byRow: Factor[] = [];
    this.#factors = fn.ops.map(({ id }) => {
      const table = this.table(id);
      const cached = before[id];
      if (cached?.operandCosts === this.operandCostsOf(id) && cached.table === table) return cached;
      const costs = this.operandCostsOf(id).map((operandCost) => operandCost.costs);
      if (!isTooWide(table, costs) || !fitsRowVariable(table, costs)) return this.#factorOf(id, domains);
      byRow.push(...this.#factorsByRow(id, domains.push(table.rows.length) - 1));
      return undefined;
    });
    this.domains = domains;
    this.factors = [
      ...copyTrees,
      ...this.#factors.flatMap((of) => of === undefined ? [] : [of.factor]),
      ...byRow,
    ];
  }

  /** How the readers of a value are served. */
  source(value: ValueId): ServedValue {
    const source = this.#sources[value];
    if (source === undefined) throw new RangeError(`Cannot look up value ${value}: it does not exist`);
    return source;
  }

  /** The costs of an op's operands. */
  operandCostsOf(op: OpId): readonly OperandCost[] {
    const operandCosts = this.#operandCosts[op];
    if (operandCosts === undefined) throw new RangeError(`Cannot look up op ${op}: it does not exist`);
    return operandCosts;
  }

  /** The implementations of an op that its cap allows, with the problem's own prices if it has any. */
  table(op: OpId): ImplTable {
    const own = this.#space.table(op);
    const table = this.#prices?.table(op, own) ?? own;
    const cap = this.#caps?.ops.get(op);
    if (cap === undefined) return table;
    let capped = this.#cappedTables.get(op);
    if (capped === undefined) {
      capped = this.cache.capped(table, cap);
      this.#cappedTables.set(op, capped);
    }
    return capped;
  }

  /** Layout per choice of the op that produces a value; the only layout of a value that no op produces. */
  producedLayouts(value: ValueId): ProducedLayouts {
    return { op: this.#space.evaluator.producer(value), layouts: this.#space.producedLayouts(value) };
  }

  #sourceOf(
    value: ValueId,
    tightened: Sharing | undefined,
    earlier: ServedValue | undefined,
    isSamePrices: boolean,
  ): ServedValue {
    const caps = this.#caps?.values.get(value);
    const moved = this.#caps?.moved.get(value);
    const before = earlier?.inputs;
    const isAskedEqually = before !== undefined &&
      before.tightened === tightened && before.caps === caps && before.moved === moved;
    const isUnchanged = isAskedEqually && isSamePrices;
    const prices = isUnchanged ? before.prices : this.#conversionsOf(value);
    const outputs = isUnchanged ? before.outputs : this.#outputsOf(value);
    if (earlier !== undefined && isAskedEqually && before.prices === prices && before.outputs === outputs) {
      return earlier;
    }
    const inputs: SourceInputs = { prices, outputs, tightened, caps, moved };
    const readers = countReaders(this.#space.evaluator, value);
    const sharing = tightened ?? equalShares(readers);
    const producedLayouts = this.producedLayouts(value);
    const waits = this.#caps === undefined ? undefined : cappedReaders(this.#caps, value);
    const key = `${prices === undefined ? "-" : this.cache.idOf(prices)}:${readers}:${
      this.cache.idOf(producedLayouts.layouts)
    }:${sharing.separatesBranches ? "/" : ""}${sharing.paid.join()}:${
      waits === undefined ? "" : waitsKey(caps, moved)
    }`;
    const sharedKey = `${key}*${tightened === undefined ? "=" : tightened.shares.join()}`;
    const shared = this.cache.value(sharedKey, () => {
      this.#space.evaluator.work.charge("servedValue", 1);
      return this.#sharedValue(value, producedLayouts.layouts, prices, sharing, waits);
    });
    const variable = producedLayouts.layouts.length > 1 ? producedLayouts.op : undefined;
    return { variable, shared, sharing, key, sharedKey, producedLayouts, inputs };
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
    producedLayouts: LayoutIds,
    conversions: ConversionTable | undefined,
    sharing: Sharing,
    waits: ReadonlySet<number> | undefined,
  ): SharedValue {
    const layouts = this.#space.layoutsOf(value);
    const mayWait = waits === undefined
      ? undefined
      : sharing.shares.map((_, reader) => this.#conditions(value, reader));
    return new SharedValue(producedLayouts, sharing, layouts, conversions, mayWait);
  }

  /** The conditions that a value must satisfy while it waits for a reader. */
  #conditions(value: ValueId, reader: number): readonly MayWait[] {
    const { evaluator } = this.#space;
    const most = this.#caps?.values.get(value)?.get(reader);
    const isMoved = this.#caps?.moved.get(value)?.has(reader) === true;
    const conditions: MayWait[] = [];
    if (most !== undefined) conditions.push((layout) => evaluator.facts(layout).l1Bytes <= most);
    if (isMoved) conditions.push((layout, producedIn) => layout !== producedIn);
    return conditions;
  }

  #operandCostsFor(
    { id, operands }: GraphOp,
    earlier: readonly OperandCost[] | undefined,
  ): readonly OperandCost[] {
    const { reads } = this.table(id);
    const isSame = (value: ValueId, operand: number): boolean => {
      const operandCost = earlier?.[operand];
      return operandCost !== undefined && operandCost.source === this.source(value) &&
        operandCost.reads === (reads[operand] ?? NO_LAYOUT);
    };
    if (earlier !== undefined && operands.every(isSame)) return earlier;
    return operands.map((value, operand) =>
      this.#operandCost(id, operand, value, reads[operand] ?? NO_LAYOUT, earlier?.[operand])
    );
  }

  /** Costs of converting a value to the layouts in which an op may read it. */
  #operandCost(
    op: OpId,
    operand: number,
    value: ValueId,
    reads: LayoutIds,
    earlier: OperandCost | undefined,
  ): OperandCost {
    const source = this.source(value);
    if (earlier !== undefined && earlier.source === source && earlier.reads === reads) return earlier;
    const { variable, shared, key: kind } = source;
    const reader = this.#space.evaluator.value(value).uses.findIndex((use) =>
      use.op === op && use.operand === operand
    );
    const key = `${kind}*${shared.sharesKey(reader)}>${this.cache.idOf(reads)}`;
    const microseconds = this.cache.operandCost(key, () => sharesOf(shared, reader, reads));
    const costs = { variable, choices: shared.copyTrees.length, microseconds };
    return { costs, id: this.cache.idOf(microseconds), source, reads };
  }

  /** The factor of an op over its producers and itself. */
  #factorOf(op: OpId, domains: readonly number[]): FactorOfOp {
    const table = this.table(op);
    const operandCosts = this.operandCostsOf(op);
    const { work } = this.#space.evaluator;
    const key = this.#factorKey(op, table, operandCosts);
    const own = this.cache.factor(key, () => {
      work.charge("changedOp", 1);
      const { axes, table: costs, work: pairs } = opFactor(
        table,
        operandCosts.map(({ costs }) => costs),
        (order) => this.cache.merges(table, order),
      );
      work.charge("pricedRow", pairs);
      return { axes, table: inScopeOrder(scopeOf(operandCosts, axes, op), costs, domains).table };
    });
    const scope = scopeOf(operandCosts, own.axes, op).toSorted((a, b) => a - b);
    return { factor: { scope, table: own.table }, table, operandCosts };
  }

  /** The factors of an op whose row is a variable. */
  #factorsByRow(op: OpId, row: number): readonly Factor[] {
    const table = this.table(op);
    const operandCosts = this.operandCostsOf(op);
    const of = `row ${this.cache.idOf(table)}`;
    const fixed = operandCosts.map(({ id, costs }) => costs.variable === undefined ? id : "").join();
    const own = this.cache.operandCost(
      `${of}:${fixed}`,
      () => ownRowCosts(table, operandCosts.map(({ costs }) => costs)),
    );
    return [
      { scope: [op, row], table: own },
      ...operandCosts.flatMap(({ id, costs }, operand): Factor[] => {
        if (costs.variable === undefined) return [];
        const rowCosts = this.cache.operandCost(
          `${of}.${operand}:${id}`,
          () => operandRowCosts(table, operand, costs),
        );
        return [{ scope: [costs.variable, row], table: rowCosts }];
      }),
    ];
  }

  #factorKey(
    op: OpId,
    table: ImplTable,
    operandCosts: readonly OperandCost[],
  ): string {
    const variables = operandCosts.map(({ costs }) => costs.variable ?? -1);
    const ranks = [...new Set(variables)].sort((a, b) => a - b);
    return `${this.cache.idOf(table)}|${
      operandCosts.map(({ id, costs }) => `${id}x${costs.choices}`).join()
    }|${variables.map((variable) => variable < 0 ? -1 : ranks.indexOf(variable)).join()}|${
      variables.map((variable) => variable > op).join()
    }`;
  }
}

/** A key of the requirements on the layouts in which a value waits for its readers. */
function waitsKey(caps: SourceInputs["caps"], moved: SourceInputs["moved"]): string {
  return `${[...caps ?? []].join(";")}!${[...moved ?? []].join(";")}`;
}
