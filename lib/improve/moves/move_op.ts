// SPDX-License-Identifier: Apache-2.0
import { PLACES_PER_WAIT } from "../../search/limits.ts";
import type { DispatcherTimes } from "../../cost/cost_model.ts";
import { idAt, type OpId } from "../../graph/graph.ts";
import { climb } from "../climb.ts";

/** An order of ops, and the end of its last program. */
export interface TimedOrder {
  readonly order: readonly OpId[];
  readonly microseconds: number;
}

/** The move of one op, by its position before and after the change. */
interface OpMove {
  readonly from: number;
  readonly to: number;
}

/** Smaller gains in µs are rounding. */
const LEAST_GAIN = 1e-6;

/**
 * Improves orders of ops in which programs wait for the dispatcher, by moving one op at a time: a long op
 * before a wait, or a waiting op to the place of a long one. Dependencies are kept.
 */
export class DispatchMoves {
  readonly #times: readonly (readonly number[])[];
  readonly #before: readonly ReadonlySet<OpId>[];
  readonly #after: readonly (readonly OpId[])[];
  readonly #dispatch: DispatcherTimes;
  /** Per op: µs by which it takes longer than dispatching it. */
  readonly #lead: readonly number[];
  /** µs of all programs. */
  readonly #running: number;
  readonly #mostSteps: number;
  #steps = 0;

  /**
   * @param times per op: the µs of its programs
   * @param before per op: the ops that precede it in every order
   * @param mostSteps most programs and places that may be examined
   */
  constructor(
    times: readonly (readonly number[])[],
    before: readonly ReadonlySet<OpId>[],
    dispatch: DispatcherTimes,
    mostSteps: number,
  ) {
    this.#times = times;
    this.#before = before;
    this.#dispatch = dispatch;
    this.#mostSteps = mostSteps;
    const after: OpId[][] = before.map(() => []);
    before.forEach((ops, op) => {
      for (const earlier of ops) after[earlier]?.push(idAt(op));
    });
    this.#after = after;
    this.#lead = times.map((own) => own.reduce((sum, us) => sum + us - dispatch.dispatchMicroseconds, 0));
    this.#running = times.flat().reduce((sum, us) => sum + us, 0);
  }

  /** The number of programs and positions examined so far. */
  get steps(): number {
    return this.#steps;
  }

  /** Whether the limit is reached. */
  get isSpent(): boolean {
    return this.#steps >= this.#mostSteps;
  }

  /** An order that no such move speeds up further, or the best one found within the limit. */
  improve(order: readonly OpId[]): TimedOrder {
    const run = new TimedRun(order, this.#times, this.#dispatch);
    const isSpent = (): boolean => this.isSpent;
    let places: ReadonlySet<number> | undefined;
    climb<OpId>([{
      isSpent,
      sites: () =>
        run.order.filter((op) => this.#isLong(op))
          .sort((a, b) => this.#leadOf(b) - this.#leadOf(a) || a - b),
      improveAt: (op) => {
        const near = places ??= this.#placesBeforeWaits(run);
        const isMoved = this.#tryMoves(run, op, (place) => near.has(place));
        if (isMoved) places = undefined;
        return isMoved;
      },
    }, {
      isSpent,
      sites: () => run.waits.flatMap((place) => run.order[place] ?? []),
      improveAt: (op) => {
        const isMoved = this.#tryMoves(run, op, (_, other) => this.#isLong(other));
        if (isMoved) places = undefined;
        return isMoved;
      },
    }], Infinity);
    return { order: run.order, microseconds: run.end };
  }

  /**
   * Moves an op to the best of some positions if that speeds up the order.
   *
   * @param isWanted gets a position and the op there
   */
  #tryMoves(run: TimedRun, op: OpId, isWanted: (place: number, other: OpId) => boolean): boolean {
    const { order } = run;
    const from = run.placeOf(op);
    let [first, last] = [0, order.length - 1];
    for (const other of this.#before[op] ?? []) first = Math.max(first, run.placeOf(other) + 1);
    for (const other of this.#after[op] ?? []) last = Math.min(last, run.placeOf(other) - 1);
    let best: OpMove | undefined;
    let least = run.end - LEAST_GAIN;
    for (let to = first; to <= last && !this.isSpent; to++) {
      this.#steps++;
      const other = order[to];
      if (to === from || other === undefined || !isWanted(to, other)) continue;
      const { end, steps } = run.endAfter({ from, to }, least, this.#running);
      this.#steps += steps;
      if (end < least) [best, least] = [{ from, to }, end];
    }
    if (best === undefined) return false;
    run.move(best);
    this.#steps += order.length;
    return true;
  }

  /** Places of waits, and places before them within the reach of the ready programs. */
  #placesBeforeWaits({ waits }: TimedRun): ReadonlySet<number> {
    const { readyPrograms } = this.#dispatch;
    const apart = Math.max(1, Math.round(readyPrograms / PLACES_PER_WAIT));
    const places = new Set<number>();
    for (const wait of waits) {
      for (let ahead = 0; ahead <= readyPrograms; ahead += apart) places.add(wait - ahead);
    }
    return places;
  }

  #leadOf(op: OpId): number {
    return this.#lead[op] ?? 0;
  }

  #isLong(op: OpId): boolean {
    return this.#leadOf(op) > 0;
  }
}

/**
 * The times of an order, cached by prefix, so that an order with the same beginning is timed from the first
 * difference.
 */
class TimedRun {
  readonly #times: readonly (readonly number[])[];
  readonly #dispatch: DispatcherTimes;
  #order: readonly OpId[];
  readonly #placeOf: number[] = [];
  /**
   * By place: the number of programs before it, when the last of them ends, when it is dispatched, and the µs
   * of all of them.
   */
  readonly #programs: number[] = [];
  readonly #ends: number[] = [];
  readonly #dispatched: number[] = [];
  readonly #run: number[] = [];
  /** Start time of each program; for an order on trial, in {@linkcode #tried}. */
  readonly #starts: Float64Array;
  readonly #tried: Float64Array;
  #waits: readonly number[] = [];

  constructor(order: readonly OpId[], times: readonly (readonly number[])[], dispatch: DispatcherTimes) {
    this.#times = times;
    this.#dispatch = dispatch;
    this.#order = order;
    const programs = times.reduce((sum, own) => sum + own.length, 0);
    this.#starts = new Float64Array(programs);
    this.#tried = new Float64Array(programs);
    this.#settle();
  }

  get order(): readonly OpId[] {
    return this.#order;
  }

  /** The end of the last program. */
  get end(): number {
    return this.#ends[this.#order.length] ?? 0;
  }

  /** Places of ops with programs that wait for the dispatcher. */
  get waits(): readonly number[] {
    return this.#waits;
  }

  placeOf(op: OpId): number {
    const place = this.#placeOf[op];
    if (place === undefined) throw new RangeError(`Cannot move op ${op}: it is not in the order`);
    return place;
  }

  move({ from, to }: OpMove): void {
    const op = this.#order.slice(from, from + 1);
    this.#order = this.#order.toSpliced(from, 1).toSpliced(to, 0, ...op);
    this.#settle();
  }

  /** Recomputes the times after a change of the order. */
  #settle(): void {
    const { dispatchMicroseconds, readyPrograms } = this.#dispatch;
    const waits: number[] = [];
    let [program, end, dispatched, running] = [0, 0, 0, 0];
    this.#order.forEach((op, place) => {
      this.#placeOf[op] = place;
      this.#note(place, program, end, dispatched, running);
      const ready = end;
      let own = 0;
      for (const us of this.#times[op] ?? []) {
        if (program >= readyPrograms) {
          dispatched = Math.max(dispatched, this.#starts[program - readyPrograms] ?? 0) +
            dispatchMicroseconds;
        }
        const start = Math.max(end, dispatched);
        this.#starts[program++] = start;
        end = start + us;
        own += us;
      }
      running += own;
      if (end > ready + own + LEAST_GAIN) waits.push(place);
    });
    this.#note(this.#order.length, program, end, dispatched, running);
    this.#waits = waits;
  }

  #note(place: number, programs: number, end: number, dispatched: number, running: number): void {
    this.#programs[place] = programs;
    this.#ends[place] = end;
    this.#dispatched[place] = dispatched;
    this.#run[place] = running;
  }

  /**
   * The end in µs of the last program after a move, and the number of programs examined.
   *
   * @param most µs; ends from here on may be reported as `Infinity`
   * @param running µs of all programs
   */
  endAfter(
    { from, to }: OpMove,
    most: number,
    running: number,
  ): { readonly end: number; readonly steps: number } {
    const { dispatchMicroseconds, readyPrograms } = this.#dispatch;
    const first = Math.min(from, to);
    const known = this.#programs[first] ?? 0;
    let program = known;
    let end = this.#ends[first] ?? 0;
    let dispatched = this.#dispatched[first] ?? 0;
    let left = running - (this.#run[first] ?? 0);
    for (let place = first; place < this.#order.length; place++) {
      const op = this.#order[placeBefore({ from, to }, place)] ?? 0;
      for (const us of this.#times[op] ?? []) {
        if (program >= readyPrograms) {
          const at = program - readyPrograms;
          const freed = (at < known ? this.#starts[at] : this.#tried[at]) ?? 0;
          dispatched = Math.max(dispatched, freed) + dispatchMicroseconds;
        }
        const start = Math.max(end, dispatched);
        this.#tried[program++] = start;
        end = start + us;
        left -= us;
      }
      if (end + left >= most) return { end: Infinity, steps: program - known };
    }
    return { end, steps: program - known };
  }
}

/** The place, before a move, of the op that is at a place after it. */
function placeBefore({ from, to }: OpMove, place: number): number {
  if (place === to) return from;
  if (place > to && place <= from) return place - 1;
  return place >= from && place < to ? place + 1 : place;
}
