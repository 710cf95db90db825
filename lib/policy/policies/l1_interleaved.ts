// SPDX-License-Identifier: Apache-2.0
import { KEEP, LAYOUT_LIMITS, OVERRIDE_OPTIONS, SCHEDULE, SPILL, TENSOR_L1_USAGE_CAP } from "../options.ts";
import { PassPipeline } from "../pass_pipeline.ts";
import { planByPasses } from "../plan_graph.ts";
import type { Policy } from "../policy.ts";
import { obeyingFree } from "../obeying_free.ts";

/** L1 without sharding. */
export const policy: Policy = obeyingFree({
  name: "l1-interleaved",
  summary: "L1 interleaved wherever legal, then spills until everything fits",
  rank: 2,
  planKind: "hinted",
  // Shards matter only for ops that are queried with all their hints, or that take nothing else.
  options: [
    SPILL,
    SCHEDULE,
    KEEP,
    ...LAYOUT_LIMITS,
    TENSOR_L1_USAGE_CAP,
    ...OVERRIDE_OPTIONS,
  ],
  decide: (context) =>
    planByPasses(context, policy, (fn, options) => {
      const pipeline = new PassPipeline(fn, options, options.spill ?? "cost-aware");
      return pipeline.orDram(pipeline.finish("l1-interleaved", pipeline.interleaved("l1")));
    }),
});
