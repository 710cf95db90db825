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

  /** The table of a tensor for some layouts, each once. */
  table(tensor: TensorShape, layouts: readonly LayoutId[]): ConversionTable {
    const key = `${tensor.shape.join("x")}:${tensor.dataType}|${layouts.join()}`;
    let table = this.#tables.get(key);
    if (table === undefined) this.#tables.set(key, table = this.#close(tensor, layouts));
    return table;
  }

  /** All shortest paths, by Floyd and Warshall. */
  #close(tensor: TensorShape, layouts: readonly LayoutId[]): ConversionTable {
    const count = layouts.length;
    const costs = new Float64Array(count * count);
    const indices = new Map(layouts.map((layout, index) => [layout, index]));
    layouts.forEach((from, a) =>
      layouts.forEach((to, b) => {
        costs[a * count + b] = this.#evaluator.reshardMicroseconds(tensor, from, to);
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
