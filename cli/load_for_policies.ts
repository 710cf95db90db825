// SPDX-License-Identifier: Apache-2.0
import { type Diagnostic, DiagnosticError } from "../lib/diagnostics/diagnostic.ts";
import type { Graph } from "../lib/graph/graph.ts";
import { checkOverrides } from "../lib/overrides/check_overrides.ts";
import type { PolicyOptions } from "../lib/policy/options.ts";
import type { LoadedModule } from "../pipeline/prepared_module.ts";
import type { Device } from "../sim/devices/device.ts";
import { simulateGraph } from "../sim/timeline/simulate.ts";
import type { Timeline } from "../sim/timeline/timeline.ts";
import type { CommandContext } from "./command.ts";
import { decidedGraph } from "./graph_options.ts";
import type { Host } from "./host.ts";
import { type InputText, loadText } from "./load_input.ts";
import { renderDiagnostic } from "./render/diagnostics.ts";

/**
 * Loads an input whose layouts policies decide: with graph passes unless `--keep-graph` is given, and with its
 * overrides checked.
 *
 * @param policyOptions options of the policies ({@linkcode optionsForPolicies})
 * @param leftOut names of graph patterns that are left out
 * @throws {DiagnosticError} if the input cannot be loaded, or an override names an unknown op or layout
 * @throws {UsageError} if the options contradict each other
 */
export async function loadForPolicies(
  context: CommandContext,
  input: InputText,
  policyOptions: PolicyOptions,
  device?: Device,
  leftOut?: ReadonlySet<string>,
): Promise<LoadedModule> {
  const how = { ...policyOptions, ...decidedGraph(context.options, leftOut), device };
  const loaded = await loadText(context, input, how);
  requireOverrides(context.host, loaded, policyOptions);
  return loaded;
}

/** An input as written, simulated; its graph stays as it is, unless it is TTIR. */
export async function simulatedAsWritten(
  context: CommandContext,
  input: InputText,
  policyOptions: PolicyOptions,
  device?: Device,
): Promise<{ readonly graph: Graph; readonly timeline: Timeline }> {
  const how = { ...policyOptions, ...decidedGraph(context.options), isAsWritten: true, device };
  const workbench = await loadText(context, input, how);
  const { graph } = workbench.binding;
  const { tensorL1UsageCap } = policyOptions;
  return { graph, timeline: simulateGraph(graph, undefined, workbench, { tensorL1UsageCap }) };
}

/**
 * Checks overrides against their graph; warnings go to standard error, also on unknown ops where others are known.
 *
 * @throws {DiagnosticError} if no override names an op, or one an unknown layout
 */
export function requireOverrides(
  host: Host,
  { binding, graphChanges, chip }: Pick<LoadedModule, "binding" | "graphChanges" | "chip">,
  { overrides }: PolicyOptions,
): void {
  const all = checkOverrides(binding.graph, overrides, chip.workerGrid);
  const { outputLayouts, memReconfigs, conv2dConfigs, conv3dConfigs } = overrides;
  const given = outputLayouts.size + memReconfigs.size + conv2dConfigs.size + conv3dConfigs.size;
  const isUnknown = ({ code }: Diagnostic) => code === "override/unknown-op";
  const severity = all.filter(isUnknown).length < given ? "warning" : "error";
  const findings = all.map((finding) => isUnknown(finding) ? { ...finding, severity } as const : finding);
  const errors = findings.filter((finding) => finding.severity === "error");
  if (errors.length > 0) {
    const hint = errors.some(isUnknown) ? mergedHint(graphChanges) : undefined;
    throw new DiagnosticError(
      hint === undefined ? errors : [...errors, {
        code: "override/graph-passes",
        severity: "note",
        message: hint,
      }],
    );
  }
  for (const finding of findings) host.stderr.once(renderDiagnostic(finding));
}

/** Hint about an op that is not found; `undefined` if no graph pass changed anything. */
export function mergedHint(graphChanges: LoadedModule["graphChanges"]): string | undefined {
  return graphChanges.length === 0
    ? undefined
    : "graph passes may have merged it into another op; --keep-graph leaves every op as it is";
}
