// SPDX-License-Identifier: Apache-2.0
import {
  type AnalysisName,
  type FunctionAnalyses,
  printAnalysis,
} from "../../lib/analysis/print_analysis.ts";
import { ChainContext } from "../../lib/chains/chain_context.ts";
import {
  MEMORY_LAYOUT_POLICIES,
  type MemoryLayoutAnalysis,
} from "../../lib/chains/memory_layout_analysis.ts";
import { dispatchOpsOf } from "../../lib/graph/dispatch.ts";
import { isDecided } from "../../lib/graph/function_role.ts";
import { CHAIN_OPTIONS } from "../../lib/policy/options.ts";
import { COMMAND_LINE, type CommandContext, type Options, UsageError } from "../command.ts";
import { loadForPolicies } from "../load_for_policies.ts";
import { optimizationLevel, optionsForPolicies } from "../policy_options.ts";

/**
 * Output of `--print-analysis`.
 *
 * @throws {UsageError} if `--policy` names a policy that makes no such decisions
 */
export async function analysisText(
  context: CommandContext,
  file: string,
  name: AnalysisName,
): Promise<string> {
  const { host, options } = context;
  const policyOptions = optionsForPolicies(host, options, [], CHAIN_OPTIONS);
  const workbench = await loadForPolicies(context, { file, text: await host.readText(file) }, policyOptions);
  const { binding: { graph } } = workbench;
  const { opModel } = workbench.planning();
  const analyse = memoryLayoutPolicy(options, name);
  const functions = graph.functions.filter(isDecided).map((fn): FunctionAnalyses => {
    const { constEvalL1Bytes } = graph;
    const context = new ChainContext(fn, opModel, policyOptions, constEvalL1Bytes, dispatchOpsOf(graph, fn));
    const { legalTensorLayouts, legalConfigs } = context;
    const analyses = { fn, legalTensorLayouts, legalConfigs };
    return analyse === undefined ? analyses : { ...analyses, memoryLayout: analyse(context) };
  });
  return printAnalysis(name, graph, opModel, policyOptions.overrides, functions);
}

const DEFAULT_CHAIN_POLICY = "df-sharding-2";

/**
 * The chain policy of an analysis; `undefined` if the analysis precedes its decisions, or if they are off.
 */
function memoryLayoutPolicy(
  options: Options,
  name: AnalysisName,
): ((context: ChainContext) => MemoryLayoutAnalysis) | undefined {
  if (name !== "MemoryLayoutAnalysis" && name !== "OpConfigAnalysis") return undefined;
  const given = options.given("policy") ? options.text("policy") ?? "" : DEFAULT_CHAIN_POLICY;
  const known = MEMORY_LAYOUT_POLICIES[given];
  // A policy set outside of the command line is written for several runs and need not have this analysis.
  const isAsked = options.origin("policy") === COMMAND_LINE;
  const analyse = known ?? (isAsked ? undefined : MEMORY_LAYOUT_POLICIES[DEFAULT_CHAIN_POLICY]);
  if (analyse === undefined) {
    throw new UsageError(
      `Cannot print ${name} of policy '${given}'; it is made by ${
        Object.keys(MEMORY_LAYOUT_POLICIES).join(", ")
      }`,
    );
  }
  return optimizationLevel(options) >= 2 ? analyse : undefined;
}
