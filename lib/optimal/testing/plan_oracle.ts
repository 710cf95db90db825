// SPDX-License-Identifier: Apache-2.0
import type { TimedProgram } from "../../cost/dispatcher.ts";
import type { GraphOp, ValueId } from "../../graph/graph.ts";
import type { LayoutId } from "../../layout/layout_table.ts";
import type { OpFootprint } from "../../memory/op_footprint.ts";
import type { L1Region } from "../../memory/l1_schedule.ts";
import { Heap } from "../../search/heap.ts";
import type { OpEvaluator } from "../../search/op_evaluator.ts";
import type { LayoutSpace } from "../exploration/layout_space.ts";

/** A tensor that exists in one layout. */
interface OracleInstance {
  readonly value: ValueId;
  readonly layout: LayoutId;
  /** Instance that owns its buffer; its own id if it has one of its own. */
  readonly buffer: number;
  /** Distance in bytes of the buffer's end from the top of L1; 0 if addresses are not tracked. */
  readonly depth: number;
}

/** Programs that ran, and when. */
interface Timed {
  readonly programs: readonly TimedProgram[];
  /** Start times in µs; empty if only their sum is needed. */
  readonly starts: readonly number[];
  readonly microseconds: number;
}

/** Instances that exist between two steps, and the time to get there. */
interface OracleState extends Timed {
  /** `microseconds` plus the least time of the remaining ops. */
  readonly atLeast: number;
  readonly done: number;
  /** By instance id. */
  readonly instances: ReadonlyMap<number, OracleInstance>;
  /** Copies made for the next op or copy, which must read them. */
  readonly pending: ReadonlySet<number>;
}

/** The input of the search. */
export interface OracleQuestion {
  /** L1 per core; plans may fill its budget. */
  readonly region: L1Region;
  /** Whether every tensor must find a large enough hole, top down, first fit; otherwise only bytes are counted. */
  readonly byAddress: boolean;
  /** Whether ops run in the input's order; otherwise in any. */
  readonly keepsOrder: boolean;
  /** µs; only faster plans are searched for. */
  readonly limit: number;
  /** Ends the search. */
  readonly mostStates: number;
  /** Creates the clock that times plans; without it, times are summed. */
  readonly clock?: () => (program: TimedProgram) => { readonly startUs: number; readonly deviceUs: number };
}

/** The result of the search. */
export interface OracleAnswer {
  /** Least µs of any plan; `undefined` if none is below the limit. */
  readonly microseconds: number | undefined;
  /** States that were examined. */
  readonly states: number;
}

/**
 * The least time of any plan over the explored layouts, by exhaustive search: every order of ops, every
 * implementation of each, every copy between any two layouts, every set of tensors that may leave L1 to make
 * room for a step. It shares the tables of implementations and their prices with the solver and nothing else:
 * no factors, no shares of copies, no caps. L1 is counted in bytes or by address.
 *
 * A copy is made directly before the step that reads it, or when its source leaves L1: making it earlier
 * saves nothing.
 */
export function leastPlan(space: LayoutSpace, question: OracleQuestion): OracleAnswer {
  return new PlanOracle(space, question).search(question);
}

/** More layouts than any test creates, so that value and layout fit into one id. */
const LAYOUTS = 4096;

class PlanOracle {
  readonly #space: LayoutSpace;
  readonly #evaluator: OpEvaluator;
  readonly #region: L1Region;
  readonly #byAddress: boolean;
  readonly #keepsOrder: boolean;
  readonly #clock: OracleQuestion["clock"];

  constructor(space: LayoutSpace, { region, byAddress, keepsOrder, clock }: OracleQuestion) {
    this.#clock = clock;
    this.#space = space;
    this.#evaluator = space.evaluator;
    this.#region = region;
    this.#byAddress = byAddress;
    this.#keepsOrder = keepsOrder;
  }

  search({ limit, mostStates }: Pick<OracleQuestion, "limit" | "mostStates">): OracleAnswer {
    const open = new Heap<OracleState>((a, b) => a.atLeast < b.atLeast);
    const seen = new Map<string, OracleState[]>();
    const visit = (state: OracleState): void => {
      if (state.atLeast >= limit) return;
      const key = keyOf(state);
      const cached = seen.get(key) ?? [];
      if (cached.some((other) => isNoLater(other, state))) return;
      seen.set(key, [...cached.filter((other) => !isNoLater(state, other)), state]);
      open.push(state);
    };
    visit(this.#start());
    let states = 0;
    for (let state = open.pop(); state !== undefined; state = open.pop()) {
      if (seen.get(keyOf(state))?.includes(state) !== true) continue;
      if (this.#isEnd(state)) return { microseconds: state.microseconds, states };
      if (++states >= mostStates) return { microseconds: undefined, states };
      for (const next of this.#stepsFrom(state)) visit(next);
    }
    return { microseconds: undefined, states };
  }

  #start(): OracleState {
    const { fn, declared } = this.#evaluator;
    const instances = new Map<number, OracleInstance>();
    for (const value of fn.arguments) {
      const layout = declared[value];
      if (layout === undefined) continue;
      const id = idOf(value, layout);
      instances.set(id, { value, layout, buffer: id, depth: 0 });
    }
    const toCome = fn.ops.reduce((us, { id }) => us + this.#space.table(id).least, 0);
    return {
      ...{ programs: [], starts: [], microseconds: 0 },
      ...{ atLeast: toCome, done: 0, instances, pending: new Set() },
    };
  }

  #isEnd({ done, instances, pending }: OracleState): boolean {
    const { fn, declared } = this.#evaluator;
    if (done !== 2 ** fn.ops.length - 1) return false;
    const returned = new Set(fn.results.map((value) => idOf(value, declared[value])));
    return fn.results.every((value) =>
      declared[value] === undefined || instances.has(idOf(value, declared[value]))
    ) && [...pending].every((id) => returned.has(id));
  }

  *#stepsFrom(state: OracleState): Generator<OracleState> {
    const { fn } = this.#evaluator;
    for (const op of fn.ops) {
      if ((state.done & 1 << op.id) === 0 && this.#isReady(state, op)) yield* this.#runs(state, op);
    }
    for (const [id, instance] of state.instances) yield* this.#copies(state, id, instance);
  }

  /** Whether all operands of an op exist, in any layout. */
  #isReady({ done }: OracleState, { id, operands }: GraphOp): boolean {
    if (this.#keepsOrder) return done === 2 ** id - 1;
    return operands.every((value) => {
      const { definition } = this.#evaluator.value(value);
      return definition.kind === "argument" || (done & 1 << definition.op) !== 0;
    });
  }

  *#runs(state: OracleState, op: GraphOp): Generator<OracleState> {
    const { reads, outputs, rows, least } = this.#space.table(op.id);
    for (const row of rows) {
      const inputs = row.reads.map((read, operand) => reads[operand]?.[read]);
      const made = outputs[row.output] ?? [];
      const sources = op.operands.map((value, operand) => idOf(value, inputs[operand]));
      const exist = inputs.every((layout, operand) =>
        layout === undefined || state.instances.has(sources[operand] ?? -1)
      );
      if (!exist || [...state.pending].some((id) => !sources.includes(id))) continue;
      const footprint = this.#evaluator.footprint(op.id, inputs, { outputs: made, config: row.config });
      const results = op.results.flatMap((value, index) => {
        const layout = made[index];
        return layout === undefined ? [] : [{ value, layout }];
      });
      const { bound, terms } = this.#evaluator.cost.getOpRuntime(
        this.#evaluator.signature(op.id),
        inputs,
        made,
        row.config,
      );
      const program = { microseconds: row.microseconds, bound, terms };
      const costs = { program, least, done: state.done | 1 << op.id };
      yield* this.#after(state, sources, results, footprint, costs);
    }
  }

  *#copies(state: OracleState, from: number, { value, layout }: OracleInstance): Generator<OracleState> {
    const { tensor } = this.#evaluator.value(value);
    if (tensor === undefined) return;
    if ([...state.pending].some((id) => id !== from && state.instances.get(id)?.value === value)) return;
    const pending = new Set([...state.pending].filter((other) => other !== from));
    for (const to of this.#space.layoutsOf(value)) {
      const id = idOf(value, to);
      if (state.instances.has(id)) continue;
      const microseconds = this.#evaluator.copyMicroseconds(value, layout, to);
      if (microseconds === Infinity) continue;
      const footprint = {
        ...this.#evaluator.reshardFootprint(tensor, layout, to),
        aliasedOperand: undefined,
      };
      const { bound, terms } = this.#evaluator.cost.getReshardRuntime(tensor, layout, to);
      const costs = { program: { microseconds, bound, terms }, least: 0, done: state.done };
      for (const next of this.#after(state, [from], [{ value, layout: to }], footprint, costs)) {
        yield { ...next, pending: new Set([...pending, id]) };
        if (!this.#mayLeave(from, next)) continue;
        const instances = new Map(next.instances);
        instances.delete(from);
        yield { ...next, instances, pending };
      }
    }
  }

  /** Whether a tensor takes L1 that could be freed. */
  #mayLeave(id: number, { instances }: Pick<OracleState, "instances">): boolean {
    const instance = instances.get(id);
    return instance !== undefined && !this.#evaluator.fn.arguments.includes(instance.value) &&
      this.#evaluator.facts(instance.layout).l1Bytes > 0;
  }

  /** The states after a step, one per smallest set of tensors that leave L1 before it to make room. */
  *#after(
    state: OracleState,
    sources: readonly number[],
    made: readonly Pick<OracleInstance, "value" | "layout">[],
    footprint: OpFootprint,
    { program, least, done }: { program: TimedProgram; least: number; done: number },
  ): Generator<OracleState> {
    const { fn } = this.#evaluator;
    const own = ownBytes(footprint);
    const timed = this.#timed(state, program);
    const took = timed.microseconds - state.microseconds;
    const leavers = [...state.instances.keys()].filter((id) =>
      !sources.includes(id) && this.#mayLeave(id, state)
    );
    const enough: number[] = [];
    for (let leaving = 0; leaving < 2 ** leavers.length; leaving++) {
      // By bytes, larger sets free nothing else that is useful; by address, every set leaves other holes.
      if (!this.#byAddress && enough.some((fewer) => (fewer & leaving) === fewer)) continue;
      const instances = new Map(state.instances);
      leavers.forEach((id, index) => {
        if ((leaving & 1 << index) !== 0) instances.delete(id);
      });
      if (this.#bytesOf(instances) + own > this.#region.budget) continue;
      enough.push(leaving);
      made.forEach(({ value, layout }, index) => {
        const id = idOf(value, layout);
        const source = state.instances.get(
          index === 0 ? sources[footprint.aliasedOperand ?? -1] ?? -1 : -1,
        );
        const depth = source?.depth ?? (this.#byAddress ? this.#place(instances, layout) : 0);
        instances.set(id, { value, layout, buffer: source?.buffer ?? id, depth });
      });
      if (this.#byAddress) {
        const deepest = Math.max(0, ...[...instances.values()].map(({ depth }) => depth));
        if (deepest + footprint.circularBufferBytes > this.#region.budget) continue;
      }
      for (const [id, { value }] of instances) {
        const { uses, returned } = this.#evaluator.value(value);
        if (returned > 0 || fn.arguments.includes(value)) continue;
        if (uses.every(({ op }) => (done & 1 << op) !== 0)) instances.delete(id);
      }
      yield {
        ...timed,
        atLeast: Math.max(state.atLeast, state.atLeast + took - least),
        done,
        instances,
        pending: new Set(),
      };
    }
  }

  /** Appends a program, timed from the first one on. */
  #timed({ programs, starts, microseconds }: Timed, program: TimedProgram): Timed {
    if (program.microseconds === 0) return { programs, starts, microseconds };
    const all = [...programs, program];
    if (this.#clock === undefined) {
      return { programs: all, starts, microseconds: microseconds + program.microseconds };
    }
    const clock = this.#clock();
    const steps = all.map((each) => clock(each));
    const last = steps.at(-1);
    return {
      programs: all,
      starts: steps.map(({ startUs }) => startUs),
      microseconds: last === undefined ? 0 : last.startUs + last.deviceUs,
    };
  }

  /** The highest hole that is large enough for a new tensor. */
  #place(instances: ReadonlyMap<number, OracleInstance>, layout: LayoutId): number {
    const { alignment } = this.#region;
    const bytesOf = (of: LayoutId): number =>
      Math.ceil(this.#evaluator.facts(of).l1Bytes / alignment) * alignment;
    const bytes = bytesOf(layout);
    if (bytes === 0) return 0;
    const taken = [...instances.values()].filter((other) => other.depth > 0)
      .map((other) => [other.depth - bytesOf(other.layout), other.depth] as const)
      .sort(([a], [b]) => a - b);
    let depth = 0;
    for (const [start, end] of taken) {
      if (start - depth >= bytes) break;
      depth = Math.max(depth, end);
    }
    return depth + bytes;
  }

  /** Bytes of L1 per core of some tensors; a shared buffer counts once. */
  #bytesOf(instances: ReadonlyMap<number, OracleInstance>): number {
    const buffers = new Map<number, number>();
    for (const { layout, buffer } of instances.values()) {
      buffers.set(buffer, Math.max(buffers.get(buffer) ?? 0, this.#evaluator.facts(layout).l1Bytes));
    }
    let sum = 0;
    for (const bytes of buffers.values()) sum += bytes;
    return sum;
  }
}

/** Bytes of L1 per core that a step takes in addition to what exists: results, intermediates and circular buffers. */
function ownBytes(
  { circularBufferBytes, resultBytes, ownPeakBytes, aliasedOperand }: OpFootprint,
): number {
  const results = resultBytes.reduce(
    (sum, bytes, index) => index === 0 && aliasedOperand !== undefined ? sum : sum + bytes,
    0,
  );
  if (aliasedOperand !== undefined) return results;
  return ownPeakBytes === Infinity ? circularBufferBytes + results : ownPeakBytes;
}

function idOf(value: ValueId, layout: LayoutId | undefined): number {
  return layout === undefined ? -1 : value * LAYOUTS + layout;
}

/**
 * Whether every time of one state is at most that of the other, so that every continuation of it ends no
 * later.
 */
function isNoLater(state: OracleState, other: OracleState): boolean {
  return state.microseconds <= other.microseconds && state.starts.length === other.starts.length &&
    state.starts.every((start, index) => start <= (other.starts[index] ?? -1));
}

/** Equal for states with the same continuations. */
function keyOf({ done, instances, pending }: OracleState): string {
  const present = [...instances].map(([id, { buffer, depth }]) => `${id}:${buffer}:${depth}`).sort();
  return `${done}|${present.join()}|${[...pending].sort().join()}`;
}
