// SPDX-License-Identifier: Apache-2.0
import type { LayoutOptimizer } from "../optimal/layout_optimizer.ts";
import { type PlaceByAddress, placingByAddress, type SolvedOnce } from "./exact_programs.ts";
import type { FunctionContext } from "./function_context.ts";
import type { PolicyOptions } from "./options.ts";
import type { FinishedProgram } from "./pass_pipeline.ts";
import type { FunctionBudget } from "./plan_within_budget.ts";
import { BeamSearch, openPortfolio } from "./policies/beam_cost.ts";
import { greedy } from "./policies/greedy.ts";
import type { Portfolio } from "./portfolio.ts";
import { CLOSE, FAR, ON_BOUND, PLACED } from "./search_limits.ts";
import { SearchLog } from "./search_log.ts";
import type { SearchStepName } from "./search_step_facts.ts";
import type { WorkBudget } from "./work_budget.ts";

/** One turn of a step in the plan of the search. */
export interface PlannedStep {
  readonly step: SearchStepName;
  /** Whether to run the step in this state of the search; must not change the state. */
  applies(search: FunctionSearch): boolean;
  /** Whether to skip the step once the budget is spent except for the beams' reserve. */
  readonly skippedWhenSpent?: true;
  /** Whether the search ends after the step has run, if the incumbent is proven optimal. */
  readonly ends?: true;
  run(search: FunctionSearch): void;
}

/**
 * The state of the search for the plan of one function: incumbent, lower bound, budget, and intermediate
 * results of the steps. A long step polls {@linkcode FunctionSearch.mustStop} between two units of work.
 */
export class FunctionSearch {
  readonly fn: FunctionContext;
  readonly options: PolicyOptions;
  /** The programs found so far; the best of them is the incumbent. */
  readonly portfolio: Portfolio;
  readonly budget: FunctionBudget;
  readonly log: SearchLog;
  /** The budget while the incumbent is far from the bound. */
  readonly #farBudget: WorkBudget;
  readonly #beams: BeamSearch;
  #ofBeams: FinishedProgram | undefined;
  #optimizer: LayoutOptimizer | undefined;
  #place: PlaceByAddress | undefined;
  #exact: SolvedOnce | undefined;
  #lowerBoundUs: number | undefined;

  constructor(fn: FunctionContext, options: PolicyOptions, budget: FunctionBudget) {
    this.fn = fn;
    this.options = options;
    this.budget = budget;
    this.#farBudget = budget.whole.extendedBy(budget.farUs);
    this.portfolio = openPortfolio(fn, options, this.mustStop);
    this.#beams = new BeamSearch(
      fn,
      options,
      budget.beamsUs,
      () => this.isAllSpent,
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

  explored(optimizer: LayoutOptimizer | undefined): void {
    this.#optimizer = optimizer;
    this.#place = optimizer && placingByAddress(optimizer, this.portfolio, this.fn, this.options);
  }

  /**
   * The exact assignment without L1 capacity; `undefined` if none is possible or it has not been solved yet.
   */
  get exact(): SolvedOnce | undefined {
    return this.#exact;
  }

  /** Records the exact assignment and its bound. */
  solved(exact: SolvedOnce): void {
    this.#exact = exact;
    this.raiseBound(exact.bound);
  }

  /** Lower bound in µs of the predicted time; `undefined` if unknown. */
  get lowerBoundUs(): number | undefined {
    return this.#lowerBoundUs;
  }

  /** @param microseconds a bound; no effect if it is below the best one so far */
  readonly raiseBound = (microseconds: number): void => {
    this.#lowerBoundUs = Math.max(this.#lowerBoundUs ?? 0, microseconds);
  };

  /** As the bound is priced: with waits for the dispatcher. */
  #incumbentUs(): number | undefined {
    const winner = this.portfolio.winner();
    return winner === undefined ? undefined : this.portfolio.priceOf(winner);
  }

  /** Whether the incumbent is proven: nothing else is tried then. In a long function {@linkcode CLOSE} is enough. */
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
   * Whether the incumbent is more than {@linkcode FAR} above the bound, or nothing is known to fit.
   */
  get isFar(): boolean {
    return this.exceedsBound(FAR);
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

  /** Whether the whole budget is spent, including the beams' reserve. */
  get isAllSpent(): boolean {
    return this.budget.whole.leftUs === 0;
  }

  /** Whether the budget and {@linkcode FunctionBudget.farUs}, for an incumbent {@linkcode FAR} from the bound, are spent. */
  get isFarBudgetSpent(): boolean {
    return this.#farBudget.leftUs === 0;
  }

  /**
   * Whether steps other than the beams must stop: nothing is left, or only the beams' reserve while
   * {@linkcode needsBeams}. While the incumbent is far from the bound, {@linkcode isFarBudgetSpent} has to hold as well.
   */
  get isSpent(): boolean {
    if (this.isFar && !this.isFarBudgetSpent) return false;
    const { leftUs } = this.budget.whole;
    if (leftUs === 0 || leftUs > this.#beams.leftUs) return leftUs === 0;
    return !this.isLeftOut("beams") && this.needsBeams;
  }

  /**
   * {@linkcode isSpent} as a callback for steps. Beams may leave part of their reserve, so later steps may
   * still run.
   */
  readonly mustStop = (): boolean => this.isSpent;

  /** Whether a step is left out of this run. */
  isLeftOut(step: SearchStepName): boolean {
    return this.fn.leftOut.has(step);
  }

  hasRun(step: SearchStepName): boolean {
    return this.log.steps.some((record) => record.step === step && record.runs > 0);
  }

  /** Runs a step unless it is left out; steps may nest. */
  run(step: SearchStepName, act: () => void): void {
    if (this.isLeftOut(step)) this.log.skip(step, "left out");
    else this.log.during(step, act);
  }

  /** The step `beams`: continues the beams within their reserve and adds their best program. */
  runBeams(): void {
    this.#beams.goOn();
    const winner = this.#beams.winner();
    if (winner !== undefined && winner !== this.#ofBeams) this.portfolio.offer(this.#ofBeams = winner);
  }

  /**
   * The step `addresses`: goes on until {@linkcode PLACED} solutions in a row gave nothing faster that fits; in a long
   * function only while the incumbent is far from the bound.
   */
  place(): void {
    this.#place?.((inVain) => this.isSpent || !this.isFar && (inVain >= PLACED || !this.isSmall));
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

/** Runs a plan of steps until the end, or until the incumbent is proven. */
export function runSearch(search: FunctionSearch, plan: readonly PlannedStep[]): FinishedProgram {
  for (const planned of plan) {
    if (search.isLeftOut(planned.step)) search.log.skip(planned.step, "left out");
    if (!planned.applies(search)) {
      search.log.skip(planned.step, "does not apply");
      continue;
    }
    if (planned.skippedWhenSpent === true && search.isSpent) search.log.skip(planned.step, "budget spent");
    else search.run(planned.step, () => planned.run(search));
    if (planned.ends === true && search.isProven) break;
  }
  const answer = search.answer();
  const { deliverSearchLog, fn } = search.fn;
  deliverSearchLog?.({
    function: fn.name,
    ops: fn.ops.length,
    steps: search.log.steps,
    isSpent: search.isSpent,
    moves: search.fn.improvements.moves,
  });
  return answer;
}
