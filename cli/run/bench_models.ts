// SPDX-License-Identifier: Apache-2.0
import config from "../../deno.json" with { type: "json" };
import { GRAPH_PASS_NAMES } from "../../lib/passes/pass_table.ts";
import type { PolicyOptions } from "../../lib/policy/options.ts";
import type { Policy } from "../../lib/policy/policy.ts";
import { SEARCH_STEP_NAMES } from "../../lib/policy/search_plan.ts";
import { benchOps, type BenchResult } from "../../pipeline/bench.ts";
import { optimizeModule } from "../../pipeline/optimize.ts";
import { planDocument } from "../../pipeline/plan_document.ts";
import { didYouMean } from "../closest.ts";
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
 * The names of `--without`.
 *
 * @throws {UsageError} for an unknown name, and for `explore`, without which no search remains
 */
function namesLeftOut(options: Options): ReadonlySet<string> {
  const names = options.texts("without").flatMap((text) => text.split(","));
  const steps = SEARCH_STEP_NAMES.filter((name) => name !== "explore");
  const known = [...steps, ...GRAPH_PASS_NAMES];
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return new Set(names);
  const rest = `Steps: ${steps.join(", ")}; patterns: those of the plan's graph changes`;
  throw new UsageError(`Option --without cannot be '${unknown}'${didYouMean(unknown, known, rest)}`);
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
  const without = namesLeftOut(options);
  const leftOut = new Set(SEARCH_STEP_NAMES.filter((name) => without.has(name)));
  const tools = { ...policyTools(host, policyOptions, progress), leftOut };
  const text = await host.readText(file);
  const results: BenchResult[] = [];
  for (const [index, policy] of policies.entries()) {
    progress.stage(`${baseName(file)}: ${policy.name}, policy ${index + 1} of ${policies.length}`);
    // Each policy gets its own op model, so that no cache of another one counts.
    const workbench = await loadForPolicies(context, { file, text }, policyOptions, undefined, without);
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
