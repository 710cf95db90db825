// SPDX-License-Identifier: Apache-2.0

/** Time to decide: every policy on models of the zoo, reading and pricing excluded. Quality is `tilewright bench`. */

import { parseModule } from "../lib/ir/mod.ts";
import { policies } from "../lib/policy/policies.ts";
import { DEFAULT_POLICY_OPTIONS } from "../lib/policy/options.ts";
import { createWorkbench } from "../pipeline/load.ts";
import { getDevice } from "../sim/devices/device_registry.ts";

const MODELS = ["mnist", "segformer_block", "llama_3_2_1b_decode", "resnet50"] as const;

for (const model of MODELS) {
  const text = Deno.readTextFileSync(new URL(`../testdata/models/${model}.mlir`, import.meta.url));
  const module = parseModule(text, `${model}.mlir`);
  for (const policy of policies) {
    Deno.bench({
      name: policy.name,
      group: `decide ${model}`,
      baseline: policy.name === "dram",
      n: 3,
      warmup: 1,
      fn: (b) => {
        // A new workbench each time: op model and cost model start without answers.
        const { binding, opModel, cost } = createWorkbench(module, getDevice("n150"));
        b.start();
        policy.decide({ graph: binding.graph, opModel, cost, options: DEFAULT_POLICY_OPTIONS });
        b.end();
      },
    });
  }
}
