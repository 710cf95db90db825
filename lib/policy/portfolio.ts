// SPDX-License-Identifier: Apache-2.0
import { sameItems } from "../layout/same_items.ts";
import type { Assignment } from "../search/ways.ts";
import type { FunctionContext } from "./function_context.ts";
import type { FinishedProgram, PassPipeline } from "./pass_pipeline.ts";
import {
  endsSearch,
  isNearBound,
  isTooGoodForHeuristics,
  SAVED_BY_OTHER_BEAMS,
  SAVED_BY_SPILLS,
  THOROUGH_OPS,
} from "./search_end.ts";

/** An assignment to be finished, with its predicted µs before pass 2. */
interface Entry {
  readonly origin: string;
  readonly assignment: Assignment;
  readonly microseconds: number;
}

/** How many assignments of longer functions get the exact pass 2. */
const THOROUGH_SPILLS = 2;

/** Programs that {@linkcode Portfolio.improveBest} looks at. */
const READING_BEST = 3;

/** Assignments that compete for the cheapest plan; each takes part as it is and refined, equal ones once. */
export class Portfolio {
  readonly pipeline: PassPipeline;
  readonly #context: FunctionContext;
  readonly #isSpent: () => boolean;
  readonly #rivalUs: () => number;
  /** Whether every assignment is finished. */
  readonly isThorough: boolean;
  readonly #seen: Set<string> = new Set();
  #waiting: Entry[] = [];
  /** Least µs before pass 2 of all that was added. */
  #leastAddedUs = Infinity;
  /** What L1 was too small for, with what became of it. */
  readonly #spilled: Entry[] = [];
  /** How many of them may get the exact pass 2. */
  #thoroughSpills: number;
  /** The best usable programs, the best first. */
  readonly #programs: FinishedProgram[] = [];
  /** What the finer model may find cheapest: the last winner, and every usable program since. */
  #contenders: FinishedProgram[] = [];
  /** µs of programs by the finer model. */
  readonly #judged: WeakMap<FinishedProgram, number> = new WeakMap();
  /** Programs that were the best one when they were offered, as long as nobody has taken their detours out. */
  #bests: FinishedProgram[] = [];

  /**
   * @param isSpent whether nothing more should be begun once there is a usable program
   * @param rivalUs µs that another search's program takes by the finer model, whose equals are of no use here; `Infinity`
   * where it has none without doubts
   */
  constructor(
    pipeline: PassPipeline,
    context: FunctionContext,
    isSpent: () => boolean = () => false,
    rivalUs: () => number = () => Infinity,
  ) {
    this.pipeline = pipeline;
    this.#context = context;
    this.#isSpent = isSpent;
    this.#rivalUs = rivalUs;
    this.isThorough = context.fn.ops.length <= THOROUGH_OPS;
    this.#thoroughSpills = this.isThorough ? Infinity : THOROUGH_SPILLS;
  }

  /** The best usable program so far, the first of equals. */
  get best(): FinishedProgram | undefined {
    return this.#programs[0];
  }

  /** Lets a finished program compete. */
  offer(program: FinishedProgram): void {
    if (!program.usable || this.#programs.some((other) => isAlike(program, other))) return;
    const place = this.#programs.findIndex((other) => isBetter(program, other));
    this.#programs.splice(place < 0 ? this.#programs.length : place, 0, program);
    this.#programs.splice(READING_BEST);
    this.#contenders.push(program);
    if (this.best === program) this.#bests.push(program);
  }

  /**
   * Runs pass 2 on an assignment at once, unless a rival leaves it no hope, and lets it compete.
   *
   * @param saved share of its time that pass 2 may save
   */
  finish(
    origin: string,
    assignment: Assignment,
    saved: number,
    pipeline: PassPipeline = this.pipeline,
  ): void {
    if (this.#losesToRival(pipeline.microseconds(assignment), saved)) return;
    this.offer(pipeline.finish(origin, assignment));
  }

  /** Adds an assignment and its refinement to those that wait for pass 2. */
  add(origin: string, assignment: Assignment): void {
    this.#addOne(origin, assignment);
    this.#addOne(`${origin}, refined`, this.pipeline.refine(assignment));
  }

  #addOne(origin: string, assignment: Assignment): void {
    const key = this.pipeline.key(assignment);
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    const microseconds = this.pipeline.microseconds(assignment);
    this.#leastAddedUs = Math.min(this.#leastAddedUs, microseconds);
    this.#waiting.push({ origin, assignment, microseconds });
  }

  /**
   * Runs pass 2 on what waits, the most promising first.
   *
   * @param isSpent asked once one of them is usable: whether the others are dropped
   * @returns the cheapest usable one of them, for feedback; `undefined` when none was finished or is usable
   */
  settle(isSpent: () => boolean = this.#isSpent): FinishedProgram | undefined {
    let group: FinishedProgram | undefined;
    const ranked = this.#waiting.sort((a, b) => a.microseconds - b.microseconds);
    this.#waiting = [];
    for (const entry of ranked) {
      if (!this.isThorough && this.#isHopeless(entry, SAVED_BY_SPILLS.ofBeams)) break;
      if (group !== undefined && isSpent()) break;
      const program = this.pipeline.finish(entry.origin, entry.assignment);
      if (program.spill.events.length > 0 || !program.usable) this.#spilled.push(entry);
      this.offer(program);
      if (program.usable && (group === undefined || program.microseconds < group.microseconds)) {
        group = program;
      }
    }
    return group;
  }

  /** @param saved share of its time that pass 2 may save */
  #isHopeless({ microseconds }: Entry, saved: number): boolean {
    if (this.best !== undefined && microseconds >= this.best.microseconds) return true;
    return this.#losesToRival(microseconds, saved);
  }

  /**
   * Whether neither the assignments that were added to those of a long function nor what other beams would add can undercut the
   * rival.
   */
  get hasLost(): boolean {
    return this.#losesToRival(this.#leastAddedUs, SAVED_BY_SPILLS.ofBeams + SAVED_BY_OTHER_BEAMS);
  }

  /**
   * Whether what pass 2 makes of an assignment of a long function cannot undercut the rival.
   *
   * @param microseconds before pass 2
   * @param saved share of them that pass 2 may save
   */
  #losesToRival(microseconds: number, saved: number): boolean {
    return !this.isThorough && microseconds * (1 - saved) >= this.#rivalUs();
  }

  /** µs of the winner by the finer model; `Infinity` where there is none, or it is in doubt. */
  get winnerUs(): number {
    const winner = this.winner();
    return winner === undefined || winner.doubtfulSteps > 0 ? Infinity : this.priceOf(winner);
  }

  /**
   * Runs pass 2 again, with everything that it can do, on what L1 was too small for and what could still win: it makes cheaper
   * what moving tensors costs, but not the assignment without that.
   *
   * @param isSpent asked before each of them
   */
  spillThoroughly(isSpent: () => boolean = this.#isSpent): void {
    this.#spilled.sort((a, b) => a.microseconds - b.microseconds);
    for (const entry of this.#spilled.splice(0, this.#thoroughSpills)) {
      if (this.#isHopeless(entry, 0) || isSpent()) return;
      this.#thoroughSpills--;
      this.offer(this.pipeline.finishThoroughly(entry.origin, entry.assignment));
    }
  }

  /**
   * Lets ops of the best programs read what exists for others anyway, and, in functions that are searched thoroughly, make
   * their results where early readers want them.
   *
   * @param isSpent asked before each change
   */
  improveBest(isSpent: () => boolean): void {
    for (const program of [...this.#programs]) {
      if (isSpent()) return;
      const reading = this.pipeline.readingPresent(program);
      if (reading !== undefined) this.offer(reading);
      if (!this.isThorough || isSpent()) continue;
      const making = this.pipeline.makingElsewhere(reading ?? program);
      if (making !== undefined) this.offer(making);
    }
  }

  /** Lets the best program, by its own price and by the finer model, run in an order in which it waits less to be sent. */
  reorderBest(): void {
    const winner = this.#context.judge === undefined ? undefined : this.winner();
    if (winner === undefined) return;
    for (const program of new Set([winner, this.best ?? winner])) {
      const reordered = this.pipeline.reorderedAsSent(program);
      if (reordered !== undefined) this.offer(reordered);
    }
  }

  /**
   * The winner, where a lower bound ends the search; asks the finer model, whose time has no wait after the last step in
   * it.
   */
  provenBy(lowerBoundUs: number): FinishedProgram | undefined {
    return this.#winnerThat(endsSearch, lowerBoundUs);
  }

  /** Whether the winner of a long function is so near a lower bound that hardly anything else is worth trying. */
  isNear(lowerBoundUs: number): boolean {
    return this.#winnerThat(isNearBound, lowerBoundUs) !== undefined;
  }

  /**
   * Whether the winner of a function that is searched thoroughly is without doubts and so near a lower bound that beams are
   * not worth trying.
   */
  isTooGoodForBeams(lowerBoundUs: number): boolean {
    return this.isThorough && this.#winnerThat(isTooGoodForHeuristics, lowerBoundUs)?.doubtfulSteps === 0;
  }

  #winnerThat(isGoodEnough: typeof endsSearch, lowerBoundUs: number): FinishedProgram | undefined {
    const winner = this.winner();
    if (winner === undefined || this.#context.judge === undefined) return undefined;
    const { fn } = this.#context;
    return isGoodEnough(fn.ops.length, this.priceOf(winner), lowerBoundUs) ? winner : undefined;
  }

  /** µs of a program by the finer model, where there is one. */
  priceOf(program: FinishedProgram): number {
    let microseconds = this.#judged.get(program);
    if (microseconds === undefined) {
      microseconds = this.#context.judge?.(program.program.toPlan()) ?? program.microseconds;
      this.#judged.set(program, microseconds);
    }
    return microseconds;
  }

  /**
   * The best program of all so far by the finer model, where there is one; `undefined` when nothing is usable. That model
   * never goes below the search's own, so that a program is only worth asking about when its own price undercuts what the
   * finer model says of the best so far. Every program that was the best one for a while takes part without its detours:
   * what is offered later never makes the winner dearer.
   */
  winner(): FinishedProgram | undefined {
    for (const program of this.#bests) {
      const direct = this.pipeline.direct(program);
      if (direct !== program) this.#contenders.push(direct);
    }
    this.#bests = [];
    // The cheapest by their own price first: after them the others need not be asked about.
    const ranked = this.#contenders.toSorted((a, b) =>
      a.doubtfulSteps - b.doubtfulSteps || a.microseconds - b.microseconds
    );
    let [winner] = ranked;
    if (winner === undefined) return undefined;
    let price = this.priceOf(winner);
    for (const program of ranked) {
      if (program.doubtfulSteps > winner.doubtfulSteps || program.microseconds >= price) break;
      const other = this.priceOf(program);
      if (other >= price) continue;
      winner = program;
      price = other;
    }
    this.#contenders = [winner];
    return winner;
  }
}

/** Whether two programs do the same in the same order. */
function isAlike(a: FinishedProgram, b: FinishedProgram): boolean {
  if (a === b) return true;
  if (a.microseconds !== b.microseconds) return false;
  const [one, other] = [a.program, b.program];
  return sameItems(one.schedule, other.schedule) && sameItems(one.results, other.results) &&
    sameItems(
      one.ops,
      other.ops,
      (op, its) =>
        op.config === its.config && sameItems(op.sources, its.sources) && sameItems(op.outputs, its.outputs),
    ) &&
    sameItems(
      one.copies,
      other.copies,
      (copy, its) =>
        copy.value === its.value && copy.source === its.source && copy.layout === its.layout &&
        copy.before === its.before,
    );
}

/** Whether fewer steps are in doubt, or as many and it takes less time. */
function isBetter(a: FinishedProgram, b: FinishedProgram): boolean {
  return a.doubtfulSteps === b.doubtfulSteps
    ? a.microseconds < b.microseconds
    : a.doubtfulSteps < b.doubtfulSteps;
}
