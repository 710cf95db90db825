// SPDX-License-Identifier: Apache-2.0
import { type OpId, returnPlace, type SchedulePoint, type ValueId } from "../graph/graph.ts";
import type { LayoutId, LayoutIds } from "../layout/layout_table.ts";
import { l1Step } from "../memory/l1_step.ts";
import { isTooLarge, type L1Timeline, simulateL1Schedule } from "../memory/l1_timeline.ts";
import type { L1Region, L1Schedule, L1Step } from "../memory/l1_schedule.ts";
import type { OpFootprint } from "../memory/op_footprint.ts";
import type { OpSpecificAttributes } from "../op_config/op_config.ts";
import { keepingActivation } from "../plan/live_activations.ts";
import type { FunctionPlan } from "../plan/plan.ts";
import { arrange, usedCopiesOf } from "./arrange.ts";
import { choiceFor, producedLayout } from "./assignment.ts";
import type { OpEvaluator } from "./op_evaluator.ts";
import type { OpRoles } from "./op_roles.ts";
import {
  copyAt,
  decisionFor,
  ITSELF,
  layoutOf,
  madeSource,
  type Program,
  type ProgramCopy,
  type ProgramDecision,
  type ProgramStep,
  type Source,
} from "./program.ts";
import { toPlan } from "./to_plan.ts";
import type { Assignment, OutputChoice } from "./impls.ts";

/** Facts that depend on an op's decision and on the layouts of its operands. */
interface DecisionFacts {
  readonly inputs: LayoutIds;
  readonly footprint: OpFootprint;
  readonly microseconds: number;
  readonly step: L1Step;
}

/** Facts that depend on a copy's source. */
interface CopyFacts {
  readonly microseconds: number;
  readonly step: L1Step;
}

/**
 * A mutable program that knows its predicted time and its use of L1. Moves change it through `set…` and
 * `addCopy`, which invalidate exactly the cached facts that a change affects.
 *
 * A tensor of the program is an instance: values keep their id, copy `c` is `values.length + c`.
 */
export class LayoutProgram implements Program {
  readonly evaluator: OpEvaluator;
  #schedule: readonly OpId[];
  #position: Int32Array;
  #ops: ProgramDecision[];
  #copies: ProgramCopy[];
  #results: Source[];
  #facts: (DecisionFacts | undefined)[] = [];
  #copyFacts: (CopyFacts | undefined)[] = [];
  #steps: readonly ProgramStep[] | undefined;

  private constructor(evaluator: OpEvaluator, { schedule, ops, copies, results }: Program) {
    this.evaluator = evaluator;
    this.#schedule = schedule;
    this.#position = positionsOf(schedule);
    this.#ops = [...ops];
    this.#copies = [...copies];
    this.#results = [...results];
  }

  get schedule(): readonly OpId[] {
    return this.#schedule;
  }

  get ops(): readonly ProgramDecision[] {
    return this.#ops;
  }

  get copies(): readonly ProgramCopy[] {
    return this.#copies;
  }

  get results(): readonly Source[] {
    return this.#results;
  }

  /** Place of an op in the schedule; `ops.length` stands for `return`. */
  positionOf(op: SchedulePoint): number {
    return this.#position[op] ?? this.#ops.length;
  }

  /** The op at a position of the schedule; `return` behind all ops. */
  placeAt(position: number): SchedulePoint {
    return this.#schedule[position] ?? returnPlace(this);
  }

  /** The point directly after the producer of a value; `undefined` for arguments. */
  behind(value: ValueId): SchedulePoint | undefined {
    const producer = this.evaluator.producer(value);
    if (producer === undefined) return undefined;
    return this.placeAt(this.positionOf(producer) + 1);
  }

  /**
   * The program of an assignment. Where an op reads another layout than was produced, a copy is made directly
   * before the first reader of that layout and shared by all its readers. A copy to DRAM that only `return` reads is
   * made directly behind the producer, so that the result need not wait in L1.
   */
  static fromAssignment(
    evaluator: OpEvaluator,
    assignment: Assignment,
    schedule?: readonly OpId[],
  ): LayoutProgram {
    const { fn } = evaluator;
    const order = schedule ?? fn.ops.map((op) => op.id);
    const program = new LayoutProgram(evaluator, {
      schedule: order,
      ops: fn.ops.map(({ id, operands }) => {
        const { outputs, config, reasons } = choiceFor(assignment, id);
        return { sources: operands.map(() => ITSELF), outputs, config, reasons };
      }),
      copies: [],
      results: fn.results.map(() => ITSELF),
    });
    const shared = new Map<string, Source>();
    const sourceFor = (
      value: ValueId,
      wanted: LayoutId | undefined,
      reader: SchedulePoint,
      index: number,
    ): Source => {
      const producedIn = producedLayout(evaluator, assignment, value);
      if (wanted === undefined || producedIn === undefined || wanted === producedIn) return ITSELF;
      const key = `${value}:${wanted}`;
      const cached = shared.get(key);
      if (cached !== undefined) return cached;
      const op = fn.ops[reader];
      const reason = op === undefined ? "return" : "reshard";
      const note = op === undefined ? `result ${index} of ${fn.name}` : `operand ${index} of ${op.name}`;
      const isFree = op === undefined && evaluator.facts(wanted).l1Bytes === 0;
      const before = isFree ? program.behind(value) ?? reader : reader;
      const copy = program.addCopy({ value, source: ITSELF, layout: wanted, before, reason, note });
      shared.set(key, copy);
      return copy;
    };
    for (const id of order) {
      const { inputs } = choiceFor(assignment, id);
      const sources = evaluator.op(id).operands.map((value, operand) =>
        sourceFor(value, inputs[operand], id, operand)
      );
      if (!sources.every(isItself)) program.#ops[id] = { ...decisionFor(program, id), sources };
    }
    fn.results.forEach((value, index) => {
      const wanted = evaluator.declared[value];
      program.setResult(index, sourceFor(value, wanted, returnPlace(fn), index));
    });
    return program;
  }

  /** Replaces the decisions of this program by those of another program of the same function. */
  assign(other: LayoutProgram): void {
    this.#schedule = other.#schedule;
    this.#position = other.#position;
    this.#ops = other.#ops.slice();
    this.#copies = other.#copies.slice();
    this.#results = other.#results.slice();
    this.#facts = other.#facts.slice();
    this.#copyFacts = other.#copyFacts.slice();
    this.#steps = other.#steps;
  }

  /** An independent copy of the program; it shares records, which are immutable. */
  clone(): LayoutProgram {
    const clone = new LayoutProgram(this.evaluator, { schedule: [], ops: [], copies: [], results: [] });
    clone.assign(this);
    return clone;
  }

  /** Lets an operand read another instance of its value. */
  setSource(id: OpId, operand: number, source: Source): void {
    const op = decisionFor(this, id);
    if (op.sources[operand] === source) return;
    this.#ops[id] = { ...op, sources: op.sources.with(operand, source) };
    this.#facts[id] = undefined;
    this.#steps = undefined;
  }

  /** Lets the function return another instance of a value. */
  setResult(index: number, source: Source): void {
    if (this.#results[index] === source) return;
    this.#results[index] = source;
    this.#steps = undefined;
  }

  /** Makes a copy from another instance of its value. */
  setCopySource(index: number, source: Source): void {
    const copy = copyAt(this, index);
    if (copy.source === source) return;
    this.#copies[index] = { ...copy, source };
    this.#forgetReaders(copy.value);
  }

  /** Drops the cached facts about everything that reads a value or is a copy of it. */
  #forgetReaders(value: ValueId): void {
    for (const { op } of this.evaluator.value(value).uses) this.#facts[op] = undefined;
    for (let copy = 0; copy < this.#copies.length; copy++) {
      if (copyAt(this, copy).value !== value) continue;
      this.#copyFacts[copy] = undefined;
      this.#steps = undefined;
    }
  }

  /** Sets the result layouts of an op, because of a spill or to restore the choice of pass 1. */
  setOutputs(id: OpId, { outputs, config }: OutputChoice, reason: string, isSpilled: boolean): void {
    const op = decisionFor(this, id);
    const decided = { ...op, outputs, config, reasons: [...op.reasons, reason], isSpilled };
    this.#ops[id] = op.keepsActivation === true
      ? { ...decided, config: this.#keepingConfig(id, config) }
      : decided;
    this.#facts[id] = undefined;
    for (const value of this.evaluator.op(id).results) this.#forgetReaders(value);
  }

  /**
   * Makes a convolution keep its activation under every later decision. Otherwise a spill or move could
   * choose a config that frees it, and pass 2 would restart without end.
   */
  keepActivation(id: OpId, reason: string): void {
    const op = decisionFor(this, id);
    const config = this.#keepingConfig(id, op.config);
    this.#ops[id] = { ...op, config, reasons: [...op.reasons, reason], keepsActivation: true };
    this.#facts[id] = undefined;
  }

  #keepingConfig(id: OpId, config: OpSpecificAttributes | undefined): OpSpecificAttributes | undefined {
    const own = config ?? this.evaluator.ownConfig(id);
    return (own === undefined ? undefined : keepingActivation(own)) ?? config;
  }

  /**
   * Adds a copy and returns it; if the move needs an intermediate layout in DRAM, that copy is added as well.
   */
  addCopy(copy: ProgramCopy): Source {
    const { value, source, layout } = copy;
    const { tensor } = this.evaluator.value(value);
    const from = this.layoutOf(value, source);
    const via = tensor === undefined || from === undefined
      ? undefined
      : this.evaluator.reshard(tensor, from, layout)?.via;
    this.#steps = undefined;
    let start = source;
    if (via !== undefined) {
      start = this.#copies.push({ ...copy, layout: via }) - 1;
    }
    return this.#copies.push({ ...copy, source: start }) - 1;
  }

  /** Layout of an instance given as value and source; `undefined` if it has none, see {@linkcode layoutOf}. */
  layoutOf(value: ValueId, source: Source): LayoutId | undefined {
    return layoutOf(this.evaluator, this, value, source);
  }

  /** Layouts in which an op reads its operands. */
  inputsOf(id: OpId): LayoutIds {
    return this.#factsOf(id).inputs;
  }

  #factsOf(id: OpId): DecisionFacts {
    const cached = this.#facts[id];
    if (cached !== undefined) return cached;
    const { operands, results } = this.evaluator.op(id);
    const decision = decisionFor(this, id);
    const sources = decision.sources;
    const inputs = operands.map((value, operand) => this.layoutOf(value, sources[operand] ?? ITSELF));
    const reads = sources.every(isItself)
      ? operands
      : operands.map((value, operand) => this.#made(value, sources[operand] ?? ITSELF));
    const { footprint, microseconds } = this.evaluator.run(id, inputs, decision);
    const facts: DecisionFacts = { inputs, footprint, microseconds, step: l1Step(reads, results, footprint) };
    this.#facts[id] = facts;
    return facts;
  }

  /** Instance id of a value or a copy of it. */
  instance(value: ValueId, source: Source): number {
    return source === ITSELF ? value : this.evaluator.fn.values.length + source;
  }

  /** Instance id of the instance that a read of a value or a copy really reads ({@linkcode madeSource}). */
  #made(value: ValueId, source: Source): number {
    return this.instance(value, madeSource(this.evaluator, this, source));
  }

  /** Copies of one value that something reads, directly or through another copy. */
  usedCopiesOf(value: ValueId): ReadonlySet<number> {
    return usedCopiesOf(this.evaluator, this, value);
  }

  /** The program in execution order, without copies that nothing reads. */
  steps(): readonly ProgramStep[] {
    if (this.#steps === undefined) {
      this.#steps = arrange(this.evaluator, this);
      this.evaluator.work.charge("arrangedStep", this.#steps.length);
    }
    return this.#steps;
  }

  /** The program as the L1 simulation sees it; positions are indices of `steps`. */
  l1Schedule(steps: readonly ProgramStep[]): L1Schedule {
    const { fn, given, work } = this.evaluator;
    work.charge("placedStep", steps.length);
    return {
      tensors: fn.values.length + this.copies.length,
      steps: steps.map((step) =>
        step.kind === "op" ? this.#factsOf(step.op).step : this.#copyFactsOf(step.copy).step
      ),
      liveIn: given,
      liveOut: fn.results.map((value, index) => this.#made(value, this.results[index] ?? ITSELF)),
    };
  }

  /** Where the program fails in L1 by address; what L1 holds at each step is not recorded. */
  l1Failures(region: L1Region): L1Timeline {
    return simulateL1Schedule(this.l1Schedule(this.steps()), region, "failures");
  }

  #copyFactsOf(index: number): CopyFacts {
    const cached = this.#copyFacts[index];
    if (cached !== undefined) return cached;
    const copy = copyAt(this, index);
    const { tensor } = this.evaluator.value(copy.value);
    const from = this.layoutOf(copy.value, copy.source);
    if (tensor === undefined || from === undefined) {
      throw new RangeError(`Cannot size copy ${index}: its source has no layout`);
    }
    const footprint = this.evaluator.reshardFootprint(tensor, from, copy.layout);
    const source = this.#made(copy.value, copy.source);
    const facts: CopyFacts = {
      microseconds: this.evaluator.copyMicroseconds(copy.value, from, copy.layout),
      step: l1Step([source], [this.instance(copy.value, index)], { ...footprint, aliasedOperand: undefined }),
    };
    this.#copyFacts[index] = facts;
    return facts;
  }

  /** Predicted µs of one op as the program runs it. */
  opMicroseconds(id: OpId): number {
    return this.#factsOf(id).microseconds;
  }

  /** Predicted µs of one copy; `Infinity` if no single op can make it. */
  copyMicroseconds(index: number): number {
    return this.#copyFactsOf(index).microseconds;
  }

  /** Predicted µs of the whole program. */
  microseconds(): number {
    let sum = 0;
    for (const step of this.steps()) {
      sum += step.kind === "op" ? this.opMicroseconds(step.op) : this.copyMicroseconds(step.copy);
    }
    return sum;
  }

  /**
   * The number of ops, returned values and copies that break a rule. A decided op must have a decision that
   * the op model accepts, or run as in the input. Any other op must produce the layouts of the input, and may
   * read others only if the op model accepts that. Overrides such as `--insert-memreconfig` must be obeyed,
   * results must have the layouts of the signature, and a single op must be able to make each copy.
   */
  faults(roles: OpRoles): number {
    const { fn, declared } = this.evaluator;
    const same = (layouts: LayoutIds, wanted: LayoutIds): boolean =>
      wanted.every((layout, index) => layout === layouts[index]);
    const opFaults = fn.ops.filter(({ id }) => {
      const { inputs, footprint } = this.#factsOf(id);
      if (!this.evaluator.overrides.allow(id, inputs, decisionFor(this, id))) return true;
      if (roles.decided[id] === true && footprint.refusal === undefined) return false;
      const written = this.evaluator.asInput(id);
      const readsAsConfirmed = roles.readsElsewhere[id] === true && footprint.refusal === undefined;
      return !(readsAsConfirmed || same(inputs, written.inputs)) ||
        !same(decisionFor(this, id).outputs, written.outputs);
    });
    const resultFaults = fn.results.filter((value, index) =>
      this.layoutOf(value, this.#results[index] ?? ITSELF) !== declared[value]
    );
    const copyFaults = this.steps().filter((step) =>
      step.kind === "copy" && this.copyMicroseconds(step.copy) === Infinity
    );
    return opFaults.length + resultFaults.length + copyFaults.length;
  }

  /** Number of ops that the op model refuses for another reason than memory, so that their needs are unknown. */
  get refusedOps(): number {
    return this.evaluator.fn.ops.filter(({ id }) => {
      const { refusal } = this.#factsOf(id).footprint;
      return refusal !== undefined && refusal.failure !== "out_of_memory";
    }).length;
  }

  /** Number of steps whose own buffers do not fit even an empty L1. */
  oversizedSteps(region: L1Region): number {
    return this.l1Schedule(this.steps()).steps.filter((step) => isTooLarge(step, region)).length;
  }

  /** The program as a plan; copies are numbered in execution order. */
  toPlan(): FunctionPlan {
    return toPlan(this.evaluator, this, this.steps());
  }
}

function positionsOf(schedule: readonly OpId[]): Int32Array {
  const position = new Int32Array(schedule.length + 1);
  schedule.forEach((id, index) => position[id] = index);
  position[schedule.length] = schedule.length;
  return position;
}

function isItself(source: Source): boolean {
  return source === ITSELF;
}

/** Whether the function as it is in the input stays within the share of L1 that tensors may use. */
export function isInputWithinBudget(evaluator: OpEvaluator, region: L1Region): boolean {
  const asInput = evaluator.fn.ops.map(({ id }) => evaluator.asInput(id));
  return LayoutProgram.fromAssignment(evaluator, asInput).l1Failures(region).withinBudget;
}
