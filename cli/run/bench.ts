// SPDX-License-Identifier: Apache-2.0
import config from "../../deno.json" with { type: "json" };
import { toJson } from "../../lib/plan/plan_json.ts";
import type { PolicyOptions } from "../../lib/policy/options.ts";
import { policies as everyPolicy } from "../../lib/policy/policies.ts";
import type { Policy } from "../../lib/policy/policy.ts";
import { optimizeModule } from "../../pipeline/optimize.ts";
import { planDocument } from "../../pipeline/plan_document.ts";
import { EXIT, type ExitCode, type Invocation, type Options, UsageError } from "../command.ts";
import type { Host } from "../host.ts";
import { loadText } from "../load_input.ts";
import { optionsForPolicies, policyAtLevel, policyTools, requireOverrides } from "../policy_options.ts";
import { createProgress, type Progress } from "../progress.ts";
import { type BenchResult, type PolicyMean, renderBench } from "../render/bench_table.ts";
import { styleOf } from "../render/style.ts";

/** Runs `bench`. */
export async function run({ host, positionals, options }: Invocation): Promise<ExitCode> {
  const policies = choosePolicies(options);
  const policyOptions = optionsForPolicies(host, options, policies);
  const progress = createProgress(host);
  const results: BenchResult[] = [];
  try {
    for (const file of positionals) {
      results.push(...await benchModel(host, options, file, policies, policyOptions, progress));
    }
  } finally {
    progress.done();
  }
  const means = meansOf(results, policies);
  host.stdout.write(
    options.flag("json")
      ? `${
        toJson({
          schema: "tilewright.bench/1",
          tool: { name: "tilewright", version: config.version },
          results,
          means,
        })
      }\n`
      : renderBench(results, means, styleOf(host, options), host.stdout.columns),
  );
  return results.every(({ summary }) => summary.verdict.status !== "does_not_fit") ? EXIT.ok : EXIT.finding;
}

function choosePolicies(options: Options): readonly Policy[] {
  const text = options.text("policies") ?? "";
  const names = text === "all"
    ? everyPolicy.map(({ name }) => name)
    : text.split(",").filter((name) => name !== "");
  if (names.length === 0) throw new UsageError("Cannot compare nothing: --policies names no policy");
  return names.map((name) => policyAtLevel(options, name, options.given("policies")));
}

async function benchModel(
  host: Host,
  options: Options,
  file: string,
  policies: readonly Policy[],
  policyOptions: PolicyOptions,
  progress: Progress,
): Promise<BenchResult[]> {
  const tools = await policyTools(host, policyOptions);
  const text = await host.readText(file);
  const results: BenchResult[] = [];
  for (const policy of policies) {
    progress.stage(`deciding ${file} with ${policy.name}`);
    // Each policy gets its own op model: queries that another one paid for do not count.
    const workbench = await loadText(host, options, file, text, policyOptions);
    if (results.length === 0) requireOverrides(host, workbench.binding.graph, policyOptions);
    const started = host.now();
    const optimized = optimizeModule(workbench, policy, policyOptions, tools);
    const { summary } = planDocument(optimized, {
      input: file,
      version: config.version,
      wallMs: Math.round(host.now() - started),
    });
    results.push({ model: file, policy: policy.name, device: workbench.device.name, summary });
  }
  return results;
}

function meansOf(results: readonly BenchResult[], policies: readonly Policy[]): readonly PolicyMean[] {
  const timeOf = (model: string, policy: string): number =>
    results.find((result) => result.model === model && result.policy === policy)?.summary.predictedUs ?? 0;
  const models = [...new Set(results.map((result) => result.model))];
  const first = policies[0]?.name ?? "";
  return policies.map(({ name }) => {
    const ratios = models.map((model) => timeOf(model, name) / timeOf(model, first)).filter(Number.isFinite);
    const logarithms = ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0);
    return { policy: name, timeAgainstFirst: ratios.length === 0 ? 1 : Math.exp(logarithms / ratios.length) };
  });
}
