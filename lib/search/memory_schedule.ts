// SPDX-License-Identifier: Apache-2.0
import { idAt, type OpId } from "../graph/graph.ts";
import { opsBefore } from "./op_order.ts";
import type { OpRoles } from "./op_roles.ts";
import type { LayoutProgram } from "./layout_program.ts";
import { ITSELF } from "./program.ts";

/**
 * Another execution order with a lower peak of L1, by byte sums; `undefined` if none was found. Of
 * {@linkcode memoryOrders} the first with the lowest peak.
 */
export function memorySchedule(program: LayoutProgram, roles: OpRoles): readonly OpId[] | undefined {
  const { fn } = program.evaluator;
  const graph = new DependenceGraph(program, roles);
  const input = fn.ops.map((op) => op.id);
  let best: readonly OpId[] | undefined;
  let bestPeak = graph.peakBytes(input);
  for (const order of graph.orders()) {
    const peak = graph.peakBytes(order);
    if (peak >= bestPeak) continue;
    best = order;
    bestPeak = peak;
  }
  return best;
}

/**
 * Execution orders that need little L1, by byte sums: greedily the ready op that leaves the fewest live bytes; depth
 * first from the results, the operand behind the longest path of result bytes first. Both keep the constraints of
 * {@linkcode opsBefore}. Rejected: the order with the lowest peak, by a beam over sets of finished ops; it changed none
 * of 23 plans that lack L1 and took up to half of their time.
 */
export function memoryOrders(program: LayoutProgram, roles: OpRoles): readonly (readonly OpId[])[] {
  return new DependenceGraph(program, roles).orders();
}

/** Ops of a function with what must run before and after them, and the L1 bytes of their results. */
class DependenceGraph {
  readonly #before: readonly ReadonlySet<OpId>[];
  readonly #after: readonly ReadonlySet<OpId>[];
  /** By op: the values that it reads, each once. */
  readonly #reads: readonly (readonly number[])[];
  readonly #results: readonly (readonly number[])[];
  /** By value: the ops that read it. */
  readonly #readersOf: readonly (readonly OpId[])[];
  /** By value: L1 bytes per core. */
  readonly #bytes: readonly number[];
  /** By value: the number of ops that read it, plus one if it is returned. */
  readonly #readers: readonly number[];

  constructor(program: LayoutProgram, roles: OpRoles) {
    const { fn } = program.evaluator;
    const before = opsBefore(program.evaluator, roles);
    const after: Set<OpId>[] = fn.ops.map(() => new Set());
    before.forEach((ops, op) => {
      for (const earlier of ops) after[earlier]?.add(idAt(op));
    });
    this.#before = before;
    this.#after = after;
    this.#reads = fn.ops.map((op) => [...new Set(op.operands)]);
    this.#results = fn.ops.map((op) => op.results);
    this.#bytes = fn.values.map((value) => {
      const layout = value.definition.kind === "result" ? program.layoutOf(value.id, ITSELF) : undefined;
      return layout === undefined ? 0 : program.evaluator.facts(layout).l1Bytes;
    });
    this.#readers = fn.values.map((value) =>
      new Set(value.uses.map((use) => use.op)).size + (value.returned > 0 ? 1 : 0)
    );
    this.#readersOf = fn.values.map((value) => value.uses.map((use) => use.op));
  }

  orders(): readonly (readonly OpId[])[] {
    return [this.leastLiveFirst(), this.depthFirst()];
  }

  /** Peak of the live bytes in an order. */
  peakBytes(order: readonly OpId[]): number {
    const left = [...this.#readers];
    let live = 0;
    let peak = 0;
    for (const op of order) {
      for (const value of this.#results[op] ?? []) live += this.#bytes[value] ?? 0;
      peak = Math.max(peak, live);
      live -= this.#freedBy(op, left);
      for (const value of this.#reads[op] ?? []) left[value] = (left[value] ?? 0) - 1;
      for (const value of this.#results[op] ?? []) {
        if ((left[value] ?? 0) === 0) live -= this.#bytes[value] ?? 0;
      }
    }
    return peak;
  }

  /** Bytes of the operands whose last remaining reader is this op. */
  #freedBy(op: OpId, left: readonly number[]): number {
    return (this.#reads[op] ?? []).reduce(
      (sum, value) => left[value] === 1 ? sum + (this.#bytes[value] ?? 0) : sum,
      0,
    );
  }

  /** Always the ready op that leaves the fewest live bytes; ties keep the input's order. */
  leastLiveFirst(): readonly OpId[] {
    const waiting = this.#before.map((ops) => ops.size);
    const left = [...this.#readers];
    const ready = new Set<OpId>();
    waiting.forEach((count, op) => {
      if (count === 0) ready.add(idAt(op));
    });
    const order: OpId[] = [];
    const growthOf = (op: OpId): number =>
      sumOf(this.#results[op] ?? [], this.#bytes) - this.#freedBy(op, left);
    const growths = new Map<OpId, number>();
    while (ready.size > 0) {
      let best: OpId | undefined;
      let bestGrowth = Infinity;
      for (const op of ready) {
        const growth = growths.getOrInsertComputed(op, growthOf);
        if (growth > bestGrowth || (growth === bestGrowth && op > (best ?? Infinity))) continue;
        best = op;
        bestGrowth = growth;
      }
      if (best === undefined) break;
      ready.delete(best);
      order.push(best);
      for (const value of this.#reads[best] ?? []) {
        left[value] = (left[value] ?? 0) - 1;
        // Its last reader now frees it.
        if (left[value] === 1) { for (const reader of this.#readersOf[value] ?? []) growths.delete(reader); }
      }
      for (const op of this.#after[best] ?? []) {
        waiting[op] = (waiting[op] ?? 0) - 1;
        if (waiting[op] === 0) ready.add(op);
      }
    }
    return order;
  }

  /** Depth first from the last ops backwards; of an op's predecessors first the one with the longest path of result bytes. */
  depthFirst(): readonly OpId[] {
    // By op: result bytes along the longest path that ends with it.
    const pathBytes = this.#before.map(() => 0);
    // By op: its predecessors that are not done yet, the longest path last.
    const waitsFor = this.#before.map((ops, op) => {
      const earlier = [...ops].sort((a, b) => (pathBytes[a] ?? 0) - (pathBytes[b] ?? 0) || b - a);
      pathBytes[op] = (pathBytes[earlier.at(-1) ?? -1] ?? 0) + sumOf(this.#results[op] ?? [], this.#bytes);
      return earlier;
    });
    const done = new Set<OpId>();
    const order: OpId[] = [];
    this.#after.forEach((later, index) => {
      if (later.size > 0) return;
      const root = idAt<OpId>(index);
      const stack = [root];
      while (stack.length > 0) {
        const op = stack.at(-1) ?? root;
        let next = waitsFor[op]?.pop();
        while (next !== undefined && done.has(next)) next = waitsFor[op]?.pop();
        if (next !== undefined) {
          stack.push(next);
          continue;
        }
        stack.pop();
        if (!done.has(op)) order.push(op);
        done.add(op);
      }
    });
    return order;
  }
}

function sumOf(values: readonly number[], bytes: readonly number[]): number {
  return values.reduce((sum, value) => sum + (bytes[value] ?? 0), 0);
}
