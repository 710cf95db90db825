// SPDX-License-Identifier: Apache-2.0
import type { OpId, TensorShape } from "../graph/graph.ts";
import type { LayoutId } from "../layout/layout_table.ts";
import { type Assignment, bornLayout, type OpAssignment } from "../search/assignment.ts";
import { combineCandidates, type InputCandidate } from "./combinations.ts";
import type { LayoutIds, OpEvaluator, Outcome } from "../search/op_evaluator.ts";
import type { OpRoles } from "../search/op_roles.ts";

/** What refinement may do. */
export interface RefineOptions {
  /** Bytes per core that an op may fill with its operands, results and circular buffers. */
  readonly l1Budget: number;
  /** Sweeps over the function at most; it stops earlier when a sweep changes nothing. */
  readonly sweeps: number;
  readonly maxCombinations: number;
}

/** Gains below this are noise of floating point sums. */
const LEAST_GAIN = 1e-9;

/**
 * Improves an assignment op by op while all others stay: for every way to feed and run one op, the sum of its own time,
 * of the copies that its operands then need, and of the copies that its readers then need. Copies are counted once per
 * value and layout, as the plan makes them. The predicted time never rises.
 */
export function refineAssignment(
  evaluator: OpEvaluator,
  roles: OpRoles,
  start: Assignment,
  options: RefineOptions,
): Assignment {
  const refiner = new Refiner(evaluator, roles, start, options);
  for (let sweep = 0; sweep < options.sweeps; sweep++) {
    if (!refiner.sweep()) break;
  }
  return refiner.assignment;
}

/** What the readers of one result want. */
interface Demand {
  readonly tensor: TensorShape | undefined;
  readonly wanted: ReadonlySet<LayoutId>;
}

class Refiner {
  readonly assignment: OpAssignment[];
  readonly #evaluator: OpEvaluator;
  readonly #roles: OpRoles;
  readonly #options: RefineOptions;
  /** By op: whether its neighbourhood changed since it was last looked at. */
  readonly #stale: boolean[];

  constructor(evaluator: OpEvaluator, roles: OpRoles, start: Assignment, options: RefineOptions) {
    this.#evaluator = evaluator;
    this.#roles = roles;
    this.#options = options;
    this.assignment = [...start];
    this.#stale = start.map(() => true);
  }

  /** Improves every op whose neighbourhood changed since it was last looked at; whether any op changed. */
  sweep(): boolean {
    let changed = false;
    for (const op of this.#evaluator.fn.ops) {
      if (this.#stale[op.id] !== true) continue;
      this.#stale[op.id] = false;
      if (!this.#improve(op.id)) continue;
      changed = true;
      this.#markNeighbours(op.id);
    }
    return changed;
  }

  /** Producers, readers, and other readers of the same operands: their prices depend on this op. */
  #markNeighbours(id: OpId): void {
    const { fn } = this.#evaluator;
    const op = fn.ops[id];
    for (const value of op?.results ?? []) {
      for (const use of fn.values[value]?.uses ?? []) this.#stale[use.op] = true;
    }
    for (const value of op?.operands ?? []) {
      const graphValue = fn.values[value];
      if (graphValue?.definition.kind === "result") this.#stale[graphValue.definition.op] = true;
      for (const use of graphValue?.uses ?? []) if (use.op !== id) this.#stale[use.op] = true;
    }
  }

  /** Takes the best way to run one op; whether that changed anything. */
  #improve(id: OpId): boolean {
    const current = this.assignment[id];
    if (current === undefined || this.#roles.decided[id] !== true) return false;
    const demands = this.#demands(id);
    const readCosts = new Map<number, number>();
    const readCost = (outputsId: number, outputs: LayoutIds): number => {
      let cost = readCosts.get(outputsId);
      if (cost === undefined) readCosts.set(outputsId, cost = this.#readCost(demands, outputs));
      return cost;
    };
    const before = this.#currentFeedCost(id, current.inputs) +
      this.#evaluator.runtime(id, current.inputs, current) +
      readCost(this.#evaluator.outputsId(current.outputs), current.outputs);
    let best: { inputs: LayoutIds; outcome: Outcome } | undefined;
    let bestCost = before - LEAST_GAIN;
    for (const feed of this.#feeds(id, current)) {
      const floor = this.#feedCost(id, feed);
      if (floor >= bestCost) continue;
      const inputs = feed.map((entry) => entry.layout);
      for (const outcome of this.#evaluator.outcomes(id, inputs)) {
        if (floor + outcome.microseconds >= bestCost) continue;
        const cost = floor + outcome.microseconds + readCost(outcome.outputsId, outcome.outputs);
        if (cost >= bestCost || !this.#fits(id, inputs, outcome)) continue;
        bestCost = cost;
        best = { inputs, outcome };
      }
    }
    if (best === undefined) return false;
    this.assignment[id] = {
      inputs: best.inputs,
      outputs: best.outcome.outputs,
      config: best.outcome.config,
      reasons: [
        ...current.reasons,
        `refinement: ${(before - bestCost).toFixed(2)} µs less with its neighbours`,
      ],
    };
    return true;
  }

  /** µs of the copies that the op needs now and nobody else does. */
  #currentFeedCost(id: OpId, inputs: LayoutIds): number {
    return this.#feedCost(id, inputs.map((layout, operand) => this.#priced(id, operand, layout)));
  }

  /** Ways to feed the op: as its producers make the values, as other readers want them, or resharded. */
  #feeds(id: OpId, current: OpAssignment): readonly (readonly InputCandidate[])[] {
    const { fn, opModel } = this.#evaluator;
    const op = fn.ops[id];
    const signature = this.#evaluator.signatures[id];
    if (op === undefined || signature === undefined) return [];
    const operands = op.operands.map((value, operand): readonly InputCandidate[] => {
      const tensor = fn.values[value]?.tensor;
      const born = bornLayout(this.#evaluator, this.assignment, value);
      const present = current.inputs[operand];
      if (tensor === undefined || born === undefined || this.#roles.pinned[value] === true) {
        return [candidate(present, 0)];
      }
      const layouts = new Set<LayoutId>([born]);
      if (present !== undefined) layouts.add(present);
      for (const use of fn.values[value]?.uses ?? []) {
        const wanted = this.assignment[use.op]?.inputs[use.operand];
        if (wanted !== undefined) layouts.add(wanted);
      }
      if (this.#roles.constantDerived[value] !== true) {
        layouts.add(this.#evaluator.interleaved(tensor, born, "dram"));
        if (this.#evaluator.limits.enableL1ShardingLayouts) {
          layouts.add(this.#evaluator.interleaved(tensor, born, "l1"));
        }
        if (opModel.exploresReshards(signature, operand)) {
          for (const target of this.#evaluator.catalog.reshardTargets(tensor, born)) layouts.add(target);
        }
      }
      return [...layouts].flatMap((layout) => {
        if (layout !== present && !opModel.acceptsInput(signature, operand, layout)) {
          return [];
        }
        const priced = this.#priced(id, operand, layout);
        return priced.priority === Infinity ? [] : [priced];
      });
    });
    return combineCandidates(
      operands,
      [],
      (layout) => this.#uniformKey(layout),
      this.#options.maxCombinations,
    );
  }

  #uniformKey(id: LayoutId): string {
    const layout = this.#evaluator.layouts.get(id);
    return `${layout.bufferType}/${layout.memoryLayout}/${layout.gridShape.join("x")}`;
  }

  /** An operand read in a layout, priced with the copy that only this op needs for it. */
  #priced(id: OpId, operand: number, layout: LayoutId | undefined): InputCandidate {
    const { fn, layouts } = this.#evaluator;
    const value = fn.ops[id]?.operands[operand] ?? -1;
    const graphValue = fn.values[value];
    const born = bornLayout(this.#evaluator, this.assignment, value);
    if (layout === undefined || born === undefined || graphValue?.tensor === undefined || layout === born) {
      return candidate(layout, 0);
    }
    const shared =
      graphValue.uses.some((use) =>
        use.op !== id && this.assignment[use.op]?.inputs[use.operand] === layout
      ) || (graphValue.returned > 0 && graphValue.layout !== undefined &&
        layouts.intern(graphValue.layout) === layout);
    const microseconds = this.#move(graphValue.tensor, born, layout);
    return candidate(layout, shared && microseconds < Infinity ? 0 : microseconds);
  }

  /** µs of the copies that only this op needs; a value read twice in one layout needs one. */
  #feedCost(id: OpId, feed: readonly InputCandidate[]): number {
    const operands = this.#evaluator.fn.ops[id]?.operands ?? [];
    let microseconds = 0;
    feed.forEach((entry, operand) => {
      for (let earlier = 0; earlier < operand; earlier++) {
        if (operands[earlier] === operands[operand] && feed[earlier]?.layout === entry.layout) return;
      }
      microseconds += entry.priority;
    });
    return microseconds;
  }

  /** Per result: the layouts in which readers and `return` want it. */
  #demands(id: OpId): readonly Demand[] {
    const { fn, layouts } = this.#evaluator;
    return (fn.ops[id]?.results ?? []).map((value): Demand => {
      const graphValue = fn.values[value];
      const wanted = new Set<LayoutId>();
      for (const use of graphValue?.uses ?? []) {
        const layout = this.assignment[use.op]?.inputs[use.operand];
        if (layout !== undefined) wanted.add(layout);
      }
      if (graphValue?.layout !== undefined && graphValue.returned > 0) {
        wanted.add(layouts.intern(graphValue.layout));
      }
      return { tensor: graphValue?.tensor, wanted };
    });
  }

  /** µs of the copies that readers and `return` need when the op makes these layouts. */
  #readCost(demands: readonly Demand[], outputs: LayoutIds): number {
    let microseconds = 0;
    demands.forEach(({ tensor, wanted }, index) => {
      const born = outputs[index];
      if (born === undefined || tensor === undefined) return;
      for (const layout of wanted) microseconds += this.#move(tensor, born, layout);
    });
    return microseconds;
  }

  #move(tensor: TensorShape, from: LayoutId, to: LayoutId): number {
    return this.#evaluator.reshard(tensor, from, to)?.microseconds ?? Infinity;
  }

  #fits(id: OpId, inputs: LayoutIds, outcome: Outcome): boolean {
    const { fn, layouts } = this.#evaluator;
    const op = fn.ops[id];
    if (op === undefined) return false;
    let operandBytes = 0;
    const counted = new Set<string>();
    inputs.forEach((layout, operand) => {
      const key = `${op.operands[operand]}:${layout}`;
      if (layout === undefined || counted.has(key)) return;
      counted.add(key);
      operandBytes += this.#evaluator.facts(layout).l1Bytes;
    });
    if (
      operandBytes + outcome.outputL1Bytes > 0 && operandBytes + outcome.l1PeakBytes > this.#options.l1Budget
    ) {
      return false;
    }
    return op.results.every((value, index) => {
      const declared = fn.values[value]?.layout;
      const output = outcome.outputs[index];
      if (declared === undefined) return true;
      return output !== undefined &&
        (layouts.get(output).tile === undefined) === (declared.tile === undefined);
    });
  }
}

function candidate(layout: LayoutId | undefined, priority: number): InputCandidate {
  return { layout, slot: -1, isReshard: false, reshardMicroseconds: priority, priority };
}
