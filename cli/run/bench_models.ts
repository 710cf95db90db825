// SPDX-License-Identifier: Apache-2.0
import config from "../../deno.json" with { type: "json" };
import type { PolicyOptions } from "../../lib/policy/options.ts";
import type { Policy } from "../../lib/policy/policy.ts";
import { SEARCH_STEP_NAMES, type SearchStepName } from "../../lib/policy/search_plan.ts";
import { benchOps, type BenchResult } from "../../pipeline/bench.ts";
import { optimizeModule } from "../../pipeline/optimize.ts";
import { planDocument } from "../../pipeline/plan_document.ts";
import { POLICY_NAMES } from "../commands/policy_options.ts";
import { type CommandContext, type Options, UsageError } from "../command.ts";
import { loadForPolicies } from "../load_for_policies.ts";
import { policyAtLevel, policyTools } from "../policy_options.ts";
import { baseName, type Progress } from "../progress.ts";

export async function choosePolicies(options: Options): Promise<readonly Policy[]> {
  const text = options.text("policies") ?? "";
  const names = text === "all" ? POLICY_NAMES : text.split(",").filter((name) => name !== "");
  if (names.length === 0) throw new UsageError("Cannot compare without policies: --policies names none");
  const isGiven = options.given("policies");
  return await Promise.all(names.map((name) => policyAtLevel(options, name, isGiven)));
}

/**
 * The steps of `--without`.
 *
 * @throws {UsageError} for an unknown name, and for `explore`, without which no search remains
 */
function stepsLeftOut(options: Options): ReadonlySet<SearchStepName> {
  const names = options.texts("without").flatMap((text) => text.split(","));
  const known = SEARCH_STEP_NAMES.filter((name) => name !== "explore");
  return new Set(names.map((name) => {
    const step = known.find((each) => each === name);
    if (step === undefined) {
      throw new UsageError(`Option --without cannot be '${name}'; choose among ${known.join(", ")}`);
    }
    return step;
  }));
}

/** One model with every policy. */
export async function benchModel(
  context: CommandContext,
  file: string,
  policies: readonly Policy[],
  policyOptions: PolicyOptions,
  progress: Progress,
): Promise<BenchResult[]> {
  const { host, options } = context;
  const tools = { ...policyTools(host, policyOptions, progress), leftOut: stepsLeftOut(options) };
  const text = await host.readText(file);
  const results: BenchResult[] = [];
  for (const [index, policy] of policies.entries()) {
    progress.stage(`${baseName(file)}: ${policy.name}, policy ${index + 1} of ${policies.length}`);
    // Each policy gets its own op model, so that no cache of another one counts.
    const workbench = await loadForPolicies(context, { file, text }, policyOptions);
    const started = host.now();
    const optimized = optimizeModule(workbench, policy, policyOptions, tools);
    const document = planDocument(optimized, {
      input: file,
      version: config.version,
      wallMs: Math.round(host.now() - started),
    });
    const { summary } = document;
    const ops = benchOps(document);
    results.push({ model: file, policy: policy.name, device: workbench.device.name, summary, ops });
  }
  return results;
}
