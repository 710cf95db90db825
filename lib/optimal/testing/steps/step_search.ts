// SPDX-License-Identifier: Apache-2.0
import type { TimedProgram } from "../../../cost/dispatcher.ts";
import type { GraphOp, OpId, ValueId } from "../../../graph/graph.ts";
import type { LayoutId } from "../../../layout/layout_table.ts";
import { l1Step } from "../../../memory/l1_step.ts";
import { l1Bytes } from "../../../memory/op_footprint.ts";
import { initialState, playStep } from "../../../memory/l1_timeline.ts";
import type { L1Region, L1Step } from "../../../memory/l1_schedule.ts";
import { Heap } from "../../../search/heap.ts";
import type { OpEvaluator } from "../../../search/op_evaluator.ts";
import type { Choice } from "../../../search/impls.ts";
import type { Conversions } from "../../exploration/conversions.ts";
import type { LayoutSpace } from "../../exploration/layout_space.ts";
import type { RemainingBound } from "./remaining_bound.ts";
import { RemainingDispatch } from "./remaining_dispatch.ts";
import { type ClockState, StepClock } from "./step_clock.ts";
import { StepPrices } from "./step_prices.ts";
import {
  type Instance,
  type Next,
  type Open,
  pricedWithCongestion,
  type State,
  stepsOf,
  type Taken,
} from "./step_states.ts";
import type { SearchStep } from "./stepped_program.ts";
import { type Impl, implsOf } from "../../exploration/impl_table.ts";

/** The input of the search. */
export interface StepQuestion {
  readonly region: L1Region;
  /** Per op: the ops that precede it in every order. */
  readonly before: readonly ReadonlySet<OpId>[];
  /** Values that may not be copied. */
  readonly pinned: readonly boolean[];
  /** µs of the best known plan. */
  readonly limitUs: number;
  /** Most states that are examined. */
  readonly mostStates: number;
  /** Finishes a plan; returns its µs, `Infinity` if it cannot be used. */
  offer(steps: readonly SearchStep[]): number;
}

/** The result of the search. */
export interface StepAnswer {
  /** A time in µs that no plan of the space beats; that of the best plan if the search was completed. */
  readonly boundUs: number;
  /** States that were examined. */
  readonly states: number;
}

/** More than the layouts of a short function, so that value and layout fit into one id. */
const LAYOUTS = 65_536;

/** More than the results of an op in a function that is searched step by step. */
const RESULTS = 64;

/** The buffer of something without a layout. */
const NO_BUFFER = Number.NEGATIVE_INFINITY;

/**
 * Improvements of the best plan by a smaller share than this are not searched for: sums of the same times in
 * another order differ by less.
 */
const NEGLIGIBLE = 1e-7;

/** Longest function (in ops) that is searched step by step: the set of ops that have run is one number. */
export const MOST_STEP_OPS = 24;

/**
 * The best plan by address, step by step: every order of ops, every implementation of each, every copy of
 * every instance to every layout that a later step may read, at every moment, with everything in L1 moved or
 * kept exactly while it is read again. Steps are simulated in L1 as plans are checked (`playStep`). A state
 * is pruned if its time plus {@linkcode RemainingBound} is at least the incumbent; with an incumbent close to
 * the bound few states are left. The search is a beam over the number of ops, in cycles, so that it finds
 * plans early. It is exact if it completes; if the limit of states ends it, the least open state is a bound.
 *
 * Of implementations with the same operands and results, those that are both slower and larger in L1 than
 * another one are skipped. A copy that no op reads is made only on the cheapest path to one that an op reads,
 * or when its source leaves L1.
 */
export function searchSteps(
  space: LayoutSpace,
  conversions: Conversions,
  rest: RemainingBound,
  question: StepQuestion,
): StepAnswer {
  return new StepSearch(space, conversions, rest, question).run();
}

class StepSearch {
  readonly #space: LayoutSpace;
  readonly #evaluator: OpEvaluator;
  readonly #rest: RemainingBound;
  readonly #question: StepQuestion;
  /** By the number of ops that have run. */
  readonly #open: readonly Heap<Open>[];
  /** By set of instances: clock states, none of which dominates another one. */
  readonly #seen: Map<string, readonly ClockState[]> = new Map();
  readonly #cachedTargets: Map<string, Set<LayoutId>> = new Map();
  readonly #prices: StepPrices;
  /** Per op. */
  readonly #readings: readonly (readonly Reading[])[];
  readonly #before: readonly number[];
  readonly #all: number;
  readonly #clock: StepClock;
  readonly #dispatch: RemainingDispatch;
  #limit: number;
  /** µs of the fastest plan that was found but could not be finished with that time. */
  #unfinishedUs = Infinity;

  constructor(space: LayoutSpace, conversions: Conversions, rest: RemainingBound, question: StepQuestion) {
    this.#space = space;
    this.#evaluator = space.evaluator;
    this.#rest = rest;
    this.#question = question;
    this.#prices = new StepPrices(space.evaluator, conversions);
    this.#limit = question.limitUs * (1 - NEGLIGIBLE);
    const { ops } = space.evaluator.fn;
    this.#readings = ops.map((op) => readingsOf(space, op));
    this.#before = question.before.map((earlier) => [...earlier].reduce((mask, op) => mask | 1 << op, 0));
    this.#all = 2 ** ops.length - 1;
    this.#clock = new StepClock(space.evaluator.cost.dispatch);
    this.#dispatch = new RemainingDispatch(space, this.#clock, this.#before);
    this.#open = Array.from(
      { length: ops.length + 1 },
      () =>
        new Heap((a, b) =>
          a.atLeast < b.atLeast ||
          (a.atLeast === b.atLeast && a.next.clock.microseconds < b.next.clock.microseconds)
        ),
    );
  }

  run(): StepAnswer {
    const { mostStates } = this.#question;
    this.#push(undefined, this.#start(), 0);
    let states = 0;
    for (let isOpen = true; isOpen;) {
      isOpen = false;
      for (const level of this.#open) {
        const state = this.#nextOf(level);
        if (state !== undefined) {
          isOpen = true;
          states++;
          this.#follow(state);
        }
        if (states >= mostStates) {
          return { boundUs: this.#leastOpen(), states };
        }
      }
    }
    return { boundUs: Math.min(this.#limit, this.#unfinishedUs), states };
  }

  /** The first state of a level that fits, is new and can still beat the best plan. */
  #nextOf(level: Heap<Open>): State | undefined {
    for (let entry = level.pop(); entry !== undefined; entry = level.pop()) {
      if (entry.atLeast >= this.#limit) continue;
      const congested = pricedWithCongestion(entry, this.#clock);
      if (congested !== entry) {
        // A state that is priced too low would suppress faster ones.
        level.push(congested);
        continue;
      }
      const state = this.#laidOut(entry);
      if (state === undefined || !this.#isNew(state)) continue;
      if (!this.#isEnd(state)) return state;
      const priceUs = this.#question.offer(stepsOf(state.trail)) * (1 - NEGLIGIBLE);
      this.#limit = Math.min(this.#limit, priceUs);
      const { microseconds } = state.clock;
      if (microseconds < priceUs) this.#unfinishedUs = Math.min(this.#unfinishedUs, microseconds);
    }
    return undefined;
  }

  /** A time in µs that no plan through the remaining states beats. */
  #leastOpen(): number {
    const left = this.#open.map((level) => level.pop()?.atLeast ?? Infinity);
    return Math.min(this.#limit, this.#unfinishedUs, ...left);
  }

  #start(): Next {
    const { fn, declared } = this.#evaluator;
    const instances = new Map<number, Instance>();
    for (const value of fn.arguments) {
      const layout = declared[value];
      if (layout !== undefined) instances.set(idOf(value, layout), { value, layout, buffer: value });
    }
    return { done: 0, clock: this.#clock.start, instances };
  }

  #push(from: Open["from"], next: Next, atLeast: number): void {
    const { done, instances, clock } = next;
    const dispatchedUs = Math.max(clock.microseconds, this.#dispatch.microseconds(done, clock));
    if (dispatchedUs >= this.#limit) return;
    const present = Map.groupBy(instances.values(), ({ value }) => value);
    const rest = this.#rest.microseconds(
      (op) => (done & 1 << op) !== 0,
      (value) => present.get(value)?.map(({ layout }) => layout) ?? [],
    );
    const least = Math.max(atLeast, clock.microseconds + rest, dispatchedUs);
    if (least < this.#limit) this.#open[countOf(done)]?.push({ from, next, restUs: rest, atLeast: least });
  }

  /** The state with its tensors placed in L1; `undefined` if they do not fit. */
  #laidOut({ from, next, atLeast }: Open): State | undefined {
    if (from === undefined) {
      const { fn, declared, layouts } = this.#evaluator;
      const liveIn = fn.arguments.map((tensor) => ({ tensor, l1Bytes: l1Bytes(layouts, declared[tensor]) }));
      const nothing = { liveIn, tensors: 0, steps: [], liveOut: [] };
      const { memory } = initialState(nothing, this.#question.region);
      return { ...next, atLeast, memory, steps: 0, trail: undefined };
    }
    const { state, step } = from;
    const own = this.#l1Step(state, step);
    const memory = state.memory.copy();
    const play = { memory, usage: [], failures: [], oversized: [], peakBytes: 0, peakExtent: 0 };
    const schedule = { tensors: 0, steps: [own], liveIn: [], liveOut: [] };
    if (playStep(play, schedule, 0, this.#question.region, "failures") !== undefined) return undefined;
    const instances = new Map<number, Instance>();
    const kept = new Set<number>();
    for (const [id, instance] of next.instances) {
      const made = own.defines[-1 - instance.buffer];
      const buffer = made === undefined ? instance.buffer : made.aliasOf ?? made.tensor;
      instances.set(id, made === undefined ? instance : { ...instance, buffer });
      kept.add(buffer);
    }
    for (const { buffer } of state.instances.values()) if (!kept.has(buffer)) memory.free(buffer);
    for (const { tensor } of own.defines) if (!kept.has(tensor)) memory.free(tensor);
    const trail = { step, before: state.trail };
    return { ...next, instances, atLeast, memory, steps: state.steps + 1, trail };
  }

  /** A step in the form that the L1 simulation needs. */
  #l1Step({ steps, instances }: State, step: SearchStep): L1Step {
    // A buffer id that no earlier step used.
    const fresh = (result: number): number => LAYOUTS + steps * RESULTS + result;
    const bufferOf = (value: ValueId, layout: LayoutId | undefined): number =>
      layout === undefined ? NO_BUFFER : instances.get(idOf(value, layout))?.buffer ?? NO_BUFFER;
    if (step.kind === "op") {
      const { inputs } = step.choice;
      const { operands, results } = this.#evaluator.op(step.op);
      return l1Step(
        operands.map((value, operand) => bufferOf(value, inputs[operand])),
        results.map((_, index) => fresh(index)),
        this.#evaluator.footprint(step.op, inputs, step.choice),
      );
    }
    const { value, from, to } = step;
    const { tensor } = this.#evaluator.value(value);
    if (tensor === undefined) throw new RangeError(`Cannot copy value ${value}: it is not a tensor`);
    const footprint = { ...this.#evaluator.reshardFootprint(tensor, from, to), aliasedOperand: undefined };
    return l1Step([bufferOf(value, from)], [fresh(0)], footprint);
  }

  /** Whether no equal state was seen from which every continuation ends as early. */
  #isNew({ done, instances, memory, clock }: State): boolean {
    const addresses = new Map(memory.placements().map(({ tensor, address }) => [tensor, address]));
    const present = [...instances].map(([id, { buffer }]) => `${id}@${addresses.get(buffer) ?? ""}`).sort();
    const key = `${done}|${present.join()}`;
    const cached = this.#seen.get(key) ?? [];
    if (cached.some((other) => this.#clock.isNoLater(other, clock))) return false;
    this.#seen.set(key, [...cached.filter((other) => !this.#clock.isNoLater(clock, other)), clock]);
    return true;
  }

  #isEnd({ done, instances }: State): boolean {
    const { fn, declared } = this.#evaluator;
    if (done !== this.#all) return false;
    const returned = new Set(fn.results.flatMap((value) => {
      const layout = declared[value];
      return layout === undefined ? [] : [idOf(value, layout)];
    }));
    return returned.isSubsetOf(new Set(instances.keys())) &&
      [...instances].every(([id, instance]) => returned.has(id) || !this.#isFreed(instance));
  }

  /** Whether a tensor takes L1 and can be freed. */
  #isFreed({ value, layout }: Pick<Instance, "value" | "layout">): boolean {
    return this.#evaluator.facts(layout).isL1 && !this.#isArgument({ value, layout });
  }

  #isArgument({ value, layout }: Pick<Instance, "value" | "layout">): boolean {
    return this.#evaluator.value(value).definition.kind === "argument" &&
      layout === this.#evaluator.declared[value];
  }

  #follow(state: State): void {
    const { done, atLeast } = state;
    for (const op of this.#evaluator.fn.ops) {
      const bit = 1 << op.id;
      const before = this.#before[op.id] ?? 0;
      if ((done & bit) === 0 && (before & done) === before) this.#runs(state, op, atLeast);
    }
    for (const instance of state.instances.values()) this.#copies(state, instance, atLeast);
  }

  #runs(state: State, op: GraphOp, atLeast: number): void {
    const done = state.done | 1 << op.id;
    for (const { read, impls } of this.#readings[op.id] ?? []) {
      if (!read.every((id) => state.instances.has(id))) continue;
      for (const { row, choice, made } of impls) {
        const program = this.#prices.ofRow(op.id, row, choice);
        const from: Taken = {
          state,
          step: { kind: "op", op: op.id, choice },
          program,
          congested: () => this.#prices.ofCongestedRow(op.id, row, choice),
        };
        const clock = this.#clock.after(state.clock, program);
        for (const instances of this.#keeping(state, read, made, done)) {
          this.#push(from, { done, clock, instances }, atLeast);
        }
      }
    }
  }

  #copies(state: State, { value, layout: from }: Instance, atLeast: number): void {
    const { done, instances: before } = state;
    const { tensor } = this.#evaluator.value(value);
    if (tensor === undefined || this.#question.pinned[value] === true || !this.#isRead(value, done)) return;
    const targets = this.#targets(value, from, done);
    const mayLeave = this.#isFreed({ value, layout: from });
    for (const to of this.#space.layoutsOf(value)) {
      if (before.has(idOf(value, to)) || (!mayLeave && !targets.has(to))) continue;
      const program = this.#prices.ofCopy(tensor, from, to);
      const clock = this.#clock.after(state.clock, program);
      if (
        clock.microseconds >= this.#limit || this.#evaluator.copyMicroseconds(value, from, to) === Infinity
      ) {
        continue;
      }
      const made = [{ value, layout: to, buffer: resultOf(0) }];
      for (const instances of this.#keeping(state, [idOf(value, from)], made, done)) {
        const leaves = !instances.has(idOf(value, from));
        if (!leaves && !targets.has(to)) continue;
        const next = { done, clock, instances };
        const step = { kind: "copy", value, from, to, leaves } as const;
        const congested = (): TimedProgram => this.#prices.ofCongestedCopy(tensor, from, to);
        this.#push({ state, step, program, congested }, next, atLeast);
      }
    }
  }

  /**
   * Layouts in which later steps may read a value, and the intermediate layouts on the cheapest paths there
   * from a layout.
   */
  #targets(value: ValueId, from: LayoutId, done: number): ReadonlySet<LayoutId> {
    const key = `${value}:${from}:${done}`;
    let targets = this.#cachedTargets.get(key);
    if (targets !== undefined) return targets;
    this.#cachedTargets.set(key, targets = new Set());
    const { tensor, uses, returned } = this.#evaluator.value(value);
    if (tensor === undefined) return targets;
    const layouts = this.#space.layoutsOf(value);
    const read = uses.flatMap(({ op, operand }) =>
      (done & 1 << op) === 0 ? this.#space.table(op).reads[operand] ?? [] : []
    );
    if (returned > 0) read.push(this.#evaluator.declared[value]);
    for (const to of new Set(read)) {
      if (to === undefined) continue;
      for (const intermediate of this.#prices.intermediates(tensor, layouts, from, to)) {
        targets.add(intermediate);
      }
    }
    return targets;
  }

  /**
   * The sets of instances after a step: each operand in L1 is kept for a later reader or freed, in all
   * combinations.
   */
  *#keeping(
    { instances }: State,
    read: readonly number[],
    made: readonly Instance[],
    done: number,
  ): Generator<ReadonlyMap<number, Instance>> {
    const next = new Map(instances);
    for (const instance of made) next.set(idOf(instance.value, instance.layout), instance);
    const mayGo: number[] = [];
    const readNow = new Set([...read, ...made.map(({ value, layout }) => idOf(value, layout))]);
    for (const [id, instance] of next) {
      const isRead = this.#isRead(instance.value, done);
      if (isRead && !this.#isFreed(instance)) continue;
      if (!isRead) {
        // A tensor kept in L1 for a later reader must have had one.
        if (this.#isFreed(instance) && !readNow.has(id)) return;
        if (!this.#isArgument(instance)) next.delete(id);
      } else if (read.includes(id)) mayGo.push(id);
    }
    for (let leaving = 0; leaving < 2 ** mayGo.length; leaving++) {
      const kept = new Map(next);
      mayGo.forEach((id, index) => {
        if ((leaving & 1 << index) !== 0) kept.delete(id);
      });
      yield kept;
    }
  }

  /** Whether a later step reads a value, or the function returns it. */
  #isRead(value: ValueId, done: number): boolean {
    const { uses, returned } = this.#evaluator.value(value);
    return returned > 0 || uses.some(({ op }) => (done & 1 << op) === 0);
  }
}

/** A provisional buffer id of a result, until the step is placed in L1. */
function resultOf(index: number): number {
  return -1 - index;
}

function idOf(value: ValueId, layout: LayoutId): number {
  return value * LAYOUTS + layout;
}

/** The number of set bits. */
function countOf(done: number): number {
  let count = 0;
  for (let rest = done; rest > 0; rest &= rest - 1) count++;
  return count;
}

/** The implementations of an op that read the same. */
interface Reading {
  readonly read: readonly number[];
  readonly impls: StepImpl[];
}

interface StepImpl {
  readonly row: Impl;
  readonly choice: Choice;
  /** Instances that it produces. */
  readonly made: readonly Instance[];
}

function readingsOf(space: LayoutSpace, { id, operands, results }: GraphOp): readonly Reading[] {
  const table = space.table(id);
  const readings = new Map<string, Reading>();
  for (const row of implsOf(table)) {
    const choice = space.choiceOf(table, row, "exact, step by step");
    const made = results.flatMap((value, index): Instance[] => {
      const layout = choice.outputs[index];
      return layout === undefined ? [] : [{ value, layout, buffer: resultOf(index) }];
    });
    const key = row.reads.join();
    let reading = readings.get(key);
    if (reading === undefined) {
      const read = operands.flatMap((value, operand) => {
        const layout = choice.inputs[operand];
        return layout === undefined ? [] : [idOf(value, layout)];
      });
      readings.set(key, reading = { read, impls: [] });
    }
    reading.impls.push({ row, choice, made });
  }
  return [...readings.values()];
}
