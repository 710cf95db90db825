// SPDX-License-Identifier: Apache-2.0
import config from "../../deno.json" with { type: "json" };
import { toJson } from "../../lib/plan/plan_json.ts";
import type { Policy } from "../../lib/policy/policy.ts";
import { optimizeModule } from "../../pipeline/optimize.ts";
import { planDocument, type PlanSummary } from "../../pipeline/plan_document.ts";
import { EXIT, type ExitCode, type Invocation, type Options, UsageError } from "../command.ts";
import type { Host } from "../host.ts";
import { loadText } from "../load_input.ts";
import { policyAtLevel, policyTools, readPolicyOptions } from "../policy_options.ts";
import { POLICY_NAMES } from "../policy_names.ts";
import { createProgress, type Progress } from "../progress.ts";
import { renderBench } from "../render/bench_table.ts";
import { styleOf } from "../render/style.ts";

/** One model decided with one policy. */
export interface BenchResult {
  readonly model: string;
  readonly policy: string;
  readonly device: string;
  readonly summary: PlanSummary;
}

/** Geometric mean over the models of a policy's predicted time over that of the first policy. */
export interface PolicyMean {
  readonly policy: string;
  readonly timeAgainstFirst: number;
}

/** Runs `bench`. */
export async function run({ host, positionals, options }: Invocation): Promise<ExitCode> {
  const policies = choosePolicies(options);
  const progress = createProgress(host);
  const results: BenchResult[] = [];
  try {
    for (const file of positionals) {
      results.push(...await benchModel(host, options, file, policies, progress));
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
  return results.every((result) => result.summary.fits) ? EXIT.ok : EXIT.finding;
}

function choosePolicies(options: Options): readonly Policy[] {
  const text = options.text("policies") ?? "";
  const names = text === "all" ? POLICY_NAMES : text.split(",").filter((name) => name !== "");
  if (names.length === 0) throw new UsageError("Cannot compare nothing: --policies names no policy");
  return names.map((name) => policyAtLevel(options, name, options.given("policies")));
}

async function benchModel(
  host: Host,
  options: Options,
  file: string,
  policies: readonly Policy[],
  progress: Progress,
): Promise<BenchResult[]> {
  const policyOptions = readPolicyOptions(options);
  const tools = await policyTools(policyOptions);
  const text = await host.readText(file);
  const results: BenchResult[] = [];
  for (const policy of policies) {
    progress.stage(`deciding ${file} with ${policy.name}`);
    // Each policy gets its own op model: queries that another one paid for do not count.
    const workbench = await loadText(host, options, file, text, policyOptions);
    const started = host.now();
    const optimized = optimizeModule(workbench, policy, policyOptions, tools);
    const { summary } = planDocument(workbench.binding.graph, optimized, {
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
