// SPDX-License-Identifier: Apache-2.0
import type { OpId, ValueId } from "../graph/graph.ts";
import type { TensorShape } from "../ops/op_signature.ts";
import type { LayoutId, LayoutIds } from "../layout/layout_table.ts";
import { choiceFor, producedLayout, readLayouts } from "../search/assignment.ts";
import type { OpEvaluator } from "../search/op_evaluator.ts";
import type { OpRoles } from "../search/op_roles.ts";
import { type Assignment, type Choice, l1Need, type OpImpl } from "../search/impls.ts";
import { climb, type Pass } from "../search/climb.ts";
import { combineCandidates, type OperandCandidate } from "./combinations.ts";

/** Limits of refinement. */
interface RefineOptions {
  /** Bytes per core that an op may fill with its operands, results and circular buffers. */
  readonly l1Budget: number;
  /** At most this many sweeps over the function; it ends earlier when a sweep changes nothing. */
  readonly sweeps: number;
  readonly maxCombinations: number;
  /** Improvements from earlier refinements with the same roles and options; new ones are added. */
  readonly cache: ImprovementCache;
}

/** The best implementation of an op by everything that it depends on; `null` if the op already has it. */
export type ImprovementCache = Map<string, Improvement | null>;

/** A better implementation of an op with its neighbours fixed. */
interface Improvement {
  readonly inputs: LayoutIds;
  readonly impl: OpImpl;
  /** µs. */
  readonly gain: number;
}

/**
 * The layouts in which a value is read, each with its reader, in order of first use; `undefined` if there are
 * several readers.
 */
type Wanted = ReadonlyMap<LayoutId, OpId | undefined>;

/** Smaller gains are noise of floating-point sums. */
const LEAST_GAIN = 1e-9;

/**
 * Improves an assignment op by op with all other ops fixed. Cost of an implementation on given operand
 * layouts = the op's own time + copies that its operands need + copies that its readers need; a copy counts
 * once per value and layout, as the plan makes it. The predicted time never rises.
 */
export function refineAssignment(
  evaluator: OpEvaluator,
  roles: OpRoles,
  start: Assignment,
  options: RefineOptions,
): Assignment {
  const refiner = new Refiner(evaluator, roles, start, options);
  climb([refiner], options.sweeps);
  return refiner.assignment;
}

/** The readers of one result, by the layout that they read. */
interface Demand {
  readonly tensor: TensorShape | undefined;
  readonly wanted: ReadonlySet<LayoutId>;
}

class Refiner implements Pass<OpId> {
  readonly assignment: Choice[];
  readonly #evaluator: OpEvaluator;
  readonly #roles: OpRoles;
  readonly #options: RefineOptions;
  /** By op: whether its neighbourhood changed since it was last examined. */
  readonly #stale: boolean[];
  /** By value; `undefined` after a reader changed. */
  readonly #wanted: (Wanted | undefined)[] = [];

  constructor(evaluator: OpEvaluator, roles: OpRoles, start: Assignment, options: RefineOptions) {
    this.#evaluator = evaluator;
    this.#roles = roles;
    this.#options = options;
    this.assignment = [...start];
    this.#stale = start.map(() => true);
  }

  isSpent(): boolean {
    return false;
  }

  /** Every op whose neighbourhood changed since it was last examined. */
  *sites(): Iterable<OpId> {
    for (const { id } of this.#evaluator.fn.ops) if (this.#stale[id] === true) yield id;
  }

  improveAt(id: OpId): boolean {
    this.#stale[id] = false;
    this.#evaluator.work.charge("refinedOp", 1);
    const isChanged = this.#improve(id);
    if (isChanged) this.#markNeighbours(id);
    return isChanged;
  }

  /** Producers, readers, and other readers of the same operands: their costs depend on this op. */
  #markNeighbours(id: OpId): void {
    const evaluator = this.#evaluator;
    const { operands, results } = evaluator.op(id);
    for (const value of results) {
      for (const use of evaluator.value(value).uses) this.#stale[use.op] = true;
    }
    for (const value of operands) {
      const producer = evaluator.producer(value);
      if (producer !== undefined) this.#stale[producer] = true;
      for (const use of evaluator.value(value).uses) if (use.op !== id) this.#stale[use.op] = true;
    }
  }

  /** Gives one op its best implementation; returns whether that changed it. */
  #improve(id: OpId): boolean {
    if (this.#roles.decided[id] !== true) return false;
    const current = choiceFor(this.assignment, id);
    const { cache } = this.#options;
    const key = this.#keyOf(id, current);
    const improvement = cache.getOrInsertComputed(key, () => this.#bestOf(id, current) ?? null);
    if (improvement === null) return false;
    const { inputs, impl, gain } = improvement;
    this.assignment[id] = {
      inputs,
      outputs: impl.outputs,
      config: impl.config,
      reasons: [...current.reasons, `refinement: ${gain.toFixed(2)} µs less with its neighbours`],
    };
    for (const value of this.#evaluator.op(id).operands) this.#wanted[value] = undefined;
    return true;
  }

  /**
   * Equal for ops with the same best implementation: same structure, same choice, and neighbours that produce
   * and read the same layouts.
   */
  #keyOf(id: OpId, current: Choice): string {
    const evaluator = this.#evaluator;
    const { operands, results } = evaluator.op(id);
    const parts: (number | string)[] = [
      evaluator.structureId(id),
      evaluator.choiceId(current),
    ];
    const addReaders = (value: ValueId): void => {
      for (const [layout, reader] of this.#wantedOf(value)) {
        parts.push(layout, reader === id ? "only" : "");
      }
      parts.push(evaluator.returnedIn(value) ?? "-");
    };
    for (const value of operands) {
      parts.push(
        operands.indexOf(value),
        producedLayout(evaluator, this.assignment, value) ?? "-",
        this.#roles.pinned[value] === true ? "p" : "",
        this.#roles.constantDerived[value] === true ? "c" : "",
      );
      addReaders(value);
    }
    results.forEach(addReaders);
    return parts.join();
  }

  /** The layouts in which ops read a value, each with its reader. */
  #wantedOf(value: ValueId): Wanted {
    const cached = this.#wanted[value];
    if (cached !== undefined) return cached;
    const wanted = new Map<LayoutId, OpId | undefined>();
    for (const { op, operand } of this.#evaluator.value(value).uses) {
      const layout = choiceFor(this.assignment, op).inputs[operand];
      if (layout === undefined) continue;
      wanted.set(layout, !wanted.has(layout) || wanted.get(layout) === op ? op : undefined);
    }
    this.#wanted[value] = wanted;
    return wanted;
  }

  /** The best implementation of one op; `undefined` if it already has it. */
  #bestOf(id: OpId, current: Choice): Improvement | undefined {
    const demands = this.#demands(id);
    const readCosts = new Map<number, number>();
    const readCost = (outputsId: number, outputs: LayoutIds): number => {
      return readCosts.getOrInsertComputed(outputsId, () => this.#readCost(demands, outputs));
    };
    const before = this.#currentCombinationCost(id, current.inputs) +
      this.#evaluator.runtime(id, current.inputs, current) +
      readCost(this.#evaluator.outputsId(current.outputs), current.outputs);
    let best: Improvement | undefined;
    let bestCost = before - LEAST_GAIN;
    for (const combination of this.#combinations(id, current)) {
      const floor = this.#combinationCost(id, combination);
      if (floor >= bestCost) continue;
      const inputs = combination.map((entry) => entry.layout);
      if (this.#evaluator.operandL1Bytes(id, inputs) > this.#options.l1Budget) continue;
      for (const impl of this.#evaluator.impls(id, inputs)) {
        if (floor + impl.microseconds >= bestCost) continue;
        const cost = floor + impl.microseconds + readCost(impl.outputsId, impl.outputs);
        if (cost >= bestCost || !this.#fits(id, inputs, impl)) continue;
        bestCost = cost;
        best = { inputs, impl, gain: before - cost };
      }
    }
    return best;
  }

  /** µs of the copies that only this op needs at present. */
  #currentCombinationCost(id: OpId, inputs: LayoutIds): number {
    return this.#combinationCost(id, inputs.map((layout, operand) => this.#priced(id, operand, layout)));
  }

  /** Candidate operand layouts: as produced, as other readers have them copied, or resharded. */
  #combinations(id: OpId, current: Choice): readonly (readonly OperandCandidate[])[] {
    const evaluator = this.#evaluator;
    const { opModel } = evaluator;
    const signature = evaluator.signature(id);
    const operands = evaluator.op(id).operands.map((value, operand): readonly OperandCandidate[] => {
      const { tensor } = evaluator.value(value);
      const producedIn = producedLayout(evaluator, this.assignment, value);
      const present = current.inputs[operand];
      if (tensor === undefined || producedIn === undefined || this.#roles.pinned[value] === true) {
        return [{ layout: present, priority: 0 }];
      }
      const layouts = new Set<LayoutId>([producedIn]);
      if (present !== undefined) layouts.add(present);
      for (const wanted of this.#wantedOf(value).keys()) layouts.add(wanted);
      for (const wanted of evaluator.overrides.memReconfigLayouts(id, operand)) layouts.add(wanted);
      if (this.#roles.constantDerived[value] !== true) {
        layouts.add(evaluator.interleaved(tensor, producedIn, "dram"));
        if (evaluator.limits.enableL1ShardingLayouts) {
          layouts.add(evaluator.interleaved(tensor, producedIn, "l1"));
        }
        if (opModel.exploresReshards(signature, operand)) {
          for (const target of evaluator.catalog.reshardTargets(tensor, producedIn)) layouts.add(target);
        }
      }
      return [...layouts].flatMap((layout) => {
        if (layout !== present && !opModel.acceptsInput(signature, operand, layout)) return [];
        const priced = this.#priced(id, operand, layout);
        return priced.priority === Infinity ? [] : [priced];
      });
    });
    return combineCandidates(
      operands,
      [],
      (layout) => evaluator.facts(layout).uniformKey,
      this.#options.maxCombinations,
    );
  }

  /** An operand read in a layout, priced with the copy that only this op needs for that. */
  #priced(id: OpId, operand: number, layout: LayoutId | undefined): OperandCandidate {
    const evaluator = this.#evaluator;
    const value = evaluator.op(id).operands[operand];
    if (layout === undefined || value === undefined) return { layout, priority: 0 };
    const { tensor } = evaluator.value(value);
    const producedIn = producedLayout(evaluator, this.assignment, value);
    if (producedIn === undefined || tensor === undefined || layout === producedIn) {
      return { layout, priority: 0 };
    }
    const wanted = this.#wantedOf(value);
    const isShared = evaluator.returnedIn(value) === layout ||
      (wanted.has(layout) && wanted.get(layout) !== id);
    const microseconds = evaluator.reshardMicroseconds(tensor, producedIn, layout);
    return { layout, priority: isShared && microseconds < Infinity ? 0 : microseconds };
  }

  /** µs of the copies that only this op needs; a value read twice in one layout needs only one. */
  #combinationCost(id: OpId, combination: readonly OperandCandidate[]): number {
    const { operands } = this.#evaluator.op(id);
    let microseconds = 0;
    combination.forEach((entry, operand) => {
      for (let earlier = 0; earlier < operand; earlier++) {
        if (operands[earlier] === operands[operand] && combination[earlier]?.layout === entry.layout) return;
      }
      microseconds += entry.priority;
    });
    return microseconds;
  }

  /** Per result: the layouts in which readers and `return` read it. */
  #demands(id: OpId): readonly Demand[] {
    return this.#evaluator.op(id).results.map((value): Demand => ({
      tensor: this.#evaluator.value(value).tensor,
      wanted: readLayouts(this.#evaluator, this.assignment, value),
    }));
  }

  /** µs of the copies that readers and `return` need if the op produces these layouts. */
  #readCost(demands: readonly Demand[], outputs: LayoutIds): number {
    let microseconds = 0;
    demands.forEach(({ tensor, wanted }, index) => {
      const producedIn = outputs[index];
      if (producedIn === undefined || tensor === undefined) return;
      for (const layout of wanted) {
        microseconds += this.#evaluator.reshardMicroseconds(tensor, producedIn, layout);
      }
    });
    return microseconds;
  }

  /** Whether an implementation keeps within the L1 budget, and its results have the kind of pages of the input. */
  #fits(id: OpId, inputs: LayoutIds, impl: OpImpl): boolean {
    if (l1Need(this.#evaluator.operandL1Bytes(id, inputs), impl) > this.#options.l1Budget) return false;
    return this.#evaluator.op(id).results.every((value, index) => {
      const output = impl.outputs[index];
      if (this.#evaluator.declared[value] === undefined) return true;
      return output !== undefined && this.#evaluator.keepsPages(value, output);
    });
  }
}
