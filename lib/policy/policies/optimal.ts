// SPDX-License-Identifier: Apache-2.0
import { type LayoutOptimizer, WITHOUT_CAPACITY } from "../../optimal/layout_optimizer.ts";
import {
  explore,
  type PlaceByAddress,
  placingByAddress,
  solveAsSent,
  type SolvedOnce,
  solveOnce,
  solveWithinL1,
  solveWithRefusedOps,
} from "../exact_programs.ts";
import type { FunctionContext } from "../function_context.ts";
import { BEAM_WIDTH, PASS_OPTIONS, type PolicyOptions, TIME_BUDGET } from "../options.ts";
import type { FinishedProgram } from "../pass_pipeline.ts";
import { type FunctionBudget, planWithinBudget } from "../plan_within_budget.ts";
import type { Policy } from "../policy.ts";
import type { Portfolio } from "../portfolio.ts";
import { interruptedAfter, once, withGrace } from "../search_turns.ts";
import { BeamSearch, offerInterleaved, openPortfolio } from "./beam_cost.ts";
import { greedy } from "./greedy.ts";

/** The exact assignment without L1 capacity, made to fit, compared with everything that `beam-cost` finds. */
export const policy: Policy = {
  name: "optimal",
  summary: "Exact layouts ignoring L1, then made to fit by address and by spills; also what beam-cost finds",
  place: 6,
  freedom: "hinted",
  options: [TIME_BUDGET, BEAM_WIDTH, ...PASS_OPTIONS],
  tellsGap: true,
  decide: (context) => planWithinBudget(context, policy.name, searchExactly),
};

/**
 * Most solutions placed by address before the bound of a function that lacks L1 is raised, which may take the whole
 * budget: until one fits, and after the first one that does.
 */
const FIRST_PLACED = { untilFits: 160, afterwards: 24 } as const;

/** µs of work on improving the best programs of a thoroughly searched function that may exceed the budget. */
const IMPROVING_ANYWAY = 50_000;

/** µs of work on the exact pass 2 for the most promising assignments of such a function, likewise. */
const SPILLING_ANYWAY = 50_000;

/**
 * µs of work after which a slow step is interrupted once by cheap ones that often find the better plan. These
 * are absolute, not shares of the budget, so that a larger budget does the same in the same order, and more
 * afterwards.
 */
const INTERRUPTED_AFTER = {
  /**
   * Exploring: without all of it there is neither an exact assignment nor a bound, and beams are all there is.
   */
  exploring: 1_050_000,
  /** Raising the bound, and finding exact assignments that fit L1. */
  bounding: 525_000,
} as const;

/**
 * The fastest program of exact assignments and of everything that `beam-cost` finds, with a lower bound of the
 * predicted time. The exact assignment comes first: if it fits and meets the bound, nothing can be better, and
 * the search ends.
 *
 * In a long function that lacks L1, beams come before the exact assignments that fit: one of these costs as
 * much as a beam, and where many layers lack L1, few of them fit.
 *
 * The code below is the order of the steps. A step that takes long is interrupted by beams and cheap steps
 * ({@linkcode INTERRUPTED_AFTER}); beams also run as soon as nothing is left but their reserve.
 *
 * @param budget If it runs out before every op is explored, there is neither a bound nor an exact assignment.
 * When everything but the reserve of the beams is spent, the beams continue, and the best program so far is the
 * answer. It is never slower than what `beam-cost` finds with the same budget (unless beams are skipped because
 * the bound is near). A larger budget finds the same programs and more, but improves only the best and the most
 * promising ones, so its answer may in rare cases be slower than that of a smaller one
 */
export function searchExactly(
  fn: FunctionContext,
  options: PolicyOptions,
  budget: FunctionBudget,
): FinishedProgram {
  const contest = new Contest(fn, options, budget);
  const optimizer = contest.explore();
  if (optimizer === undefined) return contest.endWithBeams(Infinity);
  const search = new ExactSearch(contest, optimizer);
  const exact = search.solveWithoutCapacity();
  // The bound is infinite only if no assignment is possible: then the op model refuses ops in every plan.
  if (exact.bound === Infinity) return contest.endWithBeams(contest.solveWithRefusedOps());
  const proven = search.proven() ??
    search.solveAsSent(exact) ??
    search.addCheaper(exact) ??
    search.endNearBound() ??
    search.fitL1BeforeBeams(exact);
  if (proven !== undefined) return proven;
  search.tryBeams();
  search.fitL1BehindBeams(exact);
  contest.improveBest();
  return contest.cheapest(search.lowerBoundUs);
}

/** The portfolio of one function, its beams and its budget. */
class Contest {
  readonly fn: FunctionContext;
  readonly options: PolicyOptions;
  readonly portfolio: Portfolio;
  readonly #budget: FunctionBudget;
  readonly #beams: BeamSearch;
  #ofBeams: FinishedProgram | undefined;

  constructor(fn: FunctionContext, options: PolicyOptions, budget: FunctionBudget) {
    this.fn = fn;
    this.options = options;
    this.#budget = budget;
    this.portfolio = openPortfolio(fn, options, this.isSpent);
    const rivalUs = (): number => this.portfolio.winnerUs;
    this.#beams = new BeamSearch(fn, options, budget.beamsUs, this.isAllSpent, rivalUs);
  }

  /** Whether the whole budget is spent, the part reserved for beams included. */
  readonly isAllSpent = (): boolean => this.#budget.whole.leftUs === 0;

  /**
   * Whether nothing is left but what is reserved for beams. They run then; where they need less than that, the search
   * goes on after them.
   */
  readonly isSpent = (): boolean => {
    const { whole } = this.#budget;
    if (whole.leftUs <= this.#beams.leftUs) this.tryBeams();
    return whole.leftUs <= this.#beams.leftUs;
  };

  /** Continues the beams within their reserve, and adds their best program. */
  readonly tryBeams = (): void => {
    this.#beams.goOn();
    const winner = this.#beams.winner();
    if (winner !== undefined && winner !== this.#ofBeams) this.portfolio.offer(this.#ofBeams = winner);
  };

  /**
   * The optimizer of the explored function; `undefined` where the budget ends before the last op. A partial
   * exploration is useless, so exploring may use up the reserve of the beams: they run after it all the same.
   */
  explore(): LayoutOptimizer | undefined {
    return explore(
      this.fn,
      this.#budget.exploringUs,
      interruptedAfter(this.fn.evaluator.work, INTERRUPTED_AFTER.exploring, this.tryBeams, this.isAllSpent),
    );
  }

  /** For functions in which every assignment has refused ops: adds the best one and returns its bound in µs. */
  solveWithRefusedOps(): number {
    return solveWithRefusedOps(this.fn, this.portfolio, this.#budget.exploringUs, this.isAllSpent);
  }

  /** Runs the exact pass 2 on assignments that could still win, and improves the best programs op by op. */
  improveBest(): void {
    const { work } = this.fn.evaluator;
    const isEnough = (us: number): () => boolean =>
      this.portfolio.isThorough ? withGrace(work, us, this.isSpent) : this.isSpent;
    this.portfolio.spillThoroughly(isEnough(SPILLING_ANYWAY));
    this.portfolio.improveBest(isEnough(IMPROVING_ANYWAY));
    if (this.portfolio.isThorough || !this.isSpent()) this.portfolio.reorderBest();
  }

  /** Ends a search that has no exact assignments. */
  endWithBeams(lowerBoundUs: number): FinishedProgram {
    this.tryBeams();
    this.improveBest();
    return this.cheapest(lowerBoundUs);
  }

  /** @param lowerBoundUs of the predicted time; `Infinity` if unknown */
  cheapest(lowerBoundUs: number): FinishedProgram {
    const winner = this.portfolio.winner() ?? greedy(this.fn, this.options);
    return lowerBoundUs === Infinity ? winner : { ...winner, lowerBoundUs };
  }
}

/**
 * The steps of {@linkcode searchExactly} that need the explored layouts. They add programs to the portfolio and
 * raise the bound. A step that may end the search returns the final program if it does.
 */
class ExactSearch {
  readonly #contest: Contest;
  readonly #portfolio: Portfolio;
  readonly #fn: FunctionContext;
  readonly #optimizer: LayoutOptimizer;
  readonly #place: PlaceByAddress;
  /**
   * As {@linkcode Contest.isSpent}, for steps that raise the bound or fit L1: cheap ones interrupt them once.
   */
  readonly #isSpentOnBounds: () => boolean;
  #lowerBoundUs = Infinity;
  #isFitted = false;

  constructor(contest: Contest, optimizer: LayoutOptimizer) {
    const { fn, options, portfolio } = contest;
    this.#contest = contest;
    this.#portfolio = portfolio;
    this.#fn = fn;
    this.#optimizer = optimizer;
    this.#place = placingByAddress(optimizer, portfolio, fn, options);
    this.#isSpentOnBounds = interruptedAfter(
      fn.evaluator.work,
      INTERRUPTED_AFTER.bounding,
      () => this.#tryCheaply(),
      contest.isSpent,
    );
  }

  /** Best lower bound so far in µs; `Infinity` before {@linkcode solveWithoutCapacity}. */
  get lowerBoundUs(): number {
    return this.#lowerBoundUs;
  }

  #raiseBound(microseconds: number): void {
    this.#lowerBoundUs = Math.max(this.#lowerBoundUs, microseconds);
  }

  /** The best program, where the bound ends the search. */
  proven(): FinishedProgram | undefined {
    return this.#bounded(this.#portfolio.provenBy(this.#lowerBoundUs));
  }

  #bounded(program: FinishedProgram | undefined): FinishedProgram | undefined {
    return program && { ...program, lowerBoundUs: this.#lowerBoundUs };
  }

  /** Adds the exact assignment without L1 capacity; its bound is the first one. */
  solveWithoutCapacity(): SolvedOnce {
    const exact = solveOnce(this.#optimizer, this.#portfolio, this.#fn, (isShort) => {
      // If nothing lacks L1, a long function's bound may end the search before any beam, so no reserve has to
      // be kept.
      return this.#portfolio.isThorough || isShort ? this.#isSpentOnBounds() : this.#contest.isAllSpent();
    });
    this.#lowerBoundUs = exact.bound;
    return exact;
  }

  /** Adds exact assignments that are fastest where programs wait for the dispatcher. */
  solveAsSent(exact: SolvedOnce): FinishedProgram | undefined {
    this.#raiseBound(
      solveAsSent(this.#optimizer, this.#portfolio, this.#fn, exact, this.#contest.isSpent),
    );
    return this.proven();
  }

  /**
   * Adds the assignments found while the bound was raised step by step, each of which a smaller budget may end with.
   * Of a long function with no time left they are skipped: pass 2 takes longest there. Never ends the search.
   */
  addCheaper({ cheaper }: SolvedOnce): undefined {
    const { isThorough } = this.#portfolio;
    if (!isThorough && this.#contest.isSpent()) return;
    for (const assignment of cheaper) this.#portfolio.add(WITHOUT_CAPACITY, assignment);
    this.#portfolio.settle(isThorough ? () => false : undefined);
  }

  /**
   * Ends the search for a long function whose best program is close to the bound: only the assignment that fits L1 by
   * sums of bytes is still worth trying.
   */
  endNearBound(): FinishedProgram | undefined {
    if (!this.#portfolio.isNear(this.#lowerBoundUs)) return undefined;
    offerInterleaved(this.#portfolio);
    // No beams follow, so no reserve has to be kept for them.
    this.#raiseBound(solveWithinL1(this.#optimizer, this.#portfolio, this.#contest.isAllSpent));
    return this.#bounded(this.#portfolio.winner());
  }

  /**
   * Adds exact assignments that fit L1. In a long function that lacks L1, {@linkcode fitL1BehindBeams} does so
   * later.
   */
  fitL1BeforeBeams({ isShort }: SolvedOnce): FinishedProgram | undefined {
    const isLeftForLater = isShort && !this.#portfolio.isThorough;
    if (isLeftForLater || this.#contest.isSpent()) return undefined;
    this.#fitL1(isShort, this.#isSpentOnBounds);
    return this.proven();
  }

  /** Adds exact assignments that fit L1, by byte sums and by address. */
  #fitL1(isShort: boolean, isSpent: () => boolean): void {
    this.#isFitted = true;
    this.#raiseBound(solveWithinL1(this.#optimizer, this.#portfolio, isSpent));
    // A long function lacks L1 in many places: the search by address ends before all of them fit.
    if (this.#portfolio.isThorough || !isShort) this.#place(isSpent);
  }

  /**
   * Continues the beams, unless the bound leaves them next to nothing to gain: then adds the interleaved plans, which
   * cost nothing to make.
   */
  tryBeams(): void {
    if (this.#portfolio.isTooGoodForBeams(this.#lowerBoundUs)) offerInterleaved(this.#portfolio);
    else this.#contest.tryBeams();
  }

  /** Adds exact assignments that fit L1, if that was not done before the beams. */
  fitL1BehindBeams({ isShort }: SolvedOnce): void {
    const { isSpent } = this.#contest;
    // If the beams did not use all of their reserve, there may be time now that there was not before.
    if (isSpent() || this.#isFitted) return;
    this.#placeFirst();
    this.#fitL1(isShort, isSpent);
  }

  /** The cheap steps that interrupt long ones, and often beat what those find. */
  #tryCheaply(): void {
    if (this.#portfolio.isThorough) this.#contest.tryBeams();
    this.#placeFirst();
  }

  /** Adds the first exact assignments by address, as many as {@linkcode FIRST_PLACED} says. */
  readonly #placeFirst = once(() => {
    if (!this.#portfolio.isThorough) return;
    let [untilFits, left] = [FIRST_PLACED.untilFits, FIRST_PLACED.afterwards];
    this.#place((fits) => (fits ? left-- : untilFits--) <= 0 || this.#contest.isSpent());
  });
}
