// SPDX-License-Identifier: Apache-2.0
import type { LayoutOptimizer } from "../optimal/layout_optimizer.ts";
import {
  explore,
  type PlaceByAddress,
  placingByAddress,
  type SolvedOnce,
  type SolvedRound,
  solveOnce,
  solveWithDispatch,
} from "./exact_programs.ts";
import type { FunctionContext } from "./function_context.ts";
import type { PolicyOptions } from "./options.ts";
import type { FinishedProgram } from "./pass_pipeline.ts";
import type { SearchBudget } from "./plan_within_budget.ts";
import { BeamSearch, offerInterleaved, openPortfolio } from "./policies/beam_cost.ts";
import { greedy } from "./policies/greedy.ts";
import type { Portfolio } from "./portfolio.ts";
import { CLOSE, FAR_GAP, ON_BOUND, PLACED } from "./search_limits.ts";
import { SearchLog } from "./search_log.ts";
import { SEARCH_PLAN, type SearchStepName } from "./search_plan.ts";

/**
 * The state of the search for the plan of one function: incumbent, lower bound, budget, and intermediate
 * results of the steps. A long step polls {@linkcode FunctionSearch.mustStop} between two units of work.
 */
export class FunctionSearch {
  readonly fn: FunctionContext;
  readonly options: PolicyOptions;
  /** The programs found so far; the best of them is the incumbent. */
  readonly portfolio: Portfolio;
  readonly budget: SearchBudget;
  readonly log: SearchLog;
  readonly #beams: BeamSearch;
  #ofBeams: FinishedProgram | undefined;
  #optimizer: LayoutOptimizer | undefined;
  #place: PlaceByAddress | undefined;
  #exact: SolvedOnce | undefined;
  /** The last round of the step `eliminate` while it runs. */
  #round: SolvedRound | undefined;
  #lowerBoundUs: number | undefined;

  constructor(fn: FunctionContext, options: PolicyOptions, budget: SearchBudget) {
    this.fn = fn;
    this.options = options;
    this.budget = budget;
    this.portfolio = openPortfolio(fn, options, this.mustStop);
    this.#beams = new BeamSearch(
      fn,
      options,
      budget.beamsUs,
      () => budget.whole.leftUs === 0,
      () => this.portfolio.winnerUs,
    );
    this.log = new SearchLog({
      work: fn.evaluator.work,
      incumbentUs: () => this.#incumbentUs(),
      boundUs: () => this.#lowerBoundUs,
    });
  }

  /** Whether the function is short enough to finish every assignment. */
  get isSmall(): boolean {
    return this.portfolio.isSmall;
  }

  /** The optimizer of the explored function; `undefined` before exploring, and where it was cut short. */
  get optimizer(): LayoutOptimizer | undefined {
    return this.#optimizer;
  }

  /**
   * The exact assignment without L1 capacity; `undefined` if none is possible or it has not been solved yet.
   */
  get exact(): SolvedOnce | undefined {
    return this.#exact;
  }

  /** Lower bound in µs of the predicted time; `undefined` if unknown. */
  get lowerBoundUs(): number | undefined {
    return this.#lowerBoundUs;
  }

  /** @param microseconds a bound; no effect if it is below the best one so far */
  #raiseBound(microseconds: number): void {
    this.#lowerBoundUs = Math.max(this.#lowerBoundUs ?? 0, microseconds);
  }

  /** As the bound is priced: with waits for the dispatcher. */
  #incumbentUs(): number | undefined {
    const winner = this.portfolio.winner();
    return winner === undefined ? undefined : this.portfolio.priceOf(winner);
  }

  /** Whether the incumbent is proven: nothing else is tried then. In a larger function {@linkcode CLOSE} is enough. */
  get isProven(): boolean {
    return this.#isWithin(this.isSmall ? ON_BOUND : CLOSE);
  }

  /**
   * Whether the incumbent is within {@linkcode CLOSE} of the bound, where long steps are not worth their
   * work.
   */
  get isClose(): boolean {
    return this.#isWithin(CLOSE);
  }

  #isWithin(share: number): boolean {
    return this.#exact !== undefined && this.#lowerBoundUs !== undefined &&
      this.portfolio.isWithin(share, this.#lowerBoundUs);
  }

  /**
   * Whether the incumbent, or the last solved round, is more than {@linkcode FAR_GAP} above the bound, or nothing is
   * known to fit.
   */
  get isFar(): boolean {
    return this.#round === undefined ? this.exceedsBound(FAR_GAP) : this.#round.gap > FAR_GAP;
  }

  /** Whether the first exact assignment is known to need more L1 than there is. */
  get lacksL1(): boolean {
    return (this.#round ?? this.#exact)?.isShort === true;
  }

  /** Whether the incumbent is more than a share of the bound above it, or nothing is known to fit. */
  readonly exceedsBound = (share: number): boolean =>
    this.#lowerBoundUs !== undefined && this.portfolio.winnerUs > this.#lowerBoundUs * (1 + share);

  /**
   * Whether beams are worth their work: there is no exact assignment, or none whose program is known to fit.
   */
  get needsBeams(): boolean {
    return this.#exact === undefined || this.portfolio.winnerUs === Infinity;
  }

  /**
   * Whether work may go on: there is more left of the budget than beams may still need, or the incumbent is far from
   * the bound and there is something left of the reserve for that.
   *
   * @param withBeamsReserve whether it may take the beams' reserve even if beams are needed
   */
  maySpend(withBeamsReserve: boolean = false): boolean {
    const { whole, far } = this.budget;
    const isReserveFree = withBeamsReserve || this.isLeftOut("beams") || !this.needsBeams;
    return whole.leftUs > (isReserveFree ? 0 : this.#beams.leftUs) || (this.isFar && far.leftUs > 0);
  }

  /** {@linkcode maySpend} as a callback for steps. Beams may leave part of their reserve, so later steps may still run. */
  readonly mustStop = (): boolean => !this.maySpend();

  /** Whether a step is left out of this run. */
  isLeftOut(step: SearchStepName): boolean {
    return this.fn.leftOut.has(step);
  }

  /** The step `explore`. */
  explore(mustStop: () => boolean): void {
    const { fn, options, portfolio, budget } = this;
    this.#optimizer = explore(fn, budget.exploringUs, mustStop);
    this.#place = this.#optimizer && placingByAddress(this.#optimizer, portfolio, fn, options);
  }

  /** The step `eliminate`. */
  eliminate(mustStop: () => boolean): void {
    if (this.#optimizer === undefined) return;
    const exact = solveOnce(this.#optimizer, this.portfolio, this.fn, (round) => {
      this.#round = round;
      return mustStop();
    });
    this.#round = undefined;
    // The bound is infinite only if no assignment is possible: the op model then refuses ops in every plan.
    if (exact.bound === Infinity) return;
    this.#exact = exact;
    this.#raiseBound(exact.bound);
  }

  /** The step `dispatch`. */
  solveWithDispatch(mustStop: () => boolean): void {
    if (this.#optimizer === undefined || this.#exact === undefined) return;
    this.#raiseBound(solveWithDispatch(this.#optimizer, this.portfolio, this.fn, this.#exact, mustStop));
  }

  /** The step `interleaved`. */
  offerInterleaved(): void {
    offerInterleaved(this.portfolio);
  }

  /** The step `beams`: continues the beams within their reserve and adds their best program. */
  runBeams(): void {
    this.#beams.goOn();
    const winner = this.#beams.winner();
    if (winner !== undefined && winner !== this.#ofBeams) this.portfolio.offer(this.#ofBeams = winner);
  }

  /**
   * The step `addresses`: goes on until {@linkcode PLACED} solutions in a row gave nothing faster that fits; in a
   * larger function only while the incumbent is far from the bound.
   */
  place(mustStop: () => boolean): void {
    this.#place?.((inVain) => mustStop() || !this.isFar && (inVain >= PLACED || !this.isSmall));
  }

  /**
   * The fastest program with its lower bound; where the program is faster than the bound (it has a layout
   * that was not explored), its own time is the bound. If no step has found a program, that of `greedy`.
   */
  answer(): FinishedProgram {
    const winner = this.portfolio.winner();
    if (winner === undefined) return greedy(this.fn, this.options);
    const boundUs = this.#lowerBoundUs;
    const priceUs = this.portfolio.priceOf(winner);
    // A bound of 0 is informative only for a function that takes no time, such as a view.
    if (boundUs === undefined || (boundUs <= 0 && priceUs > 0)) return winner;
    return { ...winner, lowerBoundUs: Math.min(boundUs, priceUs) };
  }
}

/** Runs {@linkcode SEARCH_PLAN} to its end, or until the incumbent is proven. */
export function runSearch(search: FunctionSearch): FinishedProgram {
  const { log } = search;
  for (const planned of SEARCH_PLAN) {
    const { step, applies, budget, skippedWhenSpent } = planned;
    if (search.isLeftOut(step)) log.skip(step, "left out");
    else if (!applies.holds(search)) log.skip(step, "does not apply");
    else if (skippedWhenSpent === true && !search.maySpend()) log.skip(step, "budget spent");
    else log.during(step, () => planned.run(search, budget.begin?.(search) ?? search.mustStop));
    if (planned.ends === true && search.isProven) break;
  }
  const answer = search.answer();
  const { deliverSearchLog, fn } = search.fn;
  deliverSearchLog?.({
    function: fn.name,
    ops: fn.ops.length,
    steps: log.steps,
    isSpent: !search.maySpend(),
    moves: search.fn.improvements.moves,
  });
  return answer;
}
