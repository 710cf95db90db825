// SPDX-License-Identifier: Apache-2.0
import config from "../../deno.json" with { type: "json" };
import { toJson } from "../../lib/plan/plan_json.ts";
import { DEFAULT_POLICY_OPTIONS, type PolicyOptions } from "../../lib/policy/policy.ts";
import { optimizeModule } from "../../pipeline/optimize.ts";
import { opRows } from "../../pipeline/op_rows.ts";
import { countPlan, type PlanDocument } from "../../pipeline/plan_document.ts";
import { choosePolicy } from "../choose_policy.ts";
import { EXIT, type ExitCode, type Invocation, type Options } from "../command.ts";
import { loadInput } from "../load_input.ts";
import { renderDiagnostic } from "../render/diagnostics.ts";
import { renderPlan } from "../render/plan_table.ts";
import { styleOf } from "../render/style.ts";

/** Runs `optimize`. */
export async function run({ host, positionals, options }: Invocation): Promise<ExitCode> {
  const file = positionals[0] ?? "-";
  const policy = choosePolicy(options.text("policy") ?? "beam-cost");
  const policyOptions = readPolicyOptions(options);
  const workbench = await loadInput(host, options, file, policyOptions);
  const started = host.now();
  const optimized = optimizeModule(workbench, policy, policyOptions);
  const { plan, timeline } = optimized;
  const document: PlanDocument = {
    ...plan,
    tool: { name: "tilewright", version: config.version },
    input: file,
    summary: {
      ...countPlan(plan, timeline),
      predictedUs: timeline.inference.totalUs,
      predictedBand: timeline.inference.band,
      baselineUs: optimized.baseline.inference.totalUs,
      peakL1Bytes: optimized.l1.peakBytes,
      l1BudgetBytes: optimized.l1BudgetBytes,
      fits: optimized.l1.fits,
      opModelQueries: optimized.opModelQueries,
      wallMs: Math.round(host.now() - started),
    },
    ops: opRows(workbench.binding.graph, plan, timeline),
  };
  for (const problem of optimized.l1.problems) host.stderr.write(renderDiagnostic(problem));
  const output = options.text("output");
  // A plan that does not fit is reported, never written as if it did.
  if (output !== undefined && document.summary.fits) await host.writeText(output, optimized.text);
  const report = output === "-" ? host.stderr : host.stdout;
  const style = styleOf(host, options, report);
  report.write(options.flag("json") ? `${toJson(document)}\n` : renderPlan(document, style, report.columns));
  return document.summary.fits ? EXIT.ok : EXIT.finding;
}

function readPolicyOptions(options: Options): PolicyOptions {
  const number = (name: string, fallback: number): number => options.number(name) ?? fallback;
  const defaults = DEFAULT_POLICY_OPTIONS;
  return {
    ...defaults,
    tensorL1UsageCap: number("tensor-l1-usage-cap", defaults.tensorL1UsageCap),
    beamWidth: number("beam-width", defaults.beamWidth),
    maxLegalLayouts: number("max-legal-layouts", defaults.maxLegalLayouts),
    maxInputCandidatesPerOperand: number(
      "max-input-candidates-per-operand",
      defaults.maxInputCandidatesPerOperand,
    ),
    maxReshardCandidatesPerType: number(
      "max-reshard-candidates-per-type",
      defaults.maxReshardCandidatesPerType,
    ),
    enableL1ShardingLayouts: options.flag("enable-l1-sharding-layouts"),
    rowMajorEnabled: options.flag("row-major-enabled"),
  };
}
