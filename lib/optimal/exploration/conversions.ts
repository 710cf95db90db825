// SPDX-License-Identifier: Apache-2.0
import type { TensorShape } from "../../ops/op_signature.ts";
import type { LayoutId } from "../../layout/layout_table.ts";
import { congestedMoveMicroseconds } from "../../search/congested_times.ts";
import { l1Need } from "../../search/impls.ts";
import type { OpEvaluator } from "../../search/op_evaluator.ts";

/** Conversions of a tensor from one layout of a list to another, with one or several copies. */
export interface ConversionTable {
  /**
   * Least µs; `Infinity` if no copies lead there.
   *
   * @throws {RangeError} for a layout outside of the list
   */
  microseconds(from: LayoutId, to: LayoutId): number;
  /** Layouts on the cheapest path, both ends included; meaningless where none leads there. */
  path(from: LayoutId, to: LayoutId): readonly LayoutId[];
}

/** Known conversions of tensors of one shape and format. */
interface TensorConversions {
  /** By list of layouts, as one object for lists that are looked up often. */
  readonly tables: Map<readonly LayoutId[], ConversionTable>;
  /** µs of the moves within a list of layouts without congestion; the source varies slowly, the target fast. */
  readonly direct: Map<readonly LayoutId[], Float64Array>;
  /** µs of moves that are priced with congestion, by source and target. */
  readonly congested: Map<LayoutId, Map<LayoutId, number>>;
}

/**
 * Prices of conversions within a set of layouts of a tensor, as shortest paths: a plan may copy a copy (a spill
 * and its reload do), so a reader pays at least the shortest path. Tables are shared between equal shapes.
 */
export class Conversions {
  readonly #evaluator: OpEvaluator;
  readonly #l1Bytes: number;
  readonly #byTensor: Map<string, TensorConversions> = new Map();
  /** The same by tensor: every solution of a search looks up every value. */
  readonly #ofTensor: WeakMap<TensorShape, TensorConversions> = new WeakMap();
  #repriced = 0;

  /** @param l1Bytes per core: a copy and its source must fit together */
  constructor(evaluator: OpEvaluator, l1Bytes: number) {
    this.#evaluator = evaluator;
    this.#l1Bytes = l1Bytes;
  }

  /** The table of a tensor for some distinct layouts; one object as long as no price on it rises. */
  table(tensor: TensorShape, layouts: readonly LayoutId[]): ConversionTable {
    const { tables } = this.#of(tensor);
    let table = tables.get(layouts);
    if (table === undefined) tables.set(layouts, table = this.#close(tensor, layouts));
    return table;
  }

  /** µs of a move, with detours only if no single op makes it; `Infinity` if it cannot be made. */
  direct(tensor: TensorShape, from: LayoutId, to: LayoutId): number {
    return this.#of(tensor).congested.get(from)?.get(to) ??
      this.#uncongested(tensor, from, to);
  }

  #uncongested(tensor: TensorShape, from: LayoutId, to: LayoutId): number {
    if (from !== to && (this.#isOverfull(from) || this.#isOverfull(to))) return Infinity;
    const reshard = this.#evaluator.reshard(tensor, from, to);
    if (reshard === undefined || !this.#fits(tensor, from, reshard.via, to)) return Infinity;
    return reshard.microseconds;
  }

  /** Whether a tensor exceeds even an empty L1: no copy makes it, and none is made from it. */
  #isOverfull(layout: LayoutId): boolean {
    return this.#evaluator.facts(layout).l1Bytes > this.#l1Bytes;
  }

  #fits(tensor: TensorShape, from: LayoutId, via: LayoutId | undefined, to: LayoutId): boolean {
    if (from === to) return true;
    if (via !== undefined) {
      return this.#fits(tensor, from, undefined, via) && this.#fits(tensor, via, undefined, to);
    }
    const { circularBufferBytes, resultBytes, ownPeakBytes } = this.#evaluator.reshardFootprint(
      tensor,
      from,
      to,
    );
    const outputL1Bytes = resultBytes.reduce((sum, bytes) => sum + bytes, 0);
    const l1PeakBytes = Math.min(ownPeakBytes, circularBufferBytes + outputL1Bytes);
    return l1Need(this.#evaluator.facts(from).l1Bytes, { outputL1Bytes, l1PeakBytes }) <= this.#l1Bytes;
  }

  /** How many moves have got another price by {@linkcode addCongestion}. */
  get repriced(): number {
    return this.#repriced;
  }

  /** Adds NoC congestion to the price of a move from now on; returns whether the price has risen. */
  addCongestion(tensor: TensorShape, from: LayoutId, to: LayoutId): boolean {
    const { tables, congested } = this.#of(tensor);
    if (from === to || congested.get(from)?.has(to) === true) return false;
    const before = this.#uncongested(tensor, from, to);
    if (before === Infinity) return false;
    this.#evaluator.work.charge("congestedMove", 1);
    const after = congestedMoveMicroseconds(this.#evaluator, tensor, from, to) ?? before;
    congested.set(from, (congested.get(from) ?? new Map<LayoutId, number>()).set(to, after));
    if (after !== before) this.#repriced++;
    if (after <= before) return false;
    for (const layouts of tables.keys()) {
      if (layouts.includes(from) && layouts.includes(to)) tables.delete(layouts);
    }
    return true;
  }

  #of(tensor: TensorShape): TensorConversions {
    let own = this.#ofTensor.get(tensor);
    if (own === undefined) {
      const key = `${tensor.shape.join("x")}:${tensor.dataType}`;
      own = this.#byTensor.get(key) ?? { tables: new Map(), direct: new Map(), congested: new Map() };
      this.#byTensor.set(key, own);
      this.#ofTensor.set(tensor, own);
    }
    return own;
  }

  /** The shortest paths between all pairs of layouts (Floyd-Warshall). */
  #close(tensor: TensorShape, layouts: readonly LayoutId[]): ConversionTable {
    const count = layouts.length;
    /** By source and target: the layout after the source on the shortest path. */
    const nextHops = new Int32Array(count * count);
    const indices = new Map(layouts.map((layout, index) => [layout, index]));
    const { direct, congested } = this.#of(tensor);
    let uncongested = direct.get(layouts);
    if (uncongested === undefined) {
      uncongested = Float64Array.from(
        layouts.flatMap((from) => layouts.map((to) => this.#uncongested(tensor, from, to))),
      );
      direct.set(layouts, uncongested);
    }
    const costs = uncongested.slice();
    for (let at = 0; at < nextHops.length; at++) nextHops[at] = at % count;
    for (const [from, moves] of congested) {
      const row = indices.get(from);
      if (row === undefined) continue;
      for (const [to, microseconds] of moves) {
        const column = indices.get(to);
        if (column !== undefined) costs[row * count + column] = microseconds;
      }
    }
    for (let via = 0; via < count; via++) {
      for (let a = 0; a < count; a++) {
        const first = costs[a * count + via] ?? Infinity;
        if (first === Infinity) continue;
        for (let b = 0; b < count; b++) {
          const detour = first + (costs[via * count + b] ?? Infinity);
          if (detour >= (costs[a * count + b] ?? Infinity)) continue;
          costs[a * count + b] = detour;
          nextHops[a * count + b] = nextHops[a * count + via] ?? via;
        }
      }
    }
    const indexOf = (layout: LayoutId): number => {
      const index = indices.get(layout);
      if (index === undefined) {
        throw new RangeError(`Cannot price a conversion of layout ${layout}: not in the table`);
      }
      return index;
    };
    return {
      microseconds: (from, to) => costs[indexOf(from) * count + indexOf(to)] ?? Infinity,
      path(from, to) {
        const path = [from];
        let at = indexOf(from);
        const end = indexOf(to);
        while (at !== end && path.length <= count) {
          at = nextHops[at * count + end] ?? end;
          path.push(layouts[at] ?? to);
        }
        return path;
      },
    };
  }
}
