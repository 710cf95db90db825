// SPDX-License-Identifier: Apache-2.0
import type { OpId, ValueId } from "../graph/graph.ts";
import { Heap } from "../search/heap.ts";
import type { OpEvaluator } from "../search/op_evaluator.ts";

/** Most bytes of L1 per core that an op may need, and that a value may take while it waits for one of its readers. */
export interface L1Caps {
  readonly ops: ReadonlyMap<OpId, number>;
  /** By value, then by reader: every use in order, then `return`. */
  readonly values: ReadonlyMap<ValueId, ReadonlyMap<number, number>>;
}

/** What takes L1 while an op runs: the op itself, or a value that waits for a reader. */
export type L1Item =
  & { readonly bytes: number }
  & (
    | { readonly kind: "op"; readonly op: OpId }
    | { readonly kind: "value"; readonly value: ValueId; readonly reader: number }
  );

/** Least µs under some caps, and what the solution needs while each op runs. */
export interface CappedSolution {
  readonly bound: number;
  readonly items: readonly (readonly L1Item[])[];
}

/** Solutions that {@linkcode leastThatFits} looks at. */
const MOST_SOLUTIONS = 48;

interface Node<Solution> {
  /** At least that of the node that it branches from. */
  readonly bound: number;
  readonly order: number;
  readonly caps: L1Caps;
  readonly solution: Solution;
}

/**
 * A lower bound over everything that fits L1 by sums of bytes, by branch and bound: where a solution needs more than there
 * is while an op runs, one of the things that lie there must be smaller by its part of what is missing. Best first, so that
 * the first solution that fits is the least one; a bounded number of them gives the least of those that are still open.
 *
 * @param capacity bytes per core
 * @returns the bound and the solution that it is from; `undefined` when the solution without caps fits, or none does
 */
export function leastThatFits<Solution extends CappedSolution>(
  solve: (caps: L1Caps) => Solution,
  capacity: number,
): { readonly bound: number; readonly solution: Solution } | undefined {
  const open = new Heap<Node<Solution>>((a, b) =>
    a.bound < b.bound || (a.bound === b.bound && a.order < b.order)
  );
  let solutions = 0;
  const visit = (caps: L1Caps, atLeast: number): void => {
    const solution = solve(caps);
    open.push({ bound: Math.max(solution.bound, atLeast), solution, caps, order: solutions++ });
  };
  visit({ ops: new Map(), values: new Map() }, 0);
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    const { bound, caps, solution } = node;
    if (bound === Infinity) return undefined;
    const [worst, missing] = mostMissing(solution.items, capacity);
    if (missing <= 0) return node.order === 0 ? undefined : { bound, solution };
    if (solutions >= MOST_SOLUTIONS) return { bound, solution };
    const part = missing / worst.length;
    for (const item of worst) {
      if (item.bytes >= part) visit(withCap(caps, item, item.bytes - part), bound);
    }
  }
  return undefined;
}

/** What takes L1 where most of it is missing, and how many bytes are. */
function mostMissing(
  items: readonly (readonly L1Item[])[],
  capacity: number,
): readonly [readonly L1Item[], number] {
  let worst: readonly L1Item[] = [];
  let missing = 0;
  for (const present of items) {
    const short = present.reduce((sum, { bytes }) => sum + bytes, 0) - capacity;
    if (short <= missing) continue;
    missing = short;
    worst = present;
  }
  return [worst, missing];
}

function withCap({ ops, values }: L1Caps, item: L1Item, bytes: number): L1Caps {
  if (item.kind === "op") return { ops: new Map(ops).set(item.op, bytes), values };
  const readers = new Map(values.get(item.value)).set(item.reader, bytes);
  return { ops, values: new Map(values).set(item.value, readers) };
}

/**
 * Per reader of a value, the ops during which it waits for that reader and no earlier one, whatever the order of ops: those
 * that must come after the op that makes it and before the reader. An op that reads the value itself is none of them: what
 * it reads, which counts as the op's, may be what waits.
 */
export function waitsOf(evaluator: OpEvaluator, value: ValueId): readonly (readonly number[])[] {
  const { fn } = evaluator;
  const { definition, uses, returned } = evaluator.value(value);
  const ends: number[] = uses.map(({ op }) => op);
  if (returned > 0) ends.push(fn.ops.length);
  const first = definition.kind === "result" ? definition.op + 1 : 0;
  const after = new Set<number>([value]);
  const inside = fn.ops.slice(first, Math.max(0, ...ends)).filter(({ operands, results }) => {
    if (!operands.some((operand) => after.has(operand))) return false;
    for (const result of results) after.add(result);
    return true;
  });
  const taken = new Set<number>(uses.map(({ op }) => op));
  return ends.map((end) => {
    const before = new Set<number>(fn.ops[end]?.operands ?? fn.results);
    const waits: number[] = [];
    for (const { id, operands, results } of inside.toReversed()) {
      if (id >= end || (end < fn.ops.length && !results.some((result) => before.has(result)))) continue;
      for (const operand of operands) before.add(operand);
      if (taken.has(id)) continue;
      taken.add(id);
      waits.push(id);
    }
    return waits;
  });
}
