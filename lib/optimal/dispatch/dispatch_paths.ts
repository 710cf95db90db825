// SPDX-License-Identifier: Apache-2.0
import { SIZE_CLASSES } from "../../search/limits.ts";
import { MOST_STRETCHES, NEAR_STRETCH, STRETCH_REACH } from "../limits.ts";
import type { DispatcherTimes } from "../../cost/cost_model.ts";
import { type OpId, returnPlace, type SchedulePoint, type ValueId } from "../../graph/graph.ts";
import { choiceFor, producedLayout, readLayouts } from "../../search/assignment.ts";
import { LayoutProgram } from "../../search/layout_program.ts";
import type { OpEvaluator } from "../../search/op_evaluator.ts";
import { opsBefore } from "../../search/op_order.ts";
import type { OpRoles } from "../../search/op_roles.ts";
import type { Assignment } from "../../search/impls.ts";
import type { ConversionTable } from "../exploration/conversions.ts";
import type { LayoutSpace } from "../exploration/layout_space.ts";
import type { ProblemPrices } from "../factors/problem_terms.ts";
import { DispatchClock, type Kernel, kernelsOf } from "./dispatch_clock.ts";
import type { Impl, ImplTable } from "../exploration/impl_table.ts";

/**
 * A path through the programs of a plan; its length is a lower bound of the plan's time. Running stretches
 * alternate with dispatched ones, whose programs must be dispatched before the next stretch begins. The path
 * lists the ops at their ends: the last one that runs, the first one that runs again, and so on. With an odd
 * number of ends it begins with a dispatched stretch; if it ends with `return`, which comes after every op,
 * it ends with one.
 */
export type DispatchPath = readonly SchedulePoint[];

/** One of several paths, with its weight in the mean of their lengths. */
export interface WeighedPath {
  readonly path: DispatchPath;
  /** All weights add up to 1. */
  readonly weight: number;
}

/**
 * Length of a program on a path, with t_run its time, t_send the dispatcher's time and n the programs that
 * the cores keep ready. `run`: t_run. `dispatched`: max(t_send, t_run − (n − 1)·t_send). `either`: the lesser
 * of both, if the order of ops decides the program's stretch.
 */
type PathTerm = "run" | "dispatched" | "either";

/** Per term: the total weight of the paths on which a program has it; adds up to 1. */
type TermShares = Readonly<Record<PathTerm, number>>;

/** A stretch of programs to be dispatched: its first program, and the first one after it. */
interface Stretch {
  readonly first: number;
  readonly behind: number;
}

/**
 * Waits for the dispatcher as prices of a layout problem. In any order of ops, start(b) ≥ start(a) + (n −
 * r)·t_send for programs a before b, with n programs to dispatch between them, r of which may be ready. So
 * the length of every path in the partial order is a lower bound of every plan's time, and so is every mean
 * of such lengths (derived:sent-before).
 */
export class DispatchPaths {
  readonly #space: LayoutSpace;
  readonly #dispatch: DispatcherTimes;
  readonly #roles: OpRoles;
  readonly #end: SchedulePoint;
  /** Per op: a bit for every op that precedes it in every order; computed once something waits. */
  #everBefore: readonly Uint32Array[] | undefined;
  /** Per op: whether it runs on the host as in the input, so that the dispatcher sends nothing for it. */
  readonly #isOnHost: readonly boolean[];

  private constructor(space: LayoutSpace, roles: OpRoles, dispatch: DispatcherTimes) {
    const { evaluator } = space;
    this.#space = space;
    this.#dispatch = dispatch;
    this.#roles = roles;
    this.#end = returnPlace(evaluator.fn);
    this.#isOnHost = evaluator.fn.ops.map(({ id }) => runsOnHost(evaluator, id));
  }

  get #before(): readonly Uint32Array[] {
    return this.#everBefore ??= everythingBefore(opsBefore(this.#space.evaluator, this.#roles));
  }

  /** `undefined` if the dispatcher's times are unknown, and for very long functions. */
  static of(space: LayoutSpace, roles: OpRoles): DispatchPaths | undefined {
    const { cost: { dispatch }, fn } = space.evaluator;
    return dispatch === undefined || fn.ops.length > SIZE_CLASSES.ordered
      ? undefined
      : new DispatchPaths(space, roles, dispatch);
  }

  /**
   * A long path through an assignment, found from where programs wait for the dispatcher in the input's order, not
   * the longest of all: an exhaustive search is exponential in the number of ops. Empty if no program waits.
   */
  longestPath(assignment: Assignment): DispatchPath {
    const kernels = kernelsOf(LayoutProgram.fromAssignment(this.#space.evaluator, assignment));
    const clock = new DispatchClock(this.#dispatch);
    for (const { microseconds } of kernels) clock.run(microseconds);
    const stretches = this.#stretchesIn(clock).slice(0, MOST_STRETCHES);
    if (stretches.length === 0) return [];
    const lengthOf = this.#lengths(assignment);
    let longest: DispatchPath = [];
    let most = lengthOf(longest);
    const tryAll = (paths: Iterable<DispatchPath>): void => {
      for (const path of paths) {
        const microseconds = lengthOf(path);
        if (microseconds > most) [longest, most] = [path, microseconds];
      }
    };
    const near = kernels.length > SIZE_CLASSES.large ? NEAR_STRETCH.beyond : NEAR_STRETCH.large;
    let earlier: readonly OpId[] | undefined;
    for (const { first, behind } of stretches) {
      const within = opsOf(kernels.slice(first, behind));
      const before = opsOf(kernels.slice(Math.max(0, first - near), first));
      const fork = this.#forkOf(within, opsOf(kernels.slice(Math.max(0, first - STRETCH_REACH), first)));
      const lasts = first === 0 ? undefined : [...new Set([...before, ...fork])];
      const after = opsOf(kernels.slice(behind, behind + near)).filter((op) => this.#isAlwaysDispatched(op));
      const firsts = [
        ...new Set([...after, ...this.#joinOf(within, opsOf(kernels.slice(behind, behind + STRETCH_REACH)))]),
      ];
      // A path that starts where the previous one did may be longer than both.
      tryAll([
        ...this.#extended(longest, lasts, firsts),
        ...this.#extended(longest.slice(0, -2), earlier, firsts),
      ]);
      earlier = lasts;
    }
    // Everything after the beginning of a stretch may have to be dispatched.
    const begun = longest.flatMap((_, at) => (longest.length - at) % 2 === 1 ? [longest.slice(0, at)] : []);
    const last = this.#lastOfAll();
    tryAll([
      ...begun.map((path) => [...path, last]),
      ...this.#extended(longest, earlier, [last]),
      [last],
    ]);
    return longest;
  }

  /** The last of some ops that precedes all ops of a stretch in every order. */
  #forkOf(stretch: readonly OpId[], ops: readonly OpId[]): readonly OpId[] {
    const fork = ops.findLast((op) => stretch.every((other) => other !== op && this.#isBefore(op, other)));
    return fork === undefined ? [] : [fork];
  }

  /** The first of some ops that is always dispatched and follows all ops of a stretch in every order. */
  #joinOf(stretch: readonly OpId[], ops: readonly OpId[]): readonly OpId[] {
    const join = ops.find((op) =>
      this.#isAlwaysDispatched(op) && stretch.every((other) => other !== op && this.#isBefore(other, op))
    );
    return join === undefined ? [] : [join];
  }

  /** The last place in every order: an op that is always dispatched, otherwise `return`. */
  #lastOfAll(): SchedulePoint {
    const { ops } = this.#space.evaluator.fn;
    const last = ops.findLast(({ id }) => this.#isAlwaysDispatched(id));
    return last !== undefined && ops.every(({ id }) => id === last.id || this.#isBefore(id, last.id))
      ? last.id
      : this.#end;
  }

  /** The stretches in which programs wait to be dispatched, each from where the dispatcher last paused. */
  #stretchesIn({ starts, dispatched }: DispatchClock): readonly Stretch[] {
    const { readyPrograms } = this.#dispatch;
    const stretches: Stretch[] = [];
    for (let at = starts.length - 1; at >= readyPrograms; at--) {
      // It started when it was dispatched, not when the previous one ended.
      if (dispatched[at] !== starts[at]) continue;
      const behind = at;
      while (at > readyPrograms && (dispatched[at - 1] ?? 0) >= (starts[at - readyPrograms] ?? 0)) at--;
      at -= readyPrograms;
      stretches.push({ first: at, behind });
    }
    return stretches.reverse();
  }

  /**
   * Paths extended by a stretch that sends the programs between two ops; from the beginning, the first op is
   * left out.
   */
  *#extended(
    path: DispatchPath,
    lasts: readonly OpId[] | undefined,
    firsts: readonly SchedulePoint[],
  ): Generator<DispatchPath> {
    const end = path.at(-1);
    if (lasts === undefined) {
      if (end === undefined) { for (const first of firsts) yield [first]; }
      return;
    }
    for (const last of lasts) {
      if (end !== undefined && end !== last && !this.#isBefore(end, last)) continue;
      for (const first of firsts) if (this.#isBefore(last, first)) yield [...path, last, first];
    }
  }

  #lengths(assignment: Assignment): (path: DispatchPath) => number {
    const { evaluator } = this.#space;
    const { ops, values } = evaluator.fn;
    const times = ops.map(({ id }) => this.#space.microseconds(id, choiceFor(assignment, id)));
    const moves = values.flatMap(({ id, tensor }) => {
      const producedIn = producedLayout(evaluator, assignment, id);
      if (producedIn === undefined || tensor === undefined) return [];
      return [...readLayouts(evaluator, assignment, id)].flatMap((to) =>
        to === producedIn ? [] : [{ value: id, us: evaluator.reshardMicroseconds(tensor, producedIn, to) }]
      );
    });
    // Most paths that are tried share all but their last two ends.
    let prefix: DispatchPath = [];
    const opsAfterPrefix = ops.map(() => beforePath());
    const movesAfterPrefix = moves.map(() => beforePath());
    const place = beforePath();
    return (path) => {
      const from = Math.max(0, path.length - 2);
      if (prefix.length !== from || prefix.some((end, index) => end !== path[index])) {
        prefix = path.slice(0, from);
        ops.forEach(({ id }, at) => opsAfterPrefix[at] = this.#placeOf(prefix, id));
        moves.forEach(({ value }, at) => movesAfterPrefix[at] = this.#placeOfCopies(prefix, value));
      }
      let sum = -this.leadOf(path);
      for (let at = 0; at < ops.length; at++) {
        const op = ops[at];
        if (op === undefined) continue;
        takeOver(place, opsAfterPrefix[at]);
        this.#follow(place, path, from, op.id);
        sum += this.#opPrice(op.id, kindAt(path, place), times[op.id] ?? 0);
      }
      for (let at = 0; at < moves.length; at++) {
        const move = moves[at];
        if (move === undefined) continue;
        takeOver(place, movesAfterPrefix[at]);
        this.#followCopies(place, path, from, move.value);
        sum += this.#price(kindAt(path, place), move.us);
      }
      return sum;
    };
  }

  /** µs by which programs at the beginning of stretches may have been ready before they are dispatched. */
  leadOf(path: DispatchPath): number {
    const { leadMicroseconds, readyPrograms, dispatchMicroseconds } = this.#dispatch;
    const stretches = Math.ceil(path.length / 2);
    return path.at(-1) === this.#end
      // The last program has been dispatched when it starts, and its own time is at least 0.
      ? (stretches - 1) * leadMicroseconds + readyPrograms * dispatchMicroseconds
      : stretches * leadMicroseconds;
  }

  /** Prices for which the least cost of the problem, minus the mean lead, is a lower bound of every plan's time. */
  prices(paths: readonly WeighedPath[]): ProblemPrices {
    const tables = new Map<string, Map<ImplTable, ImplTable>>();
    const conversions = new Map<string, Map<ConversionTable, ConversionTable>>();
    const priceOf = (shares: TermShares, price: (kind: PathTerm) => number): number =>
      KINDS.reduce((sum, kind) => shares[kind] === 0 ? sum : sum + shares[kind] * price(kind), 0);
    return {
      table: (op, table) => {
        const shares = sharesOf(paths, (path) => this.#kindOf(path, op));
        if (shares.run === 1) return table;
        const key = `${KINDS.map((kind) => shares[kind])}${this.#isOnHost[op]}`;
        return tables.getOrInsertComputed(key, () => new Map()).getOrInsertComputed(
          table,
          () => pricedTable(table, (us) => priceOf(shares, (kind) => this.#opPrice(op, kind, us))),
        );
      },
      conversions: (value, table) => {
        const shares = sharesOf(paths, (path) => this.#kindOfCopies(path, value));
        if (shares.run === 1) return table;
        const key = KINDS.map((kind) => shares[kind]).join();
        return conversions.getOrInsertComputed(key, () => new Map()).getOrInsertComputed(
          table,
          (): ConversionTable => ({
            microseconds: (from, to) => {
              const us = table.microseconds(from, to);
              return priceOf(shares, (kind) => this.#price(kind, us));
            },
            path: (from, to) => table.path(from, to),
          }),
        );
      },
    };
  }

  #opPrice(op: OpId, kind: PathTerm, microseconds: number): number {
    if (this.#isOnHost[op] === true && kind !== "run") return 0;
    return this.#price(kind, microseconds);
  }

  /** µs of a program as the given term; 0 and `Infinity` stay, because neither is dispatched. */
  #price(kind: PathTerm, microseconds: number): number {
    if (kind === "run" || microseconds === 0 || microseconds === Infinity) return microseconds;
    const { dispatchMicroseconds, readyPrograms } = this.#dispatch;
    // After a program that runs so long that the cores' ready programs are full, the dispatcher has paused.
    const dispatched = Math.max(
      dispatchMicroseconds,
      microseconds - (readyPrograms - 1) * dispatchMicroseconds,
    );
    return kind === "dispatched" ? dispatched : Math.min(dispatched, microseconds);
  }

  /** Whether an op is a dispatched program in all of its implementations. */
  #isAlwaysDispatched(op: OpId): boolean {
    return this.#isOnHost[op] !== true && this.#space.table(op).least > 0;
  }

  #isBefore(first: SchedulePoint, second: SchedulePoint): boolean {
    if (second === this.#end) return first !== second;
    return ((this.#before[second]?.[first >>> 5] ?? 0) & (1 << (first & 31))) !== 0;
  }

  /**
   * Kind of an op's length: it is in a stretch if in every order it comes after the stretch's beginning and
   * before its end.
   */
  #kindOf(path: DispatchPath, op: OpId): PathTerm {
    return kindAt(path, this.#placeOf(path, op));
  }

  /** Kind of the length of a value's copies, which come after its producer and before its readers. */
  #kindOfCopies(path: DispatchPath, value: ValueId): PathTerm {
    return kindAt(path, this.#placeOfCopies(path, value));
  }

  #placeOf(path: DispatchPath, op: OpId): PathPlace {
    const place = beforePath();
    this.#follow(place, path, 0, op);
    return place;
  }

  #placeOfCopies(path: DispatchPath, value: ValueId): PathPlace {
    const place = beforePath();
    this.#followCopies(place, path, 0, value);
    return place;
  }

  /** Goes on from one index of a path to its end. */
  #follow(place: PathPlace, path: DispatchPath, from: number, op: OpId): void {
    for (let index = from; index < path.length && !place.runs; index++) {
      const end = path[index] ?? op;
      if (end === op) place.runs = true;
      else if (this.#isBefore(end, op)) place.least = index + 1;
      else if (place.most < 0 && this.#isBefore(op, end)) place.most = index;
    }
  }

  #followCopies(place: PathPlace, path: DispatchPath, from: number, value: ValueId): void {
    const { definition, uses, returned } = this.#space.evaluator.value(value);
    for (let index = from; index < path.length; index++) {
      const end = path[index];
      if (end === undefined) continue;
      const isBehind = (op: SchedulePoint): boolean => op === end || this.#isBefore(end, op);
      if (definition.kind === "result" && isBehind(definition.op)) place.least = index + 1;
      if (place.most >= 0 || (returned > 0 && end !== this.#end)) continue;
      if (uses.every(({ op }) => op === end || this.#isBefore(op, end))) place.most = index;
    }
  }
}

/** Where an op or a copy stands between the ends of a path. */
interface PathPlace {
  /** Ends that come before it in every order: the last one of them is the end before this index. */
  least: number;
  /** Index of the first end that comes after it in every order; -1 where none does. */
  most: number;
  /** Whether it is an end itself. */
  runs: boolean;
}

function beforePath(): PathPlace {
  return { least: 0, most: -1, runs: false };
}

function takeOver(place: PathPlace, from: PathPlace | undefined): void {
  place.least = from?.least ?? 0;
  place.most = from?.most ?? -1;
  place.runs = from?.runs ?? false;
}

function kindAt(path: DispatchPath, { least, most, runs }: PathPlace): PathTerm {
  return runs ? "run" : kindBetween(path, least, most < 0 ? path.length : most);
}

const KINDS: readonly PathTerm[] = ["run", "dispatched", "either"];

/**
 * Kind of the length of a program between two ends; the last stretch runs, and every second one before it.
 */
function kindBetween(path: DispatchPath, least: number, most: number): PathTerm {
  if (least !== most) return "either";
  return (path.length - least) % 2 === 0 ? "run" : "dispatched";
}

function sharesOf(paths: readonly WeighedPath[], kindIn: (path: DispatchPath) => PathTerm): TermShares {
  const shares = { run: 0, dispatched: 0, either: 0 };
  for (const { path, weight } of paths) shares[kindIn(path)] += weight;
  return shares;
}

function opsOf(kernels: readonly Kernel[]): readonly OpId[] {
  return [...new Set(kernels.map(({ op }) => op))];
}

/** Per op: a bit for every op that precedes it in every order (the input's order is one of them). */
function everythingBefore(direct: readonly ReadonlySet<OpId>[]): readonly Uint32Array[] {
  const before: Uint32Array[] = [];
  for (const earlier of direct) {
    const bits = new Uint32Array(Math.ceil(direct.length / 32));
    for (const op of earlier) {
      bits[op >>> 5] = (bits[op >>> 5] ?? 0) | (1 << (op & 31));
      before[op]?.forEach((word, index) => bits[index] = (bits[index] ?? 0) | word);
    }
    before.push(bits);
  }
  return before;
}

/** Whether an op runs on the host as in the input, so that the dispatcher sends nothing for it. */
export function runsOnHost(evaluator: OpEvaluator, op: OpId): boolean {
  const { inputs, outputs, config } = evaluator.asInput(op);
  return evaluator.cost.getOpRuntime(evaluator.signature(op), inputs, outputs, config).bound === "HOST";
}

/** A table with other times. */
function pricedTable(table: ImplTable, price: (microseconds: number) => number): ImplTable {
  const priced = (row: Impl): Impl => ({ ...row, microseconds: price(row.microseconds) });
  return { ...table, rows: table.rows.map(priced), least: price(table.least) };
}
