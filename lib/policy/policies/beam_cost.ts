// SPDX-License-Identifier: Apache-2.0
import type { ScoreName } from "../../propagation/layout_score.ts";
import { BEAM_WIDTH, PASS_OPTIONS, type PolicyOptions } from "../options.ts";
import { type FinishedProgram, PassPipeline } from "../pass_pipeline.ts";
import type { FunctionContext } from "../function_context.ts";
import { planByPasses } from "../plan_graph.ts";
import type { Policy } from "../policy.ts";
import { Portfolio } from "../portfolio.ts";
import { greedy } from "./greedy.ts";

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
  const pipeline = new PassPipeline(fn, options, options.spill ?? "cost-aware");
  const dram = pipeline.orDram(pipeline.finish("dram", pipeline.interleaved("dram")));
  const baselines = [dram, greedy(fn, options)];
  const portfolio = new Portfolio(pipeline, fn.fn.ops.length, baselines);
  if (!fn.evaluator.hasOverrides) portfolio.add("as the input has it", pipeline.asInput());
  portfolio.add("dram", pipeline.interleaved("dram"));
  portfolio.add("l1-interleaved", pipeline.interleaved("l1"));
  portfolio.settle();
  const beamScore = options.score ?? "bottleneck";
  const costScore = options.score ?? "runtime";
  for (const width of beamWidths(options.beamWidth)) {
    const isBeam = width === options.beamWidth;
    if (isBeam || portfolio.isThorough) {
      const heuristic = pipeline.propagate(beamScore, width);
      const plain = new PassPipeline(fn, options, options.spill ?? "farthest-next-use");
      const program = plain.orDram(plain.finish(`beam ${beamScore} ${width}`, heuristic));
      portfolio.offer(program);
      if (isBeam) baselines.push(program);
      portfolio.add(`beam ${beamScore} ${width}`, heuristic);
    }
    portfolio.add(`beam ${costScore} ${width}`, pipeline.propagate(costScore, width));
    const group = portfolio.settle();
    if (group !== undefined && portfolio.isThorough) feedBack(pipeline, portfolio, group, costScore, width);
  }
  const cheapest = portfolio.best;
  if (cheapest !== undefined) feedBack(pipeline, portfolio, cheapest, costScore, options.beamWidth);
  const best = portfolio.best;
  return best === undefined ? greedy(fn, options) : judged(fn, pipeline.direct(best), baselines);
}

/** Runs pass 1 again with what pass 2 had to spill kept out of L1, as long as that makes the plan cheaper. */
function feedBack(
  pipeline: PassPipeline,
  portfolio: Portfolio,
  start: FinishedProgram,
  score: ScoreName,
  width: number,
): void {
  let best = start;
  for (let round = 0; round < FEEDBACK_ROUNDS && best.spill.events.length > 0; round++) {
    const again = pipeline.refine(pipeline.propagate(score, width, spilledValues(best)));
    const next = pipeline.finish(`${best.origin}, fed back`, again);
    if (!next.usable || next.microseconds >= best.microseconds) return;
    portfolio.offer(next);
    best = next;
  }
}

/**
 * The best program by the finer model, where there is one. That model never goes below the search's own, so a baseline is only worth asking
 * about when its own price undercuts what the finer model says of the best so far.
 */
export function judged(
  fn: FunctionContext,
  best: FinishedProgram,
  baselines: readonly FinishedProgram[],
): FinishedProgram {
  if (fn.judge === undefined) return best;
  // Search prices the dispatcher's wait after the last step as well, which the finer model knows nobody waits for.
  const slack = fn.evaluator.cost.programSendMicroseconds ?? 0;
  let winner = best;
  let price = fn.judge(best.program.toPlan());
  for (const baseline of baselines) {
    if (!baseline.usable || baseline === best || baseline.microseconds - slack >= price) continue;
    const other = fn.judge(baseline.program.toPlan());
    if (other >= price) continue;
    winner = baseline;
    price = other;
  }
  return winner;
}

/** Powers of two up to the width, and the width: adding one never makes the cheapest dearer. */
function beamWidths(width: number): readonly number[] {
  const widths: number[] = [];
  for (let power = 1; power < width; power *= 2) widths.push(power);
  return [...widths, width];
}

/** Values that pass 2 took out of L1. */
function spilledValues({ program, spill }: FinishedProgram): ReadonlySet<number> {
  const values = program.evaluator.fn.values.length;
  return new Set(spill.events.flatMap(({ instance }) => {
    const value = instance === undefined || instance < values
      ? instance
      : program.copies[instance - values]?.value;
    return value === undefined ? [] : [value];
  }));
}
