// SPDX-License-Identifier: Apache-2.0
import type { OpId, TensorShape } from "../graph/graph.ts";
import type { LayoutId } from "../layout/layout_table.ts";
import { type Assignment, bornLayout, type OpAssignment } from "./assignment.ts";
import { combineCandidates, type InputCandidate } from "./combinations.ts";
import type { OpEvaluator, Outcome } from "./op_evaluator.ts";
import type { OpRoles } from "./op_roles.ts";

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
    let changed = false;
    for (const op of evaluator.fn.ops) changed = refiner.improve(op.id) || changed;
    if (!changed) break;
  }
  return refiner.assignment;
}

class Refiner {
  readonly assignment: OpAssignment[];
  readonly #evaluator: OpEvaluator;
  readonly #roles: OpRoles;
  readonly #options: RefineOptions;

  constructor(evaluator: OpEvaluator, roles: OpRoles, start: Assignment, options: RefineOptions) {
    this.#evaluator = evaluator;
    this.#roles = roles;
    this.#options = options;
    this.assignment = [...start];
  }

  /** Takes the best way to run one op; whether that changed anything. */
  improve(id: OpId): boolean {
    const current = this.assignment[id];
    if (current === undefined || this.#roles.decided[id] !== true) return false;
    const before = this.#localCost(id, current);
    let best: OpAssignment | undefined;
    let bestCost = before - LEAST_GAIN;
    for (const inputs of this.#feeds(id, current)) {
      const floor = this.#feedCost(id, inputs);
      if (floor >= bestCost) continue;
      for (const outcome of this.#evaluator.outcomes(id, inputs)) {
        const runtime = this.#evaluator.runtime(id, inputs, outcome);
        if (floor + runtime >= bestCost || !this.#fits(id, inputs, outcome)) continue;
        const cost = floor + runtime + this.#readCost(id, outcome.outputs);
        if (cost >= bestCost) continue;
        bestCost = cost;
        best = {
          inputs,
          outputs: outcome.outputs,
          config: outcome.config,
          reasons: [
            ...current.reasons,
            `refinement: ${(before - cost).toFixed(2)} µs less with its neighbours`,
          ],
        };
      }
    }
    if (best === undefined) return false;
    this.assignment[id] = best;
    return true;
  }

  #localCost(id: OpId, chosen: OpAssignment): number {
    return this.#feedCost(id, chosen.inputs) + this.#evaluator.runtime(id, chosen.inputs, chosen) +
      this.#readCost(id, chosen.outputs);
  }

  /** Ways to feed the op: as its producers make the values, as other readers want them, or resharded. */
  #feeds(id: OpId, current: OpAssignment): readonly (readonly (LayoutId | undefined)[])[] {
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
          for (const target of this.#evaluator.reshardTargets(tensor, born)) layouts.add(target);
        }
      }
      return [...layouts].flatMap((layout) => {
        if (layout !== born && layout !== present && !opModel.acceptsInput(signature, operand, layout)) {
          return [];
        }
        const reshard = this.#evaluator.reshard(tensor, born, layout);
        return reshard === undefined ? [] : [candidate(layout, reshard.microseconds)];
      });
    });
    const combinations = combineCandidates(
      operands,
      [],
      (layout) => this.#uniformKey(layout),
      this.#options.maxCombinations,
    );
    return combinations.map((combination) => combination.map((entry) => entry.layout));
  }

  #uniformKey(id: LayoutId): string {
    const layout = this.#evaluator.layouts.get(id);
    return `${layout.bufferType}/${layout.memoryLayout}/${layout.gridShape.join("x")}`;
  }

  /** µs of the copies that only this op needs when it reads its operands in these layouts. */
  #feedCost(id: OpId, inputs: readonly (LayoutId | undefined)[]): number {
    const { fn, layouts } = this.#evaluator;
    const operands = fn.ops[id]?.operands ?? [];
    let microseconds = 0;
    const counted = new Set<string>();
    operands.forEach((value, operand) => {
      const wanted = inputs[operand];
      const graphValue = fn.values[value];
      const born = bornLayout(this.#evaluator, this.assignment, value);
      if (wanted === undefined || born === undefined || graphValue?.tensor === undefined) return;
      const key = `${value}:${wanted}`;
      if (wanted === born || counted.has(key)) return;
      counted.add(key);
      const shared = graphValue.uses.some((use) =>
        use.op !== id && this.assignment[use.op]?.inputs[use.operand] === wanted
      ) || (graphValue.returned > 0 && graphValue.layout !== undefined &&
        layouts.intern(graphValue.layout) === wanted);
      if (!shared) {
        microseconds += this.#move(graphValue.tensor, born, wanted);
      }
    });
    return microseconds;
  }

  /** µs of the copies that readers and `return` need when the op makes these layouts. */
  #readCost(id: OpId, outputs: readonly (LayoutId | undefined)[]): number {
    const { fn, layouts } = this.#evaluator;
    let microseconds = 0;
    fn.ops[id]?.results.forEach((value, index) => {
      const graphValue = fn.values[value];
      const born = outputs[index];
      if (born === undefined || graphValue?.tensor === undefined) return;
      const wanted = new Set<LayoutId>();
      for (const use of graphValue.uses) {
        const layout = this.assignment[use.op]?.inputs[use.operand];
        if (layout !== undefined) wanted.add(layout);
      }
      if (graphValue.returned > 0 && graphValue.layout !== undefined) {
        wanted.add(layouts.intern(graphValue.layout));
      }
      for (const layout of wanted) microseconds += this.#move(graphValue.tensor, born, layout);
    });
    return microseconds;
  }

  #move(tensor: TensorShape, from: LayoutId, to: LayoutId): number {
    return this.#evaluator.reshard(tensor, from, to)?.microseconds ?? Infinity;
  }

  #fits(id: OpId, inputs: readonly (LayoutId | undefined)[], outcome: Outcome): boolean {
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
