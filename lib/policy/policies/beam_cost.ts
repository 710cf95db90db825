// SPDX-License-Identifier: Apache-2.0
import type { ScoreName } from "../../propagation/layout_score.ts";
import type { WorkAccount } from "../../search/work_account.ts";
import { BEAM_WIDTH, PASS_OPTIONS, type PolicyOptions, TIME_BUDGET } from "../options.ts";
import { type FinishedProgram, PassPipeline } from "../pass_pipeline.ts";
import type { FunctionContext } from "../function_context.ts";
import { planWithinBudget } from "../plan_within_budget.ts";
import type { Policy } from "../policy.ts";
import { Portfolio } from "../portfolio.ts";
import { SAVED_BY_SPILLS } from "../search_end.ts";
import { beamScore } from "./beam.ts";
import { greedy, greedyAssignment, greedyPipeline } from "./greedy.ts";
import { type ValueId, valueId } from "../../graph/graph.ts";
import { copyAt } from "../../search/program.ts";

/** The cheapest predicted time of everything that the pass-based policies can make. */
export const policy: Policy = {
  name: "beam-cost",
  summary:
    "Fastest of beams by predicted time, refined, spilled and fed back, within its share of --time-budget",
  place: 5,
  freedom: "hinted",
  options: [TIME_BUDGET, BEAM_WIDTH, ...PASS_OPTIONS],
  decide: (context) =>
    planWithinBudget(context, policy.name, (fn, options, { beamsUs }) => beamCost(fn, options, beamsUs)),
};

/** Rounds in which pass 1 runs again with the spilled values kept out of L1. */
const FEEDBACK_ROUNDS = 2;

/**
 * The program of the policy for one function.
 *
 * @param microseconds of work after which nothing more is begun
 */
function beamCost(fn: FunctionContext, options: PolicyOptions, microseconds: number): FinishedProgram {
  const search = new BeamSearch(fn, options, microseconds);
  search.goOn();
  return search.winner() ?? greedy(fn, options);
}

/** No program, and how to make some. */
export function openPortfolio(
  fn: FunctionContext,
  options: PolicyOptions,
  isSpent?: () => boolean,
  rivalUs?: () => number,
): Portfolio {
  return new Portfolio(new PassPipeline(fn, options, options.spill ?? "cost-aware"), fn, isSpent, rivalUs);
}

/**
 * Everything that the pass-based policies can make, finished and compared, in one order whatever may be spent: who
 * spends more does the same and more behind it. Another search may let it wait and go on later.
 */
export class BeamSearch {
  readonly #work: WorkAccount;
  readonly #microseconds: number;
  readonly #portfolio: Portfolio;
  readonly #steps: Generator<void>;
  readonly #isSpent: () => boolean;
  #hasBegun = false;
  #isDone = false;
  /** µs of work of the steps that are done. */
  #spentUs = 0;
  /** Where the step that runs began. */
  #start: number | undefined;

  /**
   * @param microseconds of its own work after which it ends
   * @param mayEnd asked then: whether it does; by default it does
   * @param rivalUs as of {@linkcode Portfolio}
   */
  constructor(
    fn: FunctionContext,
    options: PolicyOptions,
    microseconds: number,
    mayEnd: () => boolean = () => true,
    rivalUs?: () => number,
  ) {
    this.#work = fn.evaluator.work;
    this.#microseconds = microseconds;
    this.#isSpent = () => this.leftUs === 0 && mayEnd();
    this.#portfolio = openPortfolio(fn, options, this.#isSpent, rivalUs);
    this.#steps = tryEverything(fn, options, this.#portfolio);
  }

  /** µs of work that nobody else should spend; 0 when everything was tried. */
  get leftUs(): number {
    if (this.#isDone) return 0;
    const running = this.#start === undefined ? 0 : this.#work.microseconds - this.#start;
    return Math.max(0, this.#microseconds - this.#spentUs - running);
  }

  /** Tries one thing after the other; the first ones, among them what the cheaper policies make, in any case. */
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

  /** The best program so far. */
  winner(): FinishedProgram | undefined {
    return this.#portfolio.winner();
  }
}

/**
 * What {@linkcode BeamSearch} does, in steps. First what the cheaper policies make, and in long functions the widest beam
 * by time before that: hardly anything else wins there.
 */
function* tryEverything(fn: FunctionContext, options: PolicyOptions, portfolio: Portfolio): Generator<void> {
  const { pipeline, isThorough } = portfolio;
  const plain = greedyPipeline(fn, options);
  const score = options.score ?? "runtime";
  const widths = beamWidths(options.beamWidth);
  if (!isThorough) {
    portfolio.add(`beam ${score} ${options.beamWidth}`, pipeline.propagate(score, options.beamWidth));
    portfolio.settle();
    portfolio.spillThoroughly();
  }
  offerInterleaved(portfolio);
  portfolio.finish("greedy", greedyAssignment(plain, options), SAVED_BY_SPILLS.ofCheaperPolicies, plain);
  if (!isThorough) yield;
  offerBeam(options, portfolio, plain, beamScore(options));
  yield;
  if (!fn.evaluator.hasOverrides) portfolio.add("as in the input", pipeline.asInput());
  portfolio.add("dram", pipeline.interleaved("dram"));
  portfolio.add("l1-interleaved", pipeline.interleaved("l1"));
  portfolio.settle();
  for (const width of isThorough ? widths : widths.toReversed()) {
    yield;
    tryBeams(options, portfolio, plain, width);
  }
  yield;
  if (portfolio.best !== undefined) feedBack(portfolio, portfolio.best, score, options.beamWidth);
  portfolio.spillThoroughly();
}

/** Lets the plans compete in which everything is interleaved in one memory: they cost next to nothing to make. */
export function offerInterleaved(portfolio: Portfolio): void {
  for (const buffer of ["dram", "l1"] as const) {
    const name = buffer === "l1" ? "l1-interleaved" : "dram";
    portfolio.finish(name, portfolio.pipeline.interleaved(buffer), SAVED_BY_SPILLS.ofCheaperPolicies);
  }
}

/** What a beam of the full width by some score makes when it is spilled as the heuristic policies do, `plain`. */
function offerBeam(
  { beamWidth }: PolicyOptions,
  portfolio: Portfolio,
  plain: PassPipeline,
  score: ScoreName,
): void {
  const assignment = portfolio.pipeline.propagate(score, beamWidth);
  portfolio.finish(`beam ${score} ${beamWidth}`, assignment, SAVED_BY_SPILLS.ofBeams, plain);
}

/** Pass 1 with a beam of some width by each score. */
function tryBeams(
  options: PolicyOptions,
  portfolio: Portfolio,
  plain: PassPipeline,
  width: number,
): void {
  const costScore = options.score ?? "runtime";
  const isBeam = width === options.beamWidth;
  const scores = isBeam || portfolio.isThorough ? [options.score ?? "bottleneck", costScore] : [costScore];
  for (const score of new Set(scores)) {
    if (isBeam && score !== beamScore(options)) offerBeam(options, portfolio, plain, score);
    portfolio.add(`beam ${score} ${width}`, portfolio.pipeline.propagate(score, width));
  }
  const group = portfolio.settle();
  if (group !== undefined && portfolio.isThorough) feedBack(portfolio, group, costScore, width);
}

/** Runs pass 1 again with what pass 2 had to spill kept out of L1, as long as that makes the plan cheaper. */
function feedBack(
  portfolio: Portfolio,
  start: FinishedProgram,
  score: ScoreName,
  width: number,
): void {
  const { pipeline } = portfolio;
  let best = start;
  for (let round = 0; round < FEEDBACK_ROUNDS && best.spill.events.length > 0; round++) {
    const again = pipeline.refine(pipeline.propagate(score, width, spilledValues(best)));
    const next = pipeline.finish(`${best.origin}, fed back`, again);
    if (!next.usable || next.microseconds >= best.microseconds) return;
    portfolio.offer(next);
    best = next;
  }
}

/** Powers of two up to the width, and the width: adding one never makes the cheapest dearer. */
function beamWidths(width: number): readonly number[] {
  const widths: number[] = [];
  for (let power = 1; power < width; power *= 2) widths.push(power);
  return [...widths, width];
}

/** Values that pass 2 took out of L1. */
function spilledValues({ program, spill }: FinishedProgram): ReadonlySet<ValueId> {
  const { fn } = program.evaluator;
  return new Set(spill.events.flatMap(({ instance }) => {
    if (instance === undefined) return [];
    const copy = instance - fn.values.length;
    return copy < 0 ? [valueId(fn, instance)] : [copyAt(program, copy).value];
  }));
}
