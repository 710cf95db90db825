// SPDX-License-Identifier: Apache-2.0
import type { OpId, ValueId } from "../graph/graph.ts";
import type { LayoutId } from "../layout/layout_table.ts";
import type { L1Schedule, L1Step } from "../memory/l1_timeline.ts";
import { l1Bytes, type OpFootprint } from "../memory/op_footprint.ts";
import type { OpSpecificAttributes } from "../op_config/op_config.ts";
import type { Conversion, ConversionReason, FunctionPlan, OperandSource } from "../plan/plan.ts";
import { type Assignment, bornLayout } from "./assignment.ts";
import type { LayoutIds, OpEvaluator } from "./op_evaluator.ts";
import type { OpRoles } from "./op_roles.ts";

/** Source of an operand: `-1` is the value itself, else the index of a copy of it. */
export type Source = number;

/** The value itself, not a copy. */
export const ITSELF: Source = -1;

/** A copy of a value in another layout. */
export interface ProgramCopy {
  readonly value: ValueId;
  readonly source: Source;
  readonly layout: LayoutId;
  /** Made directly before this op; `ops.length` means before `return`. */
  readonly before: OpId;
  readonly reason: ConversionReason;
  readonly note: string;
}

/** Decisions for one op. */
export interface ProgramOp {
  readonly sources: readonly Source[];
  readonly outputs: LayoutIds;
  readonly config: OpSpecificAttributes | undefined;
  readonly reasons: readonly string[];
}

/** One step of the program in execution order. */
export type ProgramStep =
  | { readonly kind: "op"; readonly op: OpId }
  | { readonly kind: "copy"; readonly copy: number };

/** What follows from an op's decisions and from the layouts of what it reads. */
interface OpFacts {
  readonly inputs: LayoutIds;
  readonly footprint: OpFootprint;
  readonly microseconds: number;
  readonly step: L1Step;
}

/** What follows from all copies and sources together. */
interface Arrangement {
  readonly used: readonly boolean[];
  readonly steps: readonly ProgramStep[];
}

/**
 * A function plan under construction: layouts by id, every copy explicit, the schedule free. It knows what it costs and
 * how it looks to L1; the moves of pass 2 rewrite it through `set…` and `addCopy`, which forget exactly the facts that
 * a change touches.
 *
 * A tensor of the program is called an instance: values keep their id, copy `c` is `values.length + c`.
 */
export class LayoutProgram {
  readonly evaluator: OpEvaluator;
  #schedule: readonly OpId[];
  #position: Int32Array;
  #ops: ProgramOp[];
  #copies: ProgramCopy[];
  #results: Source[];
  #facts: (OpFacts | undefined)[];
  #copySteps: ({ readonly from: LayoutId; readonly step: L1Step } | undefined)[] = [];
  #arrangement: Arrangement | undefined;

  private constructor(
    evaluator: OpEvaluator,
    schedule: readonly OpId[],
    ops: ProgramOp[],
    copies: ProgramCopy[],
    results: Source[],
    facts: (OpFacts | undefined)[],
  ) {
    this.evaluator = evaluator;
    this.#schedule = schedule;
    this.#position = positionsOf(schedule);
    this.#ops = ops;
    this.#copies = copies;
    this.#results = results;
    this.#facts = facts;
  }

  /** Execution order. */
  get schedule(): readonly OpId[] {
    return this.#schedule;
  }

  /** Decisions by op id. */
  get ops(): readonly ProgramOp[] {
    return this.#ops;
  }

  /** All copies ever made; some may have lost their last reader. */
  get copies(): readonly ProgramCopy[] {
    return this.#copies;
  }

  /** Source per returned value. */
  get results(): readonly Source[] {
    return this.#results;
  }

  /** Place of an op in the schedule; `ops.length` is `return`. */
  positionOf(op: OpId): number {
    return this.#position[op] ?? this.#ops.length;
  }

  /**
   * The program of an assignment: where an op reads another layout than was made, a copy is made directly before the
   * first op that wants it and shared by all that do.
   */
  static fromAssignment(
    evaluator: OpEvaluator,
    assignment: Assignment,
    schedule?: readonly OpId[],
  ): LayoutProgram {
    const { fn } = evaluator;
    const order = schedule ?? fn.ops.map((op) => op.id);
    const program = new LayoutProgram(
      evaluator,
      order,
      fn.ops.map((op) => {
        const chosen = assignment[op.id];
        if (chosen === undefined) throw new RangeError(`Cannot plan ${fn.name}: op ${op.id} is not assigned`);
        return {
          sources: op.operands.map(() => ITSELF),
          outputs: chosen.outputs,
          config: chosen.config,
          reasons: [...chosen.reasons],
        };
      }),
      [],
      fn.results.map(() => ITSELF),
      [],
    );
    const shared = new Map<string, Source>();
    const sourceFor = (value: ValueId, wanted: LayoutId | undefined, before: OpId, why: string): Source => {
      const born = bornLayout(evaluator, assignment, value);
      if (wanted === undefined || born === undefined || wanted === born) return ITSELF;
      const key = `${value}:${wanted}`;
      const known = shared.get(key);
      if (known !== undefined) return known;
      const reason = before === fn.ops.length ? "return" : "reshard";
      const copy = program.addCopy(value, ITSELF, wanted, before, reason, why);
      shared.set(key, copy);
      return copy;
    };
    for (const id of order) {
      const op = fn.ops[id];
      op?.operands.forEach((value, operand) => {
        const wanted = assignment[id]?.inputs[operand];
        program.setSource(id, operand, sourceFor(value, wanted, id, `operand ${operand} of ${op.name}`));
      });
    }
    fn.results.forEach((value, index) => {
      const layout = fn.values[value]?.layout;
      const wanted = layout === undefined ? undefined : evaluator.layouts.intern(layout);
      program.setResult(index, sourceFor(value, wanted, fn.ops.length, `result ${index} of ${fn.name}`));
    });
    return program;
  }

  /** Takes over everything that another program of the same function decides. */
  assign(other: LayoutProgram): void {
    this.#schedule = other.#schedule;
    this.#position = other.#position;
    this.#ops = other.#ops.slice();
    this.#copies = other.#copies.slice();
    this.#results = other.#results.slice();
    this.#facts = other.#facts.slice();
    this.#copySteps = other.#copySteps.slice();
    this.#arrangement = other.#arrangement;
  }

  /** An independent copy of the program; records are shared, as they never change. */
  clone(): LayoutProgram {
    const clone = new LayoutProgram(this.evaluator, this.#schedule, [], [], [], []);
    clone.assign(this);
    return clone;
  }

  /** Lets an operand read another instance of its value. */
  setSource(id: OpId, operand: number, source: Source): void {
    const op = this.#ops[id];
    if (op === undefined || op.sources[operand] === source) return;
    this.#ops[id] = { ...op, sources: op.sources.map((old, index) => index === operand ? source : old) };
    this.#facts[id] = undefined;
    this.#arrangement = undefined;
  }

  /** Lets the function return another instance of a value. */
  setResult(index: number, source: Source): void {
    if (this.#results[index] === source) return;
    this.#results[index] = source;
    this.#arrangement = undefined;
  }

  /** Makes a copy from another instance of its value. */
  setCopySource(index: number, source: Source): void {
    const copy = this.#copies[index];
    if (copy === undefined || copy.source === source) return;
    this.#copies[index] = { ...copy, source };
    this.#arrangement = undefined;
  }

  /** Lets an op make its results in other layouts. */
  setOutcome(
    id: OpId,
    chosen: { readonly outputs: LayoutIds; readonly config: OpSpecificAttributes | undefined },
    reason: string,
  ): void {
    const op = this.#ops[id];
    if (op === undefined) return;
    this.#ops[id] = {
      ...op,
      outputs: chosen.outputs,
      config: chosen.config,
      reasons: [...op.reasons, reason],
    };
    this.#facts[id] = undefined;
    for (const value of this.evaluator.fn.ops[id]?.results ?? []) {
      for (const use of this.evaluator.fn.values[value]?.uses ?? []) this.#facts[use.op] = undefined;
    }
  }

  /** Adds a copy and returns it; a move that needs a stop in DRAM gets a copy for the stop as well. */
  addCopy(
    value: ValueId,
    source: Source,
    layout: LayoutId,
    before: OpId,
    reason: ConversionReason,
    note: string,
  ): Source {
    const tensor = this.evaluator.fn.values[value]?.tensor;
    const from = this.layoutOf(value, source);
    const via = tensor === undefined || from === undefined
      ? undefined
      : this.evaluator.reshard(tensor, from, layout)?.via;
    this.#arrangement = undefined;
    let start = source;
    if (via !== undefined) {
      start = this.#copies.push({ value, source, layout: via, before, reason, note }) - 1;
    }
    return this.#copies.push({ value, source: start, layout, before, reason, note }) - 1;
  }

  /** Layout of an instance given as value and source. */
  layoutOf(value: ValueId, source: Source): LayoutId | undefined {
    if (source !== ITSELF) return this.copies[source]?.layout;
    const graphValue = this.evaluator.fn.values[value];
    if (graphValue === undefined) return undefined;
    const { definition } = graphValue;
    if (definition.kind === "result") return this.ops[definition.op]?.outputs[definition.index];
    return graphValue.layout === undefined ? undefined : this.evaluator.layouts.intern(graphValue.layout);
  }

  /** Layouts in which an op reads its operands. */
  inputsOf(id: OpId): LayoutIds {
    return this.#factsOf(id).inputs;
  }

  #factsOf(id: OpId): OpFacts {
    const known = this.#facts[id];
    if (known !== undefined) return known;
    const op = this.evaluator.fn.ops[id];
    const decision = this.#ops[id];
    if (op === undefined || decision === undefined) {
      throw new RangeError(`Cannot look at op ${id}: no such op`);
    }
    const inputs = op.operands.map((value, operand) =>
      this.layoutOf(value, decision.sources[operand] ?? ITSELF)
    );
    const footprint = this.evaluator.footprint(id, inputs, decision);
    const reads = op.operands.map((value, operand) =>
      this.instance(value, decision.sources[operand] ?? ITSELF)
    );
    const facts: OpFacts = {
      inputs,
      footprint,
      microseconds: this.evaluator.runtime(id, inputs, decision),
      step: {
        reads,
        defines: op.results.map((tensor, index) => ({
          tensor,
          l1Bytes: footprint.resultBytes[index] ?? 0,
          aliasOf: index === 0 && footprint.aliasedOperand !== undefined
            ? reads[footprint.aliasedOperand]
            : undefined,
        })),
        scratchBytes: footprint.scratchBytes,
        circularBufferBytes: footprint.circularBufferBytes,
        ownPeakBytes: footprint.ownPeakBytes,
      },
    };
    this.#facts[id] = facts;
    return facts;
  }

  /** Instance id of a value or a copy of it. */
  instance(value: ValueId, source: Source): number {
    return source === ITSELF ? value : this.evaluator.fn.values.length + source;
  }

  /** Copies that something reads, directly or through another copy; by index. */
  usedCopies(): readonly boolean[] {
    return this.#arrange().used;
  }

  /** Copies of one value that something reads, directly or through another copy. */
  usedCopiesOf(value: ValueId): ReadonlySet<number> {
    const { fn } = this.evaluator;
    const used = new Set<number>();
    const mark = (start: Source): void => {
      for (let source = start; source !== ITSELF && !used.has(source);) {
        used.add(source);
        source = this.#copies[source]?.source ?? ITSELF;
      }
    };
    const graphValue = fn.values[value];
    for (const use of graphValue?.uses ?? []) mark(this.#ops[use.op]?.sources[use.operand] ?? ITSELF);
    if ((graphValue?.returned ?? 0) > 0) {
      fn.results.forEach((result, index) => {
        if (result === value) mark(this.#results[index] ?? ITSELF);
      });
    }
    return used;
  }

  /** The program in execution order, without copies that nothing reads. */
  steps(): readonly ProgramStep[] {
    return this.#arrange().steps;
  }

  #arrange(): Arrangement {
    return this.#arrangement ??= this.#newArrangement();
  }

  #newArrangement(): Arrangement {
    const used: boolean[] = this.#copies.map(() => false);
    const mark = (source: Source): void => {
      while (source !== ITSELF && used[source] !== true) {
        used[source] = true;
        source = this.#copies[source]?.source ?? ITSELF;
      }
    };
    for (const op of this.#ops) op.sources.forEach(mark);
    this.#results.forEach(mark);
    const before = new Map<OpId, number[]>();
    this.#copies.forEach((copy, index) => {
      if (used[index] !== true) return;
      const list = before.get(copy.before);
      if (list === undefined) before.set(copy.before, [index]);
      else list.push(index);
    });
    const steps: ProgramStep[] = [];
    for (const id of [...this.#schedule, this.#ops.length]) {
      const copies = before.get(id) ?? [];
      copies.sort((a, b) =>
        this.#depth(a, id) - this.#depth(b, id) || this.#frees(b) - this.#frees(a) || a - b
      );
      for (const copy of copies) steps.push({ kind: "copy", copy });
      if (id < this.#ops.length) steps.push({ kind: "op", op: id });
    }
    return { used, steps };
  }

  /** How many copies made before the same op a copy waits for. */
  #depth(copy: Source, before: OpId): number {
    let depth = 0;
    let source = this.copies[copy]?.source ?? ITSELF;
    for (; source !== ITSELF; source = this.copies[source]?.source ?? ITSELF) {
      if (this.copies[source]?.before === before) depth++;
    }
    return depth;
  }

  /** Spills go first: they make the room that the other copies before the same op need. */
  #frees(copy: Source): number {
    return this.copies[copy]?.reason === "spill" ? 1 : 0;
  }

  /** The program as the L1 simulation sees it; positions are indices of `steps`. */
  l1Schedule(steps: readonly ProgramStep[]): L1Schedule {
    const { fn, layouts } = this.evaluator;
    return {
      tensors: fn.values.length + this.copies.length,
      steps: steps.map((step) =>
        step.kind === "op" ? this.#factsOf(step.op).step : this.#copyStep(step.copy)
      ),
      liveIn: fn.arguments.map((tensor) => ({
        tensor,
        l1Bytes: l1Bytes(layouts, this.layoutOf(tensor, ITSELF)),
      })),
      liveOut: fn.results.map((value, index) => this.instance(value, this.results[index] ?? ITSELF)),
    };
  }

  #copyStep(index: number): L1Step {
    const copy = this.copies[index];
    const tensor = copy === undefined ? undefined : this.evaluator.fn.values[copy.value]?.tensor;
    const from = copy === undefined ? undefined : this.layoutOf(copy.value, copy.source);
    if (copy === undefined || tensor === undefined || from === undefined) {
      throw new RangeError(`Cannot size copy ${index}: its source has no layout`);
    }
    const known = this.#copySteps[index];
    const source = this.instance(copy.value, copy.source);
    if (known !== undefined && known.from === from && known.step.reads[0] === source) return known.step;
    const footprint = this.evaluator.reshardFootprint(tensor, from, copy.layout);
    const step: L1Step = {
      reads: [source],
      defines: [{
        tensor: this.evaluator.fn.values.length + index,
        l1Bytes: footprint.resultBytes[0] ?? 0,
        aliasOf: undefined,
      }],
      scratchBytes: footprint.scratchBytes,
      circularBufferBytes: footprint.circularBufferBytes,
      ownPeakBytes: footprint.ownPeakBytes,
    };
    this.#copySteps[index] = { from, step };
    return step;
  }

  /** Predicted µs of one op as the program runs it. */
  opMicroseconds(id: OpId): number {
    return this.#factsOf(id).microseconds;
  }

  /** Predicted µs of one copy; `Infinity` when no single op can make it. */
  copyMicroseconds(index: number): number {
    const copy = this.copies[index];
    const tensor = copy === undefined ? undefined : this.evaluator.fn.values[copy.value]?.tensor;
    const from = copy === undefined ? undefined : this.layoutOf(copy.value, copy.source);
    if (copy === undefined || tensor === undefined || from === undefined) return Infinity;
    const reshard = this.evaluator.reshard(tensor, from, copy.layout);
    return reshard === undefined || reshard.via !== undefined ? Infinity : reshard.microseconds;
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
   * How many ops and returned values are not as they must be: an op that was decided makes what the op model confirms
   * or runs as the input has it, any other op runs as the input has it, results come back as the signature says, and
   * every copy can be made.
   */
  faults(roles: OpRoles): number {
    const { fn, layouts } = this.evaluator;
    const declared = (value: ValueId): LayoutId | undefined => {
      const layout = fn.values[value]?.layout;
      return layout === undefined ? undefined : layouts.intern(layout);
    };
    let faults = 0;
    for (const op of fn.ops) {
      const facts = this.#factsOf(op.id);
      if (roles.decided[op.id] === true && facts.footprint.refusal === undefined) continue;
      const outputs = this.#ops[op.id]?.outputs;
      const asInput = op.operands.every((value, operand) => facts.inputs[operand] === declared(value)) &&
        op.results.every((value, result) => outputs?.[result] === declared(value));
      if (!asInput) faults++;
    }
    fn.results.forEach((value, index) => {
      if (this.layoutOf(value, this.#results[index] ?? ITSELF) !== declared(value)) faults++;
    });
    for (const step of this.steps()) {
      if (step.kind === "copy" && this.copyMicroseconds(step.copy) === Infinity) faults++;
    }
    return faults;
  }

  /** The program as a plan; copies are numbered in execution order. */
  toPlan(): FunctionPlan {
    const { fn, layouts } = this.evaluator;
    const number = new Map<number, number>();
    const conversions: Conversion[] = [];
    const sourceOf = (source: Source): OperandSource => {
      const conversion = number.get(source);
      return conversion === undefined ? { kind: "value" } : { kind: "conversion", conversion };
    };
    for (const step of this.steps()) {
      const copy = step.kind === "copy" ? this.copies[step.copy] : undefined;
      if (step.kind !== "copy" || copy === undefined) continue;
      const source = sourceOf(copy.source);
      if (copy.layout === this.layoutOf(copy.value, copy.source)) {
        // A demotion put the source where the copy was to be: readers of the copy read the source.
        if (source.kind === "conversion") number.set(step.copy, source.conversion);
        continue;
      }
      number.set(step.copy, conversions.length);
      conversions.push({
        id: conversions.length,
        value: copy.value,
        source,
        layout: layouts.get(copy.layout),
        beforeOp: copy.before,
        reason: copy.reason,
        note: copy.note,
      });
    }
    const reordered = this.schedule.some((id, index) => id !== index);
    return {
      name: fn.name,
      decisions: this.ops.map((op, id) => ({
        op: id,
        outputLayouts: op.outputs.map((layout) => layout === undefined ? undefined : layouts.get(layout)),
        config: op.config,
        operands: op.sources.map(sourceOf),
        reasons: op.reasons,
      })),
      conversions,
      results: this.results.map(sourceOf),
      schedule: reordered ? this.schedule : undefined,
    };
  }
}

function positionsOf(schedule: readonly OpId[]): Int32Array {
  const position = new Int32Array(schedule.length + 1);
  schedule.forEach((id, index) => position[id] = index);
  position[schedule.length] = schedule.length;
  return position;
}
