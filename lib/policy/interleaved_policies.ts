// SPDX-License-Identifier: Apache-2.0
import { PassPipeline } from "./pass_pipeline.ts";
import { planGraph } from "./plan_graph.ts";
import type { Policy } from "./policy.ts";

/** `dram`: the baseline that every other policy is measured against. */
export const DRAM_POLICY: Policy = {
  name: "dram",
  summary: "Everything DRAM interleaved: the baseline",
  decide: (context) =>
    planGraph(context, "dram", (fn) => {
      const pipeline = new PassPipeline(fn, context.options, "cost-aware");
      return pipeline.orDram(pipeline.finish("dram", pipeline.interleaved("dram")));
    }),
};

/** `l1-interleaved`: L1 without sharding. */
export const L1_INTERLEAVED_POLICY: Policy = {
  name: "l1-interleaved",
  summary: "L1 interleaved wherever legal, then spills until everything fits",
  decide: (context) =>
    planGraph(context, "l1-interleaved", (fn) => {
      const pipeline = new PassPipeline(fn, context.options, context.options.spill ?? "cost-aware");
      return pipeline.orDram(pipeline.finish("l1-interleaved", pipeline.interleaved("l1")));
    }),
};
