// SPDX-License-Identifier: Apache-2.0
import { type Diagnostic, DiagnosticError } from "../lib/diagnostics/diagnostic.ts";
import type { Graph } from "../lib/graph/graph.ts";
import { checkOverrides } from "../lib/overrides/check_overrides.ts";
import { isOverridden, nameOfLocation } from "../lib/overrides/overrides.ts";
import type { PolicyOptions } from "../lib/policy/options.ts";
import { LOWERING } from "../pipeline/graph_changes.ts";
import type { LoadedModule, PrepareOptions } from "../pipeline/prepared_module.ts";
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
  const loaded = await loadKeepingNamed(
    context.host,
    how,
    policyOptions,
    (each) => loadText(context, input, each),
  );
  requireOverrides(context.host, loaded, policyOptions);
  return loaded;
}

/** Loads a module; graph passes leave alone the ops that overrides name and that are gone otherwise. */
export async function loadKeepingNamed<How extends PrepareOptions>(
  host: Host,
  how: How,
  { overrides }: PolicyOptions,
  load: (how: How) => Promise<LoadedModule>,
): Promise<LoadedModule> {
  const loaded = await load(how);
  const { passes } = how;
  if (typeof passes !== "object" || !isOverridden(overrides)) return loaded;
  const { outputLayouts, memReconfigs, conv2dConfigs, conv3dConfigs } = overrides;
  const named = new Set(
    [outputLayouts, memReconfigs, conv2dConfigs, conv3dConfigs].flatMap((each) => [...each.keys()]),
  );
  for (const { ops } of loaded.binding.graph.functions) {
    for (const { location } of ops) named.delete(nameOfLocation(location) ?? "");
  }
  const gone = loaded.graphChanges.flatMap(({ pass, merged = [] }) =>
    pass === LOWERING ? [] : merged.flatMap(({ location, into }) => {
      const name = nameOfLocation(location) ?? "";
      return named.has(name) ? [{ name, pass, into }] : [];
    })
  );
  if (gone.length === 0) return loaded;
  for (const { name, pass, into } of gone) {
    const fate = into === undefined ? `leave out "${name}"` : `merge "${name}" into ${into}`;
    host.stderr.once(`remark: graph pass ${pass} would ${fate}; it stays, because an override names it\n`);
  }
  return await load({ ...how, passes: { ...passes, untouchedOps: new Set(gone.map(({ name }) => name)) } });
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
  const folded = graphChanges.flatMap(({ pass, merged = [] }) => pass === LOWERING ? merged : []);
  const was = new Map(folded.map(({ op, location }) => [nameOfLocation(location), op]));
  const all = checkOverrides(binding.graph, overrides, chip.workerGrid, was);
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

/** Hint about ops that are not found; `undefined` if no graph pass changed anything. */
export function mergedHint(graphChanges: LoadedModule["graphChanges"]): string | undefined {
  return graphChanges.every(({ pass }) => pass === LOWERING)
    ? undefined
    : "graph passes may have merged it into another op; --keep-graph leaves every op as it is";
}
