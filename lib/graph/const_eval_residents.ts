// SPDX-License-Identifier: Apache-2.0
import { shardBytes } from "../layout/make_layout.ts";
import { LOAD_CACHED } from "../ops/calls.ts";
import { type GraphFunction, valueAt } from "./graph.ts";

/**
 * L1 bytes per core of const-eval results, from the layouts of their loads: each result of each const-eval
 * function counts once, however often it is loaded. Used for modules without `ttnn.l1_const_eval_usage`,
 * which older compilers do not write.
 */
export function constEvalResidentBytes(functions: readonly GraphFunction[]): number {
  const counted = new Set<string>();
  let bytes = 0;
  for (const fn of functions) {
    for (const op of fn.ops) {
      if (op.name !== LOAD_CACHED) continue;
      const callee = op.attributes.get("callee");
      const source = callee?.kind === "symbol" ? callee.name : `${fn.name}/${op.id}`;
      op.results.forEach((result, index) => {
        const layout = valueAt(fn, result).layout;
        const key = `${source}#${index}`;
        if (layout?.bufferType !== "l1" || counted.has(key)) return;
        counted.add(key);
        bytes += shardBytes(layout);
      });
    }
  }
  return bytes;
}
