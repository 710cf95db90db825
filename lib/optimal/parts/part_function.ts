// SPDX-License-Identifier: Apache-2.0
import {
  type GraphFunction,
  type GraphValue,
  idAt,
  type OpId,
  valueAt,
  type ValueId,
} from "../../graph/graph.ts";
import type { OpEvaluator } from "../../search/op_evaluator.ts";
import type { OpRoles } from "../../search/op_roles.ts";
import type { L1Caps, Wait } from "../l1/l1_branching.ts";
import type { Copied, Placing } from "../addresses/address_search.ts";

/**
 * A stretch of a function as a function of its own: what it reads from outside are its arguments, what is read
 * outside it returns, both in the layouts of the input. Its ops and values have ids of its own.
 */
export class PartFunction {
  readonly fn: GraphFunction;
  readonly #whole: OpEvaluator;
  /** By own id: the op of the whole function. */
  readonly #ops: readonly OpId[];
  /** By own id: the value of the whole function; values read from outside come first. */
  readonly #values: readonly ValueId[];

  /** @param ops of the whole function, in the input's order */
  constructor(whole: OpEvaluator, { constantDerived }: OpRoles, ops: readonly OpId[]) {
    this.#whole = whole;
    this.#ops = ops;
    const made = new Set(ops.flatMap((op) => whole.op(op).results));
    const read = new Set(ops.flatMap((op) => whole.op(op).operands).filter((value) => !made.has(value)));
    this.#values = [...read, ...made];
    const ownOp = new Map(ops.map((op, index) => [op, idAt<OpId>(index)]));
    const ownValue = new Map(this.#values.map((value, index) => [value, idAt<ValueId>(index)]));
    const own = (values: readonly ValueId[]): readonly ValueId[] =>
      values.flatMap((value) => ownValue.get(value) ?? []);
    const values = this.#values.map((value, index): GraphValue => {
      const { definition, uses, returned, ...rest } = whole.value(value);
      const inside = uses.flatMap(({ op, operand }) => {
        const reader = ownOp.get(op);
        return reader === undefined ? [] : [{ op: reader, operand }];
      });
      const maker = definition.kind === "result" ? ownOp.get(definition.op) : undefined;
      const isReturned = maker !== undefined && (returned > 0 || inside.length < uses.length);
      return {
        ...rest,
        id: idAt(index),
        uses: inside,
        returned: isReturned ? 1 : 0,
        definition: definition.kind === "result" && maker !== undefined ? { ...definition, op: maker } : {
          kind: "argument",
          argumentType: constantDerived[value] === true ? "constant" : "input",
          isKvCache: false,
          chipShape: undefined,
          ...definition.kind === "argument" ? definition : {},
          index,
        },
      };
    });
    this.fn = {
      ...whole.fn,
      ops: ops.map((op, index) => {
        const { operands, results, ...rest } = whole.op(op);
        return { ...rest, id: idAt(index), operands: own(operands), results: own(results) };
      }),
      values,
      arguments: own([...read]),
      results: values.flatMap(({ id, returned }) => returned > 0 ? [id] : []),
    };
  }

  /** The op of the whole function. */
  opOf(own: OpId): OpId {
    const op = this.#ops[own];
    if (op === undefined) throw new RangeError(`Cannot look up op ${own}: the part has no such op`);
    return op;
  }

  /** The value of the whole function. */
  valueOf(own: ValueId): ValueId {
    const value = this.#values[own];
    if (value === undefined) throw new RangeError(`Cannot look up value ${own}: the part has no such value`);
    return value;
  }

  /** Whether all readers of a value are in the part, and nothing returns it. */
  hasAllReaders(own: ValueId): boolean {
    const { uses, returned } = this.#whole.value(this.valueOf(own));
    return returned === 0 && uses.length === valueAt(this.fn, own).uses.length;
  }

  /** The roles of the whole function, restricted to the part. */
  roles({ decided, readsElsewhere, pinned, constantDerived }: OpRoles): OpRoles {
    const ofOps = (roles: readonly boolean[]) => this.#ops.map((op) => roles[op] === true);
    const ofValues = (roles: readonly boolean[]) => this.#values.map((value) => roles[value] === true);
    return {
      decided: ofOps(decided),
      readsElsewhere: ofOps(readsElsewhere),
      pinned: ofValues(pinned),
      constantDerived: ofValues(constantDerived),
    };
  }

  /**
   * Given the restrictions that made one part fit L1: the restrictions of the whole function if a part like it
   * uses them too.
   *
   * @param whole restrictions of the whole function so far
   * @param own restrictions of the first part, by its own ids, which are the same in `alike`
   * @param alike the part that is to use them
   */
  static within(whole: Placing, own: Placing, alike: PartFunction): Placing {
    const { caps } = own;
    const ops = new Map(whole.caps.ops);
    for (const [op, bytes] of caps.ops) ops.set(alike.opOf(op), bytes);
    const values = new Map(whole.caps.values);
    for (const { value, reader } of alike.#guests()) {
      values.set(value, new Map(values.get(value)).set(reader, 0));
    }
    for (const [value, readers] of caps.values) {
      const of = alike.valueOf(value);
      const all = new Map(values.get(of));
      for (const [reader, bytes] of readers) all.set(alike.#readerOf(value, reader), bytes);
      values.set(of, all);
    }
    const moved = new Map(whole.caps.moved);
    for (const [value, readers] of caps.moved) {
      const of = alike.valueOf(value);
      moved.set(
        of,
        new Set([...moved.get(of) ?? [], ...[...readers].map((at) => alike.#readerOf(value, at))]),
      );
    }
    const all: L1Caps = { ...whole.caps, ops, values, moved };
    const ofWhole = <Copy extends Copied>(copy: Copy): Copy => ({
      ...copy,
      value: alike.valueOf(copy.value),
    });
    return {
      caps: all,
      schedule: alike.#scheduled(whole.schedule, own),
      early: [...whole.early, ...own.early.map(ofWhole)],
      detours: [...whole.detours, ...own.detours.map(ofWhole)],
    };
  }

  /**
   * Arguments in DRAM that are also read in other parts, each with its first reader in this one. They must not
   * wait in L1 from one part to the next: each part was made to fit alone, without them. Arguments that only
   * the first op reads are left to the part before, which contains that op as well.
   */
  #guests(): readonly Wait[] {
    return this.fn.arguments.flatMap((own): readonly Wait[] => {
      const value = this.valueOf(own);
      const layout = this.#whole.declared[value];
      const first = valueAt(this.fn, own).uses.findIndex(({ op }) => op > 0);
      if (layout === undefined || first < 0 || this.hasAllReaders(own)) return [];
      return this.#whole.facts(layout).isL1 ? [] : [{ value, reader: this.#readerOf(own, first) }];
    });
  }

  /**
   * A reader as {@linkcode Wait} numbers it in the whole function; for the part's `return`, the first reader
   * after the part.
   */
  #readerOf(own: ValueId, reader: number): number {
    const { uses } = this.#whole.value(this.valueOf(own));
    const use = valueAt(this.fn, own).uses[reader];
    if (use === undefined) {
      const last = this.#ops.at(-1) ?? -1;
      const outside = uses.findIndex(({ op }) => op > last);
      return outside < 0 ? uses.length : outside;
    }
    const op = this.opOf(use.op);
    return uses.findIndex((other) => other.op === op && other.operand === use.operand);
  }

  /**
   * A schedule of the whole function, with the ops of the part in the part's own order. If another op was moved
   * before the part's first one, it stays unchanged: that first op also belongs to the part before.
   */
  #scheduled(schedule: readonly OpId[], { schedule: own }: Placing): readonly OpId[] {
    if (own[0] !== 0 || own.every((op, index) => op === index)) return schedule;
    const order = own.map((op) => this.opOf(op)).values();
    const ours = new Set(this.#ops);
    return schedule.map((op) => ours.has(op) ? order.next().value ?? op : op);
  }
}
