// SPDX-License-Identifier: Apache-2.0
import type { ScoreName } from "../../propagation/layout_score.ts";
import { BEAM_WIDTH, PASS_OPTIONS, type PolicyOptions } from "../options.ts";
import { type FinishedProgram, PassPipeline } from "../pass_pipeline.ts";
import type { FunctionContext } from "../function_context.ts";
import { planByPasses } from "../plan_graph.ts";
import type { Policy } from "../policy.ts";
import { Portfolio } from "../portfolio.ts";
import { greedy, greedyPasses, greedyPipeline } from "./greedy.ts";
import { type ValueId, valueId } from "../../graph/graph.ts";
import { copyAt } from "../../search/program.ts";

/** The cheapest predicted time of everything that the pass-based policies can make. */
export const policy: Policy = {
  name: "beam-cost",
  summary: "Cheapest of everything tried: beams by predicted time, refined, spilled, fed back",
  place: 5,
  freedom: "hinted",
  options: [BEAM_WIDTH, ...PASS_OPTIONS],
  decide: (context) => planByPasses(context, policy.name, beamCost),
};

/** Rounds in which pass 1 runs again with the spilled values kept out of L1. */
const FEEDBACK_ROUNDS = 2;

/** The program of the policy for one function. */
export function beamCost(fn: FunctionContext, options: PolicyOptions): FinishedProgram {
  return tryEverything(fn, options).winner() ?? greedy(fn, options);
}

/** No program, and how to make some. */
export function openPortfolio(
  fn: FunctionContext,
  options: PolicyOptions,
  isSpent?: () => boolean,
): Portfolio {
  return new Portfolio(new PassPipeline(fn, options, options.spill ?? "cost-aware"), fn, isSpent);
}

/**
 * Everything that the pass-based policies can make, finished and compared. Of a long function the widest beam by time comes
 * first: hardly anything else wins there.
 *
 * @param isSpent ends the search, once there is a program; by default everything is tried
 */
export function tryEverything(
  fn: FunctionContext,
  options: PolicyOptions,
  isSpent: () => boolean = () => false,
): Portfolio {
  const portfolio = openPortfolio(fn, options, isSpent);
  const plain = greedyPipeline(fn, options);
  const widths = beamWidths(options.beamWidth);
  if (portfolio.isThorough) {
    tryPlain(fn, options, portfolio, plain);
    for (const width of widths) {
      if (isSpent()) return portfolio;
      tryBeams(options, portfolio, plain, width);
    }
  } else {
    const score = options.score ?? "runtime";
    const { pipeline } = portfolio;
    portfolio.add(`beam ${score} ${options.beamWidth}`, pipeline.propagate(score, options.beamWidth));
    portfolio.settle();
    portfolio.spillThoroughly();
    if (isSpent()) return portfolio;
    tryPlain(fn, options, portfolio, plain);
    for (const width of widths.toReversed()) {
      if (isSpent()) return portfolio;
      tryBeams(options, portfolio, plain, width);
    }
  }
  if (isSpent()) return portfolio;
  const cheapest = portfolio.best;
  if (cheapest !== undefined) {
    feedBack(portfolio, cheapest, options.score ?? "runtime", options.beamWidth);
  }
  portfolio.spillThoroughly();
  return portfolio;
}

/** Everything in DRAM, in L1 and as the input has it, and what `greedy` makes. */
function tryPlain(
  fn: FunctionContext,
  options: PolicyOptions,
  portfolio: Portfolio,
  plain: PassPipeline,
): void {
  const { pipeline } = portfolio;
  portfolio.offer(pipeline.finish("dram", pipeline.interleaved("dram")));
  portfolio.offer(greedyPasses(plain, options));
  if (!fn.evaluator.hasOverrides) portfolio.add("as the input has it", pipeline.asInput());
  portfolio.add("dram", pipeline.interleaved("dram"));
  const inL1 = pipeline.interleaved("l1");
  portfolio.offer(pipeline.finish("l1-interleaved", inL1));
  portfolio.add("l1-interleaved", inL1);
  portfolio.settle();
}

/** Pass 1 with a beam of some width by each score; `plain` spills as the heuristic policies do. */
function tryBeams(
  options: PolicyOptions,
  portfolio: Portfolio,
  plain: PassPipeline,
  width: number,
): void {
  const { pipeline } = portfolio;
  const beamScore = options.score ?? "bottleneck";
  const costScore = options.score ?? "runtime";
  const isBeam = width === options.beamWidth;
  const scores = isBeam || portfolio.isThorough ? [beamScore, costScore] : [costScore];
  for (const score of new Set(scores)) {
    const origin = `beam ${score} ${width}`;
    const assignment = pipeline.propagate(score, width);
    if (isBeam) portfolio.offer(plain.finish(origin, assignment));
    portfolio.add(origin, assignment);
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
