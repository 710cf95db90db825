// SPDX-License-Identifier: Apache-2.0
import type { ScoreName } from "../../propagation/layout_score.ts";
import type { WorkAccount } from "../../search/work_account.ts";
import { BEAM_WIDTH, PASS_OPTIONS, type PolicyOptions, TIME_BUDGET } from "../options.ts";
import { type FinishedProgram, PassPipeline } from "../pass_pipeline.ts";
import type { FunctionContext } from "../function_context.ts";
import { planWithinBudget } from "../plan_within_budget.ts";
import type { Policy } from "../policy.ts";
import { Portfolio } from "../portfolio.ts";
import { SAVED_BY_SPILLS } from "../search_limits.ts";
import { beamScore } from "./beam.ts";
import { greedy, greedyAssignment, greedyPipeline } from "./greedy.ts";
import { obeyingFree } from "../obeying_free.ts";

/** The fastest plan by predicted time among those of all pass-based policies. */
export const policy: Policy = obeyingFree({
  name: "beam-cost",
  summary: "Fastest of beams by predicted time, refined and spilled, within its share of --time-budget",
  rank: 5,
  planKind: "hinted",
  ranksByTime: true,
  options: [TIME_BUDGET, BEAM_WIDTH, ...PASS_OPTIONS],
  decide: (context) =>
    planWithinBudget(context, policy, (fn, options, { beamsUs }) => beamCost(fn, options, beamsUs)),
});

/**
 * The program of this policy for one function.
 *
 * @param microseconds of work after which nothing new is started
 */
function beamCost(fn: FunctionContext, options: PolicyOptions, microseconds: number): FinishedProgram {
  const search = new BeamSearch(fn, options, microseconds);
  search.goOn();
  return search.winner() ?? greedy(fn, options);
}

/** An empty portfolio, with the pipeline that makes its programs. */
export function openPortfolio(
  fn: FunctionContext,
  options: PolicyOptions,
  isSpent?: () => boolean,
  incumbentUs?: () => number,
): Portfolio {
  return new Portfolio(
    new PassPipeline(fn, options, options.spill ?? "cost-aware"),
    fn,
    isSpent,
    incumbentUs,
  );
}

/**
 * All programs of the pass-based policies, finished and compared. The order of work does not depend on the
 * budget: a larger budget does the same first and more afterwards. Another search may pause and resume it.
 */
export class BeamSearch {
  readonly #work: WorkAccount;
  readonly #microseconds: number;
  readonly #portfolio: Portfolio;
  readonly #steps: Generator<void>;
  readonly #isSpent: () => boolean;
  #hasBegun = false;
  #isDone = false;
  /** µs of work of the finished steps. */
  #spentUs = 0;
  /** Work account at the start of the running step. */
  #start: number | undefined;

  /**
   * @param microseconds of its own work after which it ends
   * @param mayEnd asked at that point whether it does end; by default it does
   * @param incumbentUs as in {@linkcode Portfolio}
   */
  constructor(
    fn: FunctionContext,
    options: PolicyOptions,
    microseconds: number,
    mayEnd: () => boolean = () => true,
    incumbentUs?: () => number,
  ) {
    this.#work = fn.evaluator.work;
    this.#microseconds = microseconds;
    this.#isSpent = () => this.leftUs === 0 && mayEnd();
    this.#portfolio = openPortfolio(fn, options, this.#isSpent, incumbentUs);
    this.#steps = tryEverything(fn, options, this.#portfolio);
  }

  /** µs of work that other searches should leave for it; 0 once it has tried everything. */
  get leftUs(): number {
    if (this.#isDone) return 0;
    const running = this.#start === undefined ? 0 : this.#work.microseconds - this.#start;
    return Math.max(0, this.#microseconds - this.#spentUs - running);
  }

  /**
   * Runs the steps one by one until the budget is spent. The first step always runs; it includes the plans of
   * the cheaper policies.
   */
  goOn(): void {
    while (!this.#isDone && !(this.#hasBegun && this.#isSpent())) {
      this.#hasBegun = true;
      this.#start = this.#work.microseconds;
      const { done } = this.#steps.next();
      this.#spentUs += this.#work.microseconds - this.#start;
      this.#start = undefined;
      this.#isDone = done === true || this.#portfolio.hasLost;
    }
  }

  /** The best program so far; `undefined` before the first one that fits. */
  winner(): FinishedProgram | undefined {
    return this.#portfolio.winner();
  }
}

/**
 * The steps of {@linkcode BeamSearch}: first the plans of the cheaper policies; in larger functions the widest
 * beam by time comes even before those, because hardly anything else wins there.
 */
function* tryEverything(fn: FunctionContext, options: PolicyOptions, portfolio: Portfolio): Generator<void> {
  const { pipeline, isSmall } = portfolio;
  const plain = greedyPipeline(fn, options);
  const score = options.score ?? "runtime";
  const widths = beamWidths(options.beamWidth);
  if (!isSmall) {
    portfolio.addRefined(`beam ${score} ${options.beamWidth}`, pipeline.propagate(score, options.beamWidth));
    portfolio.settle();
    portfolio.reorderSpilled();
  }
  offerInterleaved(portfolio);
  portfolio.finish("greedy", greedyAssignment(plain, options), SAVED_BY_SPILLS.ofCheaperPolicies, plain);
  if (!isSmall) yield;
  offerBeam(options, portfolio, plain, beamScore(options));
  yield;
  if (!fn.evaluator.overrides.any) portfolio.addRefined("as in the input", pipeline.asInput());
  portfolio.addRefined("dram", pipeline.interleaved("dram"));
  portfolio.addRefined("l1-interleaved", pipeline.interleaved("l1"));
  portfolio.settle();
  for (const width of isSmall ? widths : widths.toReversed()) {
    yield;
    tryBeams(options, portfolio, plain, width);
  }
  yield;
  portfolio.reorderSpilled();
}

/**
 * Adds the two plans that keep everything interleaved in DRAM or in L1; making them costs next to nothing.
 */
export function offerInterleaved(portfolio: Portfolio): void {
  for (const buffer of ["dram", "l1"] as const) {
    const name = buffer === "l1" ? "l1-interleaved" : "dram";
    portfolio.finish(name, portfolio.pipeline.interleaved(buffer), SAVED_BY_SPILLS.ofCheaperPolicies);
  }
}

/**
 * Adds the result of a full-width beam by some score, with the spill policy of the heuristic policies
 * (`plain`).
 */
function offerBeam(
  { beamWidth }: PolicyOptions,
  portfolio: Portfolio,
  plain: PassPipeline,
  score: ScoreName,
): void {
  const assignment = portfolio.pipeline.propagate(score, beamWidth);
  portfolio.finish(`beam ${score} ${beamWidth}`, assignment, SAVED_BY_SPILLS.ofBeams, plain);
}

/** Pass 1 with a beam of some width, by each score. */
function tryBeams(
  options: PolicyOptions,
  portfolio: Portfolio,
  plain: PassPipeline,
  width: number,
): void {
  const costScore = options.score ?? "runtime";
  const isBeam = width === options.beamWidth;
  const scores = isBeam || portfolio.isSmall ? [options.score ?? "bottleneck", costScore] : [costScore];
  for (const score of new Set(scores)) {
    if (isBeam && score !== beamScore(options)) offerBeam(options, portfolio, plain, score);
    portfolio.addRefined(`beam ${score} ${width}`, portfolio.pipeline.propagate(score, width));
  }
  portfolio.settle();
}

/** Powers of two up to the width, and the width itself. Adding a width never makes the best plan slower. */
function beamWidths(width: number): readonly number[] {
  const widths: number[] = [];
  for (let power = 1; power < width; power *= 2) widths.push(power);
  return [...widths, width];
}
