// SPDX-License-Identifier: Apache-2.0
import type { TtnnFunction } from "../emit/ttnn_function.ts";
import type { TtnnOp, TtnnValue } from "../emit/ttnn_value.ts";
import { relu, silu } from "./activations.ts";
import { linear } from "./linear.ts";
import { OpGraph, type Pattern } from "./op_graph.ts";
import { mean, rmsNorm, softmax } from "./reductions.ts";

/** In this order: later patterns look for what earlier ones make. */
const PATTERNS: readonly Pattern[] = [relu, silu, mean, softmax, rmsNorm, linear];

/** Ops without effects, which go when nothing uses them any more. */
const PURE: ReadonlySet<string> = new Set(
  [
    "add",
    "exp",
    "full",
    "matmul",
    "max",
    "mean",
    "multiply",
    "ones",
    "pow_scalar",
    "repeat",
    "reshape",
    "rsqrt",
    "sigmoid",
    "subtract",
    "sum",
    "typecast",
    "zeros",
  ].map((name) => `ttnn.${name}`),
);

/**
 * Joins groups of ops into the one op that does the same, as upstream's fusing passes do on every level: `relu`, `silu`,
 * `mean`, `softmax`, `rms_norm` and `linear`.
 */
export function fuseOps(func: TtnnFunction): void {
  // What an op changes in place (caches) must be read where the input reads it.
  const changed = new Set(
    func.ops.filter(({ results }) => results.length === 0).map(({ operands }) => operands[0]),
  );
  let graph = new OpGraph(func);
  for (const [index, pattern] of PATTERNS.entries()) {
    let isChanged = index === 0;
    const fused: TtnnOp[] = [];
    for (const op of func.ops) {
      const replacement = pattern(op, graph);
      const moved = replacement?.some(({ operands }) => operands.some((operand) => changed.has(operand)));
      if (replacement === undefined || moved === true) fused.push(op);
      else {
        fused.push(...replacement);
        isChanged = true;
      }
    }
    if (!isChanged) continue;
    func.ops = withoutDead(fused, func.results);
    graph = new OpGraph(func);
  }
}

function withoutDead(ops: readonly TtnnOp[], returned: readonly TtnnValue[]): TtnnOp[] {
  const needed = new Set<TtnnValue>(returned);
  const kept: TtnnOp[] = [];
  for (const op of ops.toReversed()) {
    if (PURE.has(op.name) && !op.results.some((result) => needed.has(result))) continue;
    kept.push(op);
    for (const operand of op.operands) needed.add(operand);
  }
  return kept.reverse();
}
