// SPDX-License-Identifier: Apache-2.0
import { sameItems } from "../layout/extents.ts";
import type { Assignment } from "../search/impls.ts";
import type { FunctionContext } from "./function_context.ts";
import type { FinishedProgram, PassPipeline } from "./pass_pipeline.ts";
import { SIZE_CLASSES } from "../search/limits.ts";
import { REORDERED_OF_LARGER, SAVED_BY_OTHER_BEAMS, SAVED_BY_SPILLS } from "./search_limits.ts";

/** An assignment that waits for pass 2, with its predicted µs before it. */
interface Entry {
  readonly origin: string;
  readonly assignment: Assignment;
  readonly microseconds: number;
}

/**
 * Queued assignments and finished programs of one function, equal ones once; {@linkcode winner} is the
 * fastest.
 */
export class Portfolio {
  readonly pipeline: PassPipeline;
  readonly #context: FunctionContext;
  readonly #isSpent: () => boolean;
  readonly #incumbentUs: () => number;
  /** Whether the function has at most {@linkcode SIZE_CLASSES.small} ops. */
  readonly isSmall: boolean;
  readonly #seen: Set<string> = new Set();
  #waiting: Entry[] = [];
  /** The least µs before pass 2 of everything added. */
  #leastAddedUs = Infinity;
  /** Entries that exceeded L1 and were spilled. */
  readonly #spilled: Entry[] = [];
  /** The best usable program by the price of the search, the first one if several are equal. */
  #leader: FinishedProgram | undefined;
  #leadingOffered: FinishedProgram | undefined;
  /** Programs that may win by the detailed cost model: the last winner and every usable program since. */
  #contenders: FinishedProgram[] = [];
  /** Predicted µs of programs by the detailed cost model. */
  readonly #priced: WeakMap<FinishedProgram, number> = new WeakMap();
  #leastRefused: number | undefined;

  /**
   * @param isSpent whether to stop; the default in {@linkcode settle}, {@linkcode reorderSpilled}
   * @param incumbentUs µs of another search's program by the detailed cost model; `Infinity` if not known to fit
   */
  constructor(
    pipeline: PassPipeline,
    context: FunctionContext,
    isSpent: () => boolean = () => false,
    incumbentUs: () => number = () => Infinity,
  ) {
    this.pipeline = pipeline;
    this.#context = context;
    this.#isSpent = isSpent;
    this.#incumbentUs = incumbentUs;
    this.isSmall = context.fn.ops.length <= SIZE_CLASSES.small;
  }

  /**
   * Adds a finished program, and its version after improvement moves if that is faster; both compete, because
   * the detailed cost model may rank them differently.
   */
  offer(program: FinishedProgram): void {
    if (!this.#offerOne(program)) return;
    // Compared with offered programs only: a program that is slower than another's improved version may
    // overtake it after its own improvement.
    const leads = this.#leadingOffered === undefined || isBetter(program, this.#leadingOffered);
    if (leads) this.#leadingOffered = program;
    const improved = this.pipeline.improved(program, leads ? "leading" : "offered");
    if (improved !== undefined) this.#offerOne(improved);
  }

  /** Adds one program; returns false if it is unusable or equivalent to one that competes already. */
  #offerOne(program: FinishedProgram): boolean {
    if (!program.usable || this.#contenders.some((other) => isEquivalent(program, other))) return false;
    if (this.#leader === undefined || isBetter(program, this.#leader)) this.#leader = program;
    this.#contenders.push(program);
    return true;
  }

  /**
   * Runs pass 2 on an assignment and adds the result. A larger function drops an assignment that cannot beat
   * the incumbent or the best verified program.
   *
   * @param saved largest share of its µs that pass 2 may save
   */
  finish(
    origin: string,
    assignment: Assignment,
    saved: number,
    pipeline: PassPipeline = this.pipeline,
  ): void {
    const microseconds = pipeline.microseconds(assignment);
    if (this.#losesToIncumbent(microseconds, saved)) return;
    if (!this.isSmall && microseconds * (1 - saved) >= this.#verifiedUs) return;
    this.offer(pipeline.finish(origin, assignment));
  }

  /** Queues an assignment and its refinement for pass 2. */
  addRefined(origin: string, assignment: Assignment): void {
    this.add(origin, assignment);
    this.add(`${origin}, refined`, this.pipeline.refine(assignment));
  }

  /** Queues an assignment for pass 2 without refinement, which cannot improve exact assignments. */
  add(origin: string, assignment: Assignment): void {
    const key = this.pipeline.key(assignment);
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    const microseconds = this.pipeline.microseconds(assignment);
    this.#leastAddedUs = Math.min(this.#leastAddedUs, microseconds);
    this.#waiting.push({ origin, assignment, microseconds });
  }

  /**
   * Runs pass 2 on the queued assignments, least predicted µs first.
   *
   * @param isSpent asked once one of them is usable: whether to drop the others
   */
  settle(isSpent: () => boolean = this.#isSpent): void {
    let hasUsable = false;
    const ranked = this.#waiting.sort((a, b) => a.microseconds - b.microseconds);
    this.#waiting = [];
    for (const entry of ranked) {
      if (!this.isSmall && this.#isHopeless(entry, SAVED_BY_SPILLS.ofBeams)) break;
      if (hasUsable && isSpent()) break;
      const program = this.pipeline.finish(entry.origin, entry.assignment);
      if (program.spill.events.length > 0 || !program.usable) this.#spilled.push(entry);
      this.offer(program);
      hasUsable ||= program.usable;
    }
  }

  /** @param saved largest share of its time that pass 2 may save */
  #isHopeless({ microseconds }: Entry, saved: number): boolean {
    if (this.#leader !== undefined && microseconds >= this.#leader.microseconds) return true;
    return this.#losesToIncumbent(microseconds, saved);
  }

  /** Whether a larger function's incumbent beats every added assignment and further beam. */
  get hasLost(): boolean {
    return this.#losesToIncumbent(this.#leastAddedUs, SAVED_BY_SPILLS.ofBeams + SAVED_BY_OTHER_BEAMS);
  }

  /**
   * Whether an assignment of a larger function cannot beat the incumbent: microseconds · (1 − saved) ≥
   * incumbent.
   *
   * @param microseconds before pass 2
   * @param saved largest share of them that pass 2 may save
   */
  #losesToIncumbent(microseconds: number, saved: number): boolean {
    return !this.isSmall && microseconds * (1 - saved) >= this.#incumbentUs();
  }

  /** Whether assignments wait for {@linkcode reorderSpilled}. */
  get hasSpilled(): boolean {
    return this.#spilled.length > 0;
  }

  /** µs of the best program; `Infinity` if there is none or it is not known to fit. */
  get #verifiedUs(): number {
    const leader = this.#leader;
    return leader === undefined || leader.failingSteps > this.#refusedAnyway ? Infinity : leader.microseconds;
  }

  /** Predicted µs of the winner by the detailed cost model; `Infinity` if there is none or it is not known to fit. */
  get winnerUs(): number {
    const winner = this.winner();
    return winner === undefined || winner.failingSteps > this.#refusedAnyway
      ? Infinity
      : this.priceOf(winner);
  }

  /** Fewest ops refused with everything in interleaved DRAM, in L1, or as in the input: no search is expected to do better. */
  get #refusedAnyway(): number {
    return this.#leastRefused ??= this.pipeline.refusedAnyway();
  }

  /**
   * Runs pass 2 on spilled assignments in an order that needs less L1. The order saves only moves of tensors:
   * an assignment too slow without any move is skipped.
   *
   * @param isSpent asked before each of them
   */
  reorderSpilled(isSpent: () => boolean = this.#isSpent): void {
    this.#spilled.sort((a, b) => a.microseconds - b.microseconds);
    for (const entry of this.#spilled.splice(0, this.isSmall ? Infinity : REORDERED_OF_LARGER)) {
      if (this.#isHopeless(entry, 0) || isSpent()) return;
      const reordered = this.pipeline.finishReordered(entry.origin, entry.assignment);
      if (reordered !== undefined) this.offer(reordered);
    }
  }

  /**
   * Whether the winner's µs by the detailed cost model, which have no wait after the last step, exceed a lower bound by
   * at most a share of it; `false` without a detailed cost model.
   */
  isWithin(share: number, lowerBoundUs: number): boolean {
    const winner = this.winner();
    return winner !== undefined && this.#context.detailedCost !== undefined &&
      this.priceOf(winner) <= lowerBoundUs * (1 + share);
  }

  /** Predicted µs of a program by the detailed cost model, or by the search's own if there is none. */
  priceOf(program: FinishedProgram): number {
    return this.#priced.getOrInsertComputed(
      program,
      () => this.#context.detailedCost?.(program.program.toPlan()) ?? program.microseconds,
    );
  }

  /**
   * The fastest program by {@linkcode priceOf} among those with the fewest failing steps; `undefined` if
   * none is usable. The detailed cost model's µs are at least the search's: programs with search µs ≥ the best detailed
   * µs are skipped.
   */
  winner(): FinishedProgram | undefined {
    // Cheapest by their own price first, so that the loop can stop at the best detailed price.
    const ranked = this.#contenders.toSorted((a, b) =>
      a.failingSteps - b.failingSteps || a.microseconds - b.microseconds
    );
    let [winner] = ranked;
    if (winner === undefined) return undefined;
    let price = this.priceOf(winner);
    for (const program of ranked) {
      if (program.failingSteps > winner.failingSteps || program.microseconds >= price) break;
      const other = this.priceOf(program);
      if (other >= price) continue;
      winner = program;
      price = other;
    }
    this.#contenders = [winner];
    return winner;
  }
}

/** Whether two programs have the same steps in the same order. */
function isEquivalent(a: FinishedProgram, b: FinishedProgram): boolean {
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

/** Whether a program has fewer failing steps, or as many and takes less time. */
function isBetter(a: FinishedProgram, b: FinishedProgram): boolean {
  return a.failingSteps === b.failingSteps
    ? a.microseconds < b.microseconds
    : a.failingSteps < b.failingSteps;
}
