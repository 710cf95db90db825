// SPDX-License-Identifier: Apache-2.0
import type { TensorShape } from "../ops/op_signature.ts";
import type { LayoutId } from "../layout/layout_table.ts";
import type { OpEvaluator } from "../search/op_evaluator.ts";

/** Least µs to get a tensor from one layout to another, over one or several copies. */
export interface ConversionTable {
  /** `Infinity` where no copies lead there. */
  microseconds(from: LayoutId, to: LayoutId): number;
}

/**
 * Prices of conversions within a set of layouts of a tensor, closed over detours: a plan may copy a copy (a spill and
 * its reload do), so that what a reader pays is at least the shortest path. Tables are shared between equal shapes.
 */
export class Conversions {
  readonly #evaluator: OpEvaluator;
  readonly #tables: Map<string, ConversionTable> = new Map();

  constructor(evaluator: OpEvaluator) {
    this.#evaluator = evaluator;
  }

  /**
   * The table of a tensor for some layouts, each once.
   *
   * @param hidesWait whether copies are priced without the dispatcher's wait after them
   */
  table(tensor: TensorShape, layouts: readonly LayoutId[], hidesWait: boolean): ConversionTable {
    const key = `${tensor.shape.join("x")}:${tensor.dataType}|${hidesWait}|${layouts.join()}`;
    let table = this.#tables.get(key);
    if (table === undefined) this.#tables.set(key, table = this.#close(tensor, layouts, hidesWait));
    return table;
  }

  /** µs of a move, without detours but where no single op makes it; `Infinity` when it cannot be made. */
  direct(tensor: TensorShape, from: LayoutId, to: LayoutId, hidesWait: boolean): number {
    const reshard = this.#evaluator.reshard(tensor, from, to);
    if (reshard === undefined || !hidesWait || from === to) return reshard?.microseconds ?? Infinity;
    const { cost } = this.#evaluator;
    const own = (a: LayoutId, b: LayoutId): number => cost.getReshardRuntime(tensor, a, b).microseconds;
    return reshard.via === undefined ? own(from, to) : own(from, reshard.via) + own(reshard.via, to);
  }

  /** All shortest paths, by Floyd and Warshall. */
  #close(tensor: TensorShape, layouts: readonly LayoutId[], hidesWait: boolean): ConversionTable {
    const count = layouts.length;
    const costs = new Float64Array(count * count);
    const indices = new Map(layouts.map((layout, index) => [layout, index]));
    layouts.forEach((from, a) =>
      layouts.forEach((to, b) => {
        costs[a * count + b] = this.direct(tensor, from, to, hidesWait);
      })
    );
    for (let via = 0; via < count; via++) {
      for (let a = 0; a < count; a++) {
        const first = costs[a * count + via] ?? Infinity;
        if (first === Infinity) continue;
        for (let b = 0; b < count; b++) {
          const detour = first + (costs[via * count + b] ?? Infinity);
          if (detour < (costs[a * count + b] ?? Infinity)) costs[a * count + b] = detour;
        }
      }
    }
    return {
      microseconds(from, to) {
        const a = indices.get(from);
        const b = indices.get(to);
        if (a === undefined || b === undefined) {
          throw new RangeError(`Cannot price a conversion from layout ${from} to ${to}: not in the table`);
        }
        return costs[a * count + b] ?? Infinity;
      },
    };
  }
}
