// SPDX-License-Identifier: Apache-2.0
import { KEEP, MAX_LEGAL_LAYOUTS, OVERRIDE_OPTIONS, SCHEDULE, TENSOR_L1_USAGE_CAP } from "../options.ts";
import { PassPipeline } from "../pass_pipeline.ts";
import { planByPasses } from "../plan_graph.ts";
import type { Policy } from "../policy.ts";
import { obeyingFree } from "../obeying_free.ts";

/** The baseline that every other policy is measured against. */
export const policy: Policy = obeyingFree({
  name: "dram",
  summary: "Everything DRAM interleaved: the baseline",
  rank: 1,
  planKind: "hinted",
  // The legal layouts matter here only if an override asks for one.
  options: [SCHEDULE, KEEP, TENSOR_L1_USAGE_CAP, ...OVERRIDE_OPTIONS, MAX_LEGAL_LAYOUTS],
  decide: (context) =>
    planByPasses(context, policy, (fn, options) => {
      const pipeline = new PassPipeline(fn, options, "cost-aware");
      return pipeline.orDram(pipeline.finish("dram", pipeline.interleaved("dram")));
    }),
});
