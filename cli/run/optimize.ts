// SPDX-License-Identifier: Apache-2.0
import config from "../../deno.json" with { type: "json" };
import { ANALYSIS_NAMES, type AnalysisName, printAnalysis } from "../../lib/analysis/print_analysis.ts";
import { ChainContext } from "../../lib/chains/chain_context.ts";
import { DiagnosticError } from "../../lib/diagnostics/diagnostic.ts";
import type { Graph } from "../../lib/graph/graph.ts";
import { checkOverrides } from "../../lib/overrides/check_overrides.ts";
import type { OptimizerOverrides } from "../../lib/overrides/overrides.ts";
import { DECIDED_KINDS } from "../../lib/policy/plan_graph.ts";
import { toJson } from "../../lib/plan/plan_json.ts";
import { DEFAULT_POLICY_OPTIONS, type PolicyOptions } from "../../lib/policy/policy.ts";
import type { Workbench } from "../../pipeline/load.ts";
import { optimizeModule } from "../../pipeline/optimize.ts";
import { opRows } from "../../pipeline/op_rows.ts";
import { countPlan, type PlanDocument } from "../../pipeline/plan_document.ts";
import { readChainOptions } from "../chain_options.ts";
import { choosePolicy } from "../choose_policy.ts";
import { EXIT, type ExitCode, type Invocation, type Options } from "../command.ts";
import type { Host } from "../host.ts";
import { loadInput } from "../load_input.ts";
import { renderDiagnostic } from "../render/diagnostics.ts";
import { renderPlan } from "../render/plan_table.ts";
import { styleOf } from "../render/style.ts";

/** Runs `optimize`. */
export async function run({ host, positionals, options }: Invocation): Promise<ExitCode> {
  const file = positionals[0] ?? "-";
  const policy = choosePolicy(options.text("policy") ?? "beam-cost");
  const policyOptions = { ...readPolicyOptions(options), ...readChainOptions(options, policy) };
  const workbench = await loadInput(host, options, file, policyOptions);
  requireOverridesFit(host, workbench.binding.graph, policyOptions.overrides);
  const analysis = ANALYSIS_NAMES.find((name) => name === options.text("print-analysis"));
  if (analysis !== undefined) {
    host.stdout.write(analysisText(analysis, workbench, policyOptions));
    return EXIT.ok;
  }
  const started = host.now();
  const hooks = options.flag("trace-solver")
    ? { traceSolver: (text: string) => void host.stderr.write(`${text}\n`) }
    : {};
  const optimized = optimizeModule(workbench, policy, policyOptions, hooks);
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

/** Shows overrides that have no effect; those that name nothing stop the command. */
function requireOverridesFit(host: Host, graph: Graph, overrides: OptimizerOverrides): void {
  const findings = checkOverrides(graph, overrides);
  const errors = findings.filter(({ severity }) => severity === "error");
  if (errors.length > 0) throw new DiagnosticError(errors);
  for (const finding of findings) host.stderr.write(renderDiagnostic(finding));
}

function analysisText(
  name: AnalysisName,
  { binding, opModel }: Workbench,
  options: PolicyOptions,
): string {
  const { graph } = binding;
  const decided = graph.functions.filter((fn) => DECIDED_KINDS.has(fn.kind) && fn.ops.length > 0);
  const functions = decided.map((fn) => new ChainContext(fn, opModel, options));
  return printAnalysis(name, { graph, opModel, options }, functions);
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
