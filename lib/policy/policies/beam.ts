// SPDX-License-Identifier: Apache-2.0
import type { ScoreName } from "../../propagation/layout_score.ts";
import { BEAM_WIDTH, PASS_OPTIONS, type PolicyOptions } from "../options.ts";
import { type FinishedProgram, PassPipeline } from "../pass_pipeline.ts";
import type { FunctionContext } from "../function_context.ts";
import { planByPasses } from "../plan_graph.ts";
import type { Policy } from "../policy.ts";
import { obeyingFree } from "../obeying_free.ts";

/** Pass 1 with `--beam-width` candidates per op and trace-back, then pass 2. */
export const policy: Policy = obeyingFree({
  name: "beam",
  summary: "Beam search over whole paths with trace-back at forks, then spills until everything fits",
  rank: 4,
  planKind: "hinted",
  options: [BEAM_WIDTH, ...PASS_OPTIONS],
  decide: (context) => planByPasses(context, policy, beam),
});

function beam(fn: FunctionContext, options: PolicyOptions): FinishedProgram {
  const pipeline = new PassPipeline(fn, options, options.spill ?? "farthest-next-use");
  const assignment = pipeline.propagate(beamScore(options), options.beamWidth);
  return pipeline.orDram(pipeline.finish(`beam ${options.beamWidth}`, assignment));
}

/** The score by which the policy ranks candidates. */
export function beamScore({ score, costMode }: PolicyOptions): ScoreName {
  return score ?? (costMode ? "runtime" : "bottleneck");
}
