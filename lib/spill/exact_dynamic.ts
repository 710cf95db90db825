// SPDX-License-Identifier: Apache-2.0
import { COMPARED_STATES } from "../search/limits.ts";
import {
  allResident,
  residencyBytes,
  residencyCost,
  type SpillChoice,
  type SpillProblem,
  type SpillTensor,
  type TensorResidency,
} from "./spill_problem.ts";

/** Most live tensors of a state: bits of a mask. */
const MOST_LIVE = 31;

/** Location of each live tensor, one bit per tensor, and the µs spent so far. */
interface Places {
  /** Tensors in L1. */
  readonly inL1: number;
  /** Tensors of `inL1` that have a copy in DRAM as well. Live tensors outside `inL1` are only in DRAM. */
  readonly inBoth: number;
  readonly cost: number;
}

/** Upper bounds on the µs that a live tensor can cost one state more than another from now on. */
interface CatchUp {
  /** If it is in DRAM here and in L1 in the other state. */
  readonly fromDram: number;
  /** If it is only in L1 here and also has a copy in DRAM in the other state. */
  readonly toDram: number;
}

/**
 * Upper bounds, per live tensor, on the cost of switching to another state's locations: one copy back to L1
 * before the next use (or a direct read from DRAM at a last use that needs no more bytes), plus the copy to
 * DRAM if leaving L1 helps before a later use.
 *
 * @param helpsAfter whether L1 is short between a use and the next one, so that leaving may help
 */
export function catchUpsAfter(
  problem: SpillProblem,
  live: readonly number[],
  step: number,
  helpsAfter: (tensor: SpillTensor, use: number) => boolean,
): readonly CatchUp[] {
  return live.map((index) => {
    const tensor = problem.tensors[index];
    if (tensor === undefined) throw new RangeError(`Cannot look ahead of tensor ${index}: there is none`);
    const next = tensor.uses.findIndex((use) => use.step > step);
    const last = tensor.uses.length - 1;
    const use = tensor.uses[next];
    const direct = next === last && use !== undefined && use.directBytes <= tensor.bytes
      ? use.directCost
      : Infinity;
    const mayLeave = tensor.uses.some((_use, number) => number >= next && helpsAfter(tensor, number));
    return {
      fromDram: Math.min(direct, tensor.reloadCost),
      toDram: mayLeave ? tensor.storeCost : 0,
    };
  });
}

/**
 * The Pareto-optimal states, cheapest first; ties keep their order. State a dominates state b in two cases:
 * (1) same tensors in L1, a superset of b's copies in DRAM, and cost(a) ≤ cost(b); (2) a's tensors in L1 are
 * a subset of b's, and cost(a) + {@linkcode catchUpsAfter catch-up} < cost(b).
 */
function undominated<State extends Places>(
  states: readonly State[],
  catchUps: readonly CatchUp[],
): State[] {
  const kept: State[] = [];
  const cheapest: State[] = [];
  const groups = new Map<number, State[]>();
  for (const state of states.toSorted((a, b) => a.cost - b.cost)) {
    const group = groups.get(state.inL1);
    const isDominated = group?.some((better) => dominates(better, state, catchUps)) === true ||
      cheapest.some((better) => dominates(better, state, catchUps));
    if (isDominated) continue;
    kept.push(state);
    if (cheapest.length < COMPARED_STATES) cheapest.push(state);
    if (group === undefined) groups.set(state.inL1, [state]);
    else group.push(state);
  }
  return kept;
}

/** @param better costs no more than `other` */
function dominates(better: Places, other: Places, catchUps: readonly CatchUp[]): boolean {
  if ((better.inL1 & ~other.inL1) !== 0) return false;
  const missing = other.inL1 & ~better.inL1;
  const uncopied = other.inBoth & ~better.inBoth;
  let { cost } = better;
  for (let bits = missing | uncopied; bits !== 0; bits &= bits - 1) {
    const bit = 31 - Math.clz32(bits & -bits);
    const catchUp = catchUps[bit];
    cost += ((missing >>> bit & 1) === 1 ? catchUp?.fromDram : catchUp?.toDram) ?? 0;
  }
  // Equal costs dominate only if the same tensors are in L1, so that the first of equal choices stays first.
  return cost < other.cost || (missing === 0 && cost === other.cost);
}

/** Where a tensor is: in L1 only, in L1 with a copy in DRAM, in DRAM only. */
type Residence = 0 | 1 | 2;
const L1: Residence = 0;
const BOTH: Residence = 1;
const DRAM: Residence = 2;

/** The decision about one tensor at one of its events (definition or use). */
interface EventDecision {
  readonly tensor: number;
  /** Number of the use; `-1` for the definition. */
  readonly use: number;
  readonly fromL1: boolean;
  /** Whether it stays in L1 until its next use. */
  readonly stays: boolean;
}

/** Locations of the live tensors, in the order of `live`, with their history. */
interface State extends Places {
  readonly parent: State | undefined;
  readonly decisions: readonly EventDecision[];
}

/**
 * Optimal residency by dynamic programming over the schedule. State: the location of each live tensor;
 * transitions at definitions and uses; dominated states are dropped. Only tensors that are live at an
 * overfull step take part (derived:exact-spills).
 *
 * @param maxStates most states over all steps, dominated ones included; also refuses more than {@linkcode
 * MOST_LIVE} live tensors
 * @param onStates called with the number of states of each step
 * @returns `undefined` if there are more states; an infeasible problem gives a choice of infinite cost
 */
export function solveByDynamicProgramming(
  problem: SpillProblem,
  maxStates: number,
  onStates: (count: number) => void = () => {},
): SpillChoice | undefined {
  const full = residencyBytes(problem, allResident(problem));
  const overfull = full.map((bytes, step) => bytes > (problem.capacity[step] ?? 0));
  const contended = problem.tensors.map((tensor) => isLiveAtAny(tensor, overfull));
  const steps = eventsByStep(problem, contended);
  const fixed = fixedBytes(problem, contended);
  let live: number[] = [];
  let count = 0;
  let states: State[] = [{ inL1: 0, inBoth: 0, cost: 0, parent: undefined, decisions: [] }];
  for (let step = 0; step < problem.capacity.length; step++) {
    const capacity = (problem.capacity[step] ?? 0) - (fixed[step] ?? 0);
    const events = steps.get(step) ?? [];
    if (events.length === 0 && overfull[step] !== true) continue;
    const uses = new Map(events.map((event) => [event.tensor, event.use]));
    const next = [
      ...live.filter((tensor) => !isLastUse(problem, tensor, uses.get(tensor))),
      ...events.filter((event) => event.use < 0 && (problem.tensors[event.tensor]?.uses.length ?? 0) > 0)
        .map((event) => event.tensor),
    ];
    if (next.length > MOST_LIVE) return undefined;
    const passing = live.flatMap((tensor, from): readonly Passing[] =>
      uses.has(tensor) ? [] : [{ from, to: next.indexOf(tensor), bytes: problem.tensors[tensor]?.bytes ?? 0 }]
    );
    const happening = events.map((event): Happening => ({
      event,
      from: live.indexOf(event.tensor),
      to: next.indexOf(event.tensor),
    }));
    const expanded: State[] = [];
    for (const state of states) expand({ problem, overfull }, state, passing, happening, capacity, expanded);
    onStates(expanded.length);
    count += expanded.length;
    if (count > maxStates) return undefined;
    states = undominated(
      expanded,
      catchUpsAfter(problem, next, step, (tensor, use) => leavingHelps(tensor, use, overfull)),
    );
    if (states.length === 0) break;
    live = next;
  }
  return choiceOf(problem, states[0]);
}

interface Event {
  readonly tensor: number;
  readonly use: number;
}

function isLiveAtAny(tensor: SpillTensor, steps: readonly boolean[]): boolean {
  const last = tensor.uses.at(-1)?.step ?? tensor.definedAt;
  for (let step = tensor.definedAt; step <= last; step++) {
    if (steps[step] === true) return true;
  }
  return false;
}

function eventsByStep(problem: SpillProblem, contended: readonly boolean[]): ReadonlyMap<number, Event[]> {
  const events = new Map<number, Event[]>();
  const add = (step: number, event: Event): void => {
    events.getOrInsertComputed(step, () => []).push(event);
  };
  problem.tensors.forEach((tensor, index) => {
    if (contended[index] !== true) return;
    add(tensor.definedAt, { tensor: index, use: -1 });
    tensor.uses.forEach((use, number) => add(use.step, { tensor: index, use: number }));
  });
  return events;
}

/** Bytes of the tensors that are live at no overfull step and therefore stay in L1, per step. */
function fixedBytes(problem: SpillProblem, contended: readonly boolean[]): readonly number[] {
  const calm = problem.tensors.filter((_tensor, index) => contended[index] !== true);
  const rest = { capacity: problem.capacity, tensors: calm };
  return residencyBytes(rest, allResident(rest));
}

function isLastUse(problem: SpillProblem, tensor: number, use: number | undefined): boolean {
  return use !== undefined && use === (problem.tensors[tensor]?.uses.length ?? 0) - 1;
}

/** One outcome of an event: L1 bytes during the step, location afterwards, cost. */
interface Option {
  readonly bytes: number;
  readonly place: Residence;
  readonly cost: number;
  readonly decision: EventDecision;
}

/** A problem, and the steps at which L1 is short. */
interface OverfullProblem {
  readonly problem: SpillProblem;
  readonly overfull: readonly boolean[];
}

/** A live tensor without an event at a step, by its indices among the live tensors before and after. */
interface Passing {
  readonly from: number;
  readonly to: number;
  readonly bytes: number;
}

/** An event of a step; `from` is -1 for a definition, `to` for a last use. */
interface Happening {
  readonly event: Event;
  readonly from: number;
  readonly to: number;
}

/**
 * Appends to `result` every state that follows from one state at a step.
 *
 * @param capacity bytes per core for live tensors without an event and those with one
 */
function expand(
  overfull: OverfullProblem,
  state: State,
  passing: readonly Passing[],
  happening: readonly Happening[],
  capacity: number,
  result: State[],
): void {
  const choose = (
    number: number,
    { inL1, inBoth, cost }: Places,
    room: number,
    decisions: readonly EventDecision[],
  ): void => {
    const next = happening[number];
    if (next === undefined) {
      if (room >= 0) result.push({ inL1, inBoth, cost, parent: state, decisions });
      return;
    }
    const { event, from, to } = next;
    for (const option of optionsOf(overfull, event, from < 0 ? undefined : placeIn(state, from))) {
      if (option.cost === Infinity) continue;
      choose(
        number + 1,
        {
          inL1: to < 0 || option.place === DRAM ? inL1 : inL1 | 1 << to,
          inBoth: to < 0 || option.place !== BOTH ? inBoth : inBoth | 1 << to,
          cost: cost + option.cost,
        },
        room - option.bytes,
        [...decisions, option.decision],
      );
    }
  };
  let [inL1, inBoth, room] = [0, 0, capacity];
  for (const { from, to, bytes } of passing) {
    const place = placeIn(state, from);
    if (place === DRAM) continue;
    inL1 |= 1 << to;
    if (place === BOTH) inBoth |= 1 << to;
    room -= bytes;
  }
  choose(0, { inL1, inBoth, cost: state.cost }, room, []);
}

function placeIn({ inL1, inBoth }: Places, index: number): Residence {
  if ((inL1 >>> index & 1) === 0) return DRAM;
  return (inBoth >>> index & 1) === 1 ? BOTH : L1;
}

/** The places that a tensor may have after an event, with costs. @param before its place; `undefined` at its definition */
function optionsOf(
  { problem, overfull }: OverfullProblem,
  event: Event,
  before: Residence | undefined,
): readonly Option[] {
  const tensor = problem.tensors[event.tensor];
  if (tensor === undefined) return [];
  const use = tensor.uses[event.use];
  const options: Option[] = [];
  const add = (fromL1: boolean, bytes: number, place: Residence, cost: number): void => {
    const decide = (stays: boolean): EventDecision => ({
      tensor: event.tensor,
      use: event.use,
      fromL1,
      stays,
    });
    options.push({ bytes, place, cost, decision: decide(place !== DRAM) });
    if (place === DRAM || !leavingHelps(tensor, event.use, overfull)) return;
    const store = place === BOTH ? 0 : tensor.storeCost;
    options.push({ bytes, place: DRAM, cost: cost + store, decision: decide(false) });
  };
  if (use === undefined) {
    add(true, tensor.bytes, L1, 0);
    add(false, tensor.inDramBytes, DRAM, tensor.inDramCost);
  } else if (before === DRAM) {
    add(false, use.directBytes, DRAM, use.directCost);
    add(true, tensor.bytes, BOTH, tensor.reloadCost);
  } else {
    add(true, tensor.bytes, before ?? L1, 0);
  }
  return options;
}

/** Whether L1 is short at any step after an event, up to the next use. */
function leavingHelps(tensor: SpillTensor, use: number, overfull: readonly boolean[]): boolean {
  const from = use < 0 ? tensor.definedAt : tensor.uses[use]?.step ?? 0;
  const to = tensor.uses[use + 1]?.step;
  if (to === undefined) return false;
  for (let step = from + 1; step <= to; step++) {
    if (overfull[step] === true) return true;
  }
  return false;
}

/** The decisions that led to a state, for all tensors; of infinite cost without a state. */
function choiceOf(problem: SpillProblem, last: State | undefined): SpillChoice {
  const all = allResident(problem);
  if (last === undefined) return { ...all, cost: Infinity };
  const tensors = all.tensors.map((residency) => ({
    inDram: residency.inDram,
    resident: [...residency.resident],
    fromL1: [...residency.fromL1],
  }));
  for (let state: State | undefined = last; state !== undefined; state = state.parent) {
    for (const { tensor, use, fromL1, stays } of state.decisions) {
      const residency = tensors[tensor];
      if (residency === undefined) continue;
      if (use < 0) residency.inDram = !fromL1;
      else residency.fromL1[use] = fromL1;
      if (use + 1 < residency.resident.length) residency.resident[use + 1] = stays;
    }
  }
  return { tensors, cost: costOf(problem, tensors) };
}

function costOf(problem: SpillProblem, tensors: readonly TensorResidency[]): number {
  return problem.tensors.reduce((sum, tensor, index) => {
    const residency = tensors[index];
    return residency === undefined ? sum : sum + residencyCost(tensor, residency);
  }, 0);
}
