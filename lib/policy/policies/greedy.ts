// SPDX-License-Identifier: Apache-2.0
import type { ScoreName } from "../../propagation/layout_score.ts";
import { PASS_OPTIONS, type PolicyOptions } from "../options.ts";
import { type FinishedProgram, PassPipeline } from "../pass_pipeline.ts";
import type { FunctionContext } from "../function_context.ts";
import { planByPasses } from "../plan_graph.ts";
import type { Policy } from "../policy.ts";
import type { Assignment } from "../../search/impls.ts";
import { obeyingFree } from "../obeying_free.ts";

/**
 * The plan of tt-mlir's compiler (score `local`); under other scores, pass 1 with one candidate per op, then
 * pass 2.
 */
export const policy: Policy = obeyingFree({
  name: "greedy",
  summary: "As tt-mlir's compiler decides: best local choices per op, then evictions until everything fits",
  rank: 3,
  planKind: "hinted",
  options: PASS_OPTIONS,
  decide: (context) => planByPasses(context, policy, greedy),
});

export function greedy(fn: FunctionContext, options: PolicyOptions): FinishedProgram {
  const pipeline = greedyPipeline(fn, options);
  return pipeline.orDram(pipeline.finish("greedy", greedyAssignment(pipeline, options)));
}

/**
 * Both passes. Spill policy under score `local`: the compiler's eviction; under others, that of the heuristic
 * policies.
 */
export function greedyPipeline(fn: FunctionContext, options: PolicyOptions): PassPipeline {
  return new PassPipeline(
    fn,
    options,
    options.spill ?? (greedyScore(options) === "local" ? "evict" : "farthest-next-use"),
  );
}

function greedyScore({ score, costMode }: PolicyOptions): ScoreName {
  return score ?? (costMode ? "runtime" : "local");
}

/** The assignment that pass 1 chooses. */
export function greedyAssignment(pipeline: PassPipeline, options: PolicyOptions): Assignment {
  const score = greedyScore(options);
  return pipeline.propagate(score, score === "local" ? COMPILER_BEAM_WIDTH : 1);
}

/** Candidates per op that tt-mlir's compiler keeps (tt-mlir:memory-layout-propagation). */
const COMPILER_BEAM_WIDTH = 8;
