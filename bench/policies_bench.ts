// SPDX-License-Identifier: Apache-2.0

/**
 * Policies on the models of the zoo, and on dumps of 25 to 400 ops: how long they take to decide, reading and pricing excluded, and behind the times of the models,
 * on standard error, what they decide: predicted time, gap to the lower bound, reshards, spills, what is in L1. Of what
 * `--filter` leaves out neither is told.
 */

import { DEFAULT_PASS_OPTIONS } from "../lib/passes/pass_options.ts";
import { DEFAULT_POLICY_OPTIONS } from "../lib/policy/options.ts";
import { getPolicy, policies } from "../lib/policy/policies.ts";
import type { Policy } from "../lib/policy/policy.ts";
import { renderBench } from "../cli/render/bench_table.ts";
import { createStyle } from "../cli/render/style.ts";
import { type BenchResult, byModel, policyMeans } from "../pipeline/bench.ts";
import { loadModule } from "../pipeline/load_module.ts";
import { lowerBoundOf } from "../pipeline/lower_bound.ts";
import { optimizeModule } from "../pipeline/optimize.ts";
import { planDocument } from "../pipeline/plan_document.ts";
import { dump } from "./speed_cases.ts";

/** The zoo, the smallest first. */
const MODELS = [
  "mnist",
  "segformer_block",
  "llama_3_2_1b_decode",
  "llama_3_2_1b_prefill",
  "unet",
  "bert_base",
  "resnet50",
  "vit_b",
] as const;

/** As `optimize` decides: on the graph that passes make. */
const OPTIONS = { device: "n150", passes: DEFAULT_PASS_OPTIONS } as const;

/** Columns of the table where standard error is no terminal. */
const COLUMNS = 110;

/** What ran, in order. */
const decided = new Map<string, () => BenchResult>();

/** Times a policy on a new workbench each time: op model and cost model start without answers. */
function benchDeciding(
  bench: Omit<Deno.BenchDefinition, "fn">,
  text: string,
  policy: Policy,
  done: () => void = () => {},
): void {
  Deno.bench({
    ...bench,
    fn: (b) => {
      const { binding, planning } = loadModule(text, OPTIONS);
      const { opModel, cost } = planning();
      b.start();
      policy.decide({ graph: binding.graph, opModel, cost, options: DEFAULT_POLICY_OPTIONS });
      b.end();
      done();
    },
  });
}

for (const model of MODELS) {
  const text = Deno.readTextFileSync(new URL(`../testdata/models/${model}.mlir`, import.meta.url));
  for (const policy of policies) {
    const { name } = policy;
    const bench = { name, group: `decide ${model}`, baseline: name === "dram", n: 2, warmup: 0 };
    benchDeciding(bench, text, policy, () => {
      decided.set(`${model} ${name}`, () => resultOf(model, text, policy));
    });
  }
}

// How the time to decide grows with the number of ops.
for (const name of ["greedy", "beam", "beam-cost", "df-sharding-2"]) {
  for (const ops of [25, 100, 400]) {
    const bench = { name: `${name}, ${ops} ops`, group: `scale of ${name}`, n: 3, warmup: 1 };
    benchDeciding(bench, dump(ops), getPolicy(name));
  }
}

function resultOf(model: string, text: string, policy: Policy): BenchResult {
  const workbench = loadModule(text, { ...OPTIONS, fileName: model });
  const started = performance.now();
  const optimized = optimizeModule(workbench, policy, DEFAULT_POLICY_OPTIONS);
  const wallMs = Math.round(performance.now() - started);
  const bound = lowerBoundOf(workbench, DEFAULT_POLICY_OPTIONS, policy.planKind);
  const { summary } = planDocument(optimized, { input: model, version: "bench", wallMs, bound });
  return { model, policy: policy.name, device: OPTIONS.device, summary };
}

globalThis.addEventListener("unload", () => {
  if (decided.size === 0) return;
  const results = byModel([...decided.values()].map((result) => result()));
  const stream = { write: () => {}, isTerminal: Deno.stderr.isTerminal(), columns: COLUMNS };
  console.error(
    `\n${renderBench(results, policyMeans(results), createStyle("auto", Deno.noColor, stream))}`,
  );
});
