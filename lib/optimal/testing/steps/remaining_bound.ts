// SPDX-License-Identifier: Apache-2.0
import type { GraphOp, OpId, ValueId } from "../../../graph/graph.ts";
import type { LayoutId, LayoutIds } from "../../../layout/layout_table.ts";
import { type Factor, inScopeOrder, ROUNDING } from "../../elimination/factor.ts";
import { MessageCache } from "../../elimination/message_cache.ts";
import { eliminateVariables } from "../../elimination/variable_elimination.ts";
import type { Conversions, ConversionTable } from "../../exploration/conversions.ts";
import type { LayoutSpace } from "../../exploration/layout_space.ts";
import { FactorCache } from "../../factors/factor_cache.ts";
import { type OperandCostTable, opFactor } from "../../factors/op_factor.ts";
import { copyTreeTable, SharedValue, sharesOf } from "../../factors/shared_value.ts";
import { equalShares, type Sharing } from "../../factors/sharing.ts";

/** Joint choices that one elimination may examine. */
const MOST_WORK = 1_000_000;

/** A value that later steps read, and how its remaining readers are served. */
interface Served {
  /** Equal if the same readers are left and the value exists in the same layouts. */
  readonly key: string;
  /** Its remaining readers: every use in order, then `return`. */
  readonly readers: readonly number[];
  readonly shared: SharedValue;
  /** `undefined` if there is no choice. */
  readonly variable: number | undefined;
  /** The factor of the value's copy trees, if these have a variable of their own. */
  readonly copyTree: Factor | undefined;
}

/**
 * A lower bound on the remaining time of a function after some of its ops have run: variable elimination with
 * unlimited L1, starting from the existing instances. Readers share the copies of a value as in the problem
 * of the whole function ({@linkcode SharedValue}). The root of a value's tree stands for all layouts in which
 * it exists.
 *
 * This is a bound because the copies that a plan still makes form trees with existing roots.
 */
export class RemainingBound {
  readonly #space: LayoutSpace;
  readonly #conversions: Conversions;
  readonly #sharings: ReadonlyMap<ValueId, Sharing>;
  readonly #cached: Map<string, number> = new Map();
  /** By value: of values that do not exist yet, whose readers are all left. */
  readonly #unmade: (Served | undefined)[] = [];
  /** The others. */
  readonly #served: Map<string, Served> = new Map();
  readonly #factors: Map<string, Factor> = new Map();
  readonly #messages: MessageCache = new MessageCache();
  readonly #merges: FactorCache = new FactorCache();
  readonly #choices: readonly number[];

  /** @param sharings how all readers of a value share copies; equal shares for values that are not listed */
  constructor(space: LayoutSpace, conversions: Conversions, sharings: ReadonlyMap<ValueId, Sharing>) {
    this.#space = space;
    this.#conversions = conversions;
    this.#sharings = sharings;
    this.#choices = space.evaluator.fn.ops.map(({ id }) => space.table(id).outputs.length);
  }

  /**
   * A time in µs that no continuation beats.
   *
   * @param isDone whether an op has run
   * @param presentOf layouts in which a value exists that is an argument or whose op has run
   */
  microseconds(isDone: (op: OpId) => boolean, presentOf: (value: ValueId) => readonly LayoutId[]): number {
    const { fn } = this.#space.evaluator;
    const served = fn.values.map(({ id }) => this.#servedAt(id, isDone, presentOf));
    const rest = fn.ops.filter(({ id }) => !isDone(id));
    const key = `${rest.map(({ id }) => id).join()}|${served.map((value) => value?.key ?? "").join(";")}`;
    let cached = this.#cached.get(key);
    if (cached === undefined) {
      const domains = [
        ...this.#choices,
        ...served.map((value) => value?.copyTree === undefined ? 1 : value.shared.copyTrees.length),
      ];
      const factors = [
        ...served.flatMap((value) => value?.copyTree ?? []),
        ...rest.map((op) => this.#factorOf(op, served, domains)),
        ...new Set(fn.results).values().flatMap((value) => this.#returnOf(value, served)),
      ];
      const solved = eliminateVariables({ domains, factors }, { work: MOST_WORK }, this.#messages);
      this.#cached.set(key, cached = solved.bound * (1 - ROUNDING));
    }
    return cached;
  }

  /** How a value is served; `undefined` if nothing is left that reads it. */
  #servedAt(
    value: ValueId,
    isDone: (op: OpId) => boolean,
    presentOf: (value: ValueId) => readonly LayoutId[],
  ): Served | undefined {
    const { definition, uses, returned } = this.#space.evaluator.value(value);
    if (definition.kind === "result" && !isDone(definition.op)) {
      const readers = [...uses.keys(), ...returned > 0 ? [uses.length] : []];
      if (readers.length === 0) return undefined;
      return this.#unmade[value] ??= this.#serve(`${value}`, value, definition.op, undefined, readers);
    }
    const readers = uses.flatMap(({ op }, index) => isDone(op) ? [] : [index]);
    if (returned > 0) readers.push(uses.length);
    if (readers.length === 0) return undefined;
    const present = presentOf(value).toSorted((a, b) => a - b);
    const key = `${value}:${present.join()}:${readers.join()}`;
    let served = this.#served.get(key);
    if (served === undefined) {
      this.#served.set(key, served = this.#serve(key, value, undefined, present, readers));
    }
    return served;
  }

  /**
   * @param maker the op that is to produce the value; `undefined` if it exists
   * @param present layouts in which it exists; `undefined` if it does not
   */
  #serve(
    key: string,
    value: ValueId,
    maker: OpId | undefined,
    present: readonly LayoutId[] | undefined,
    readers: readonly number[],
  ): Served {
    const producedLayouts = present === undefined ? this.#space.producedLayouts(value) : [present[0]];
    const sharing = this.#sharingOf(value, readers, present ?? []);
    const conversions = this.#conversionsOf(value);
    const shared = new SharedValue(
      producedLayouts,
      sharing,
      this.#space.layoutsOf(value),
      conversions && fromAny(conversions, present ?? []),
    );
    if (!sharing.separatesBranches && sharing.paid.length === 0) {
      return {
        key,
        readers,
        shared,
        variable: producedLayouts.length > 1 ? maker : undefined,
        copyTree: undefined,
      };
    }
    const variable = this.#choices.length + value;
    const scope = maker === undefined ? [variable] : [maker, variable];
    return {
      key,
      readers,
      shared,
      variable,
      copyTree: { scope, table: copyTreeTable(shared, maker !== undefined) },
    };
  }

  /**
   * How the remaining readers of a value share copies, as nearly as possible in the proportions of all
   * readers.
   */
  #sharingOf(value: ValueId, readers: readonly number[], present: readonly LayoutId[]): Sharing {
    const sharing = this.#sharings.get(value);
    if (sharing === undefined || readers.length === 1) return equalShares(readers.length);
    const partsLeft = (all: readonly number[]): readonly number[] => {
      const shares = readers.map((reader) => all[reader] ?? 0);
      const sum = shares.reduce((total, part) => total + part, 0);
      return sum > 0 ? shares.map((part) => part / sum) : equalShares(readers.length).shares;
    };
    return {
      ...sharing,
      paid: sharing.paid.filter((layout) => !present.includes(layout)),
      shares: partsLeft(sharing.shares),
      ...sharing.sharesInto === undefined ? {} : {
        sharesInto: sharing.sharesInto.map(({ layouts, shares }) => ({ layouts, shares: partsLeft(shares) })),
      },
    };
  }

  #factorOf(
    { id, operands }: GraphOp,
    served: readonly (Served | undefined)[],
    domains: readonly number[],
  ): Factor {
    const key = `${id}|${operands.map((value) => served[value]?.key).join(";")}`;
    let factor = this.#factors.get(key);
    if (factor === undefined) {
      const { evaluator } = this.#space;
      const table = this.#space.table(id);
      const operandCosts = operands.map((value, operand) => {
        const reader = evaluator.value(value).uses.findIndex((use) =>
          use.op === id && use.operand === operand
        );
        return operandCostOf(value, reader, table.reads[operand] ?? [undefined], served);
      });
      const { axes, table: costs, work } = opFactor(
        table,
        operandCosts,
        (order) => this.#merges.merges(table, order),
      );
      evaluator.work.charge("pricedRow", work);
      const variables = [...new Set(operandCosts.flatMap(({ variable }) => variable ?? []))].sort((a, b) =>
        a - b
      );
      factor = inScopeOrder([...axes.map((rank) => variables[rank] ?? -1), id], costs, domains);
      this.#factors.set(key, factor);
    }
    return factor;
  }

  #returnOf(value: ValueId, served: readonly (Served | undefined)[]): readonly Factor[] {
    const { declared } = this.#space.evaluator;
    const reader = this.#space.evaluator.value(value).uses.length;
    const { variable, microseconds } = operandCostOf(value, reader, [declared[value]], served);
    return [{ scope: variable === undefined ? [] : [variable], table: microseconds }];
  }

  #conversionsOf(value: ValueId): ConversionTable | undefined {
    const { tensor } = this.#space.evaluator.value(value);
    return tensor === undefined ? undefined : this.#conversions.table(tensor, this.#space.layoutsOf(value));
  }
}

/** Conversions of a value that exists in several layouts: those from the first one may start at any of them. */
function fromAny(
  conversions: ConversionTable,
  present: readonly LayoutId[],
): Pick<ConversionTable, "microseconds"> {
  const [first, ...others] = present;
  if (others.length === 0) return conversions;
  return {
    microseconds: (from, to) =>
      from === first
        ? Math.min(...present.map((layout) => conversions.microseconds(layout, to)))
        : conversions.microseconds(from, to),
  };
}

/** µs that a reader of a value pays, by copy tree and layout that it reads. */
function operandCostOf(
  value: ValueId,
  reader: number,
  reads: LayoutIds,
  served: readonly (Served | undefined)[],
): OperandCostTable {
  const own = served[value];
  if (own === undefined) throw new RangeError(`Cannot serve value ${value}: none of its readers is left`);
  const { readers, shared, variable } = own;
  const microseconds = sharesOf(shared, readers.indexOf(reader), reads);
  return { variable, choices: shared.copyTrees.length, microseconds };
}
