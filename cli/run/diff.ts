// SPDX-License-Identifier: Apache-2.0
import { readProfile } from "../read_profile.ts";
import { inputError } from "../../lib/diagnostics/diagnostic.ts";
import type { Graph } from "../../lib/graph/graph.ts";
import type { Plan } from "../../lib/plan/plan.ts";
import type { PolicyOptions } from "../../lib/policy/options.ts";
import type { Policy } from "../../lib/policy/policy.ts";
import { type DiffReport, diffSides } from "../../pipeline/diff.ts";
import { type DiffFinding, diffFindings, diffSummary } from "../../pipeline/diff_findings.ts";
import { type DiffOp, type DiffSide, sideOfDocument, sideOfTimeline } from "../../pipeline/diff_side.ts";
import { looksLikeTrace, readTrace } from "../../pipeline/explain/upstream_trace.ts";
import { sideOfTrace } from "../../pipeline/explain/trace_side.ts";
import { carryOutFormats, decideGraph } from "../../pipeline/optimize.ts";
import { looksLikePlan, parsePlanDocument } from "../../pipeline/plan_document.ts";
import { auditRun } from "../../sim/audit/run/audit_run.ts";
import { looksLikeProfile } from "../../sim/audit/run/profiler_csv.ts";
import type { Timeline } from "../../sim/timeline/timeline.ts";
import { findDevice } from "../choose_device.ts";
import { EXIT, type ExitCode, type Invocation, type Options, UsageError } from "../command.ts";
import type { Host } from "../host.ts";
import { readThreshold } from "../option_values.ts";
import { loadForPolicies, simulatedAsWritten } from "../load_for_policies.ts";
import { optionsForPolicies, policyAtLevel, policyTools } from "../policy_options.ts";
import { printAnswer } from "../print_answer.ts";
import { baseName, createProgress, type Progress } from "../progress.ts";
import { lostOps, renderDiff, renderDiffMarkdown } from "../render/diff_table.ts";
import { type Explainable, explainCommand } from "../render/explain_command.ts";
import { renderRunAudit } from "../render/run_audit.ts";
import { topRows } from "../row_options.ts";
import { runAuditJson } from "./audit/run.ts";

export async function run({ host, positionals, options }: Invocation): Promise<ExitCode> {
  const progress = createProgress(host);
  const threshold = readThreshold(options.text("threshold"));
  const [fileA = "-", fileB = fileA] = positionals;
  const isOneFile = positionals.length === 1;
  if (isOneFile && !["policy-a", "policy-b", "device-a", "device-b"].some((name) => options.given(name))) {
    throw new UsageError(
      "Cannot compare one file with itself; name a second file, or --policy-a and --policy-b",
    );
  }
  const policies = { a: await policyOfSide(options, "a"), b: await policyOfSide(options, "b") };
  const policyOptions = optionsForPolicies(
    host,
    options,
    [policies.a, policies.b].filter((policy) => policy !== undefined),
  );
  const textA = await host.readText(fileA);
  const textB = isOneFile ? textA : await host.readText(fileB);
  const common = { host, options, policyOptions, progress };
  if (looksLikeProfile(textB) || /\.csv$/i.test(fileB)) {
    return await compareRun(
      { ...common, side: "a", file: fileA, text: textA, policy: policies.a },
      fileB,
      textB,
    );
  }
  const sideB: AskedSide = { ...common, side: "b", file: fileB, text: textB, policy: policies.b };
  const report = diffSides(
    await readSide({ ...common, side: "a", file: fileA, text: textA, policy: policies.a }),
    await readSide(sideB),
  );
  const explained = explainable(sideB);
  const findings = diffFindings(report, threshold);
  const top = topRows(options);
  printAnswer(
    { host, options },
    () => diffDocument(report, findings, [...new Set([fileA, fileB])], threshold, explained, top),
    (style) =>
      options.text("format") === "md"
        ? renderDiffMarkdown(report, top, explained)
        : renderDiff(report, style, top, explained),
  );
  const failing = options.texts("fail-on").flatMap((text) => text.split(","));
  if (failing.length > 0) return findings.some((found) => failing.includes(found)) ? EXIT.finding : EXIT.ok;
  if (findings.includes("unfit")) return EXIT.finding;
  return threshold === undefined
    ? report.changes.length === 0 ? EXIT.ok : EXIT.finding
    : findings.includes("worse")
    ? EXIT.finding
    : EXIT.ok;
}

/** One side of a comparison, as requested on the command line. */
interface AskedSide {
  readonly host: Host;
  readonly options: Options;
  readonly policyOptions: PolicyOptions;
  readonly progress: Progress;
  readonly side: "a" | "b";
  readonly file: string;
  readonly text: string;
  /** The policy; `undefined` for the layouts as written. */
  readonly policy: Policy | undefined;
}

/** Compares a measured run with the prediction for A. */
async function compareRun(asked: AskedSide, profile: string, csv: string): Promise<ExitCode> {
  const { host, options, file, text } = asked;
  if (options.given("policy-b") || options.given("device-b")) {
    throw new UsageError(`Cannot decide layouts or a device for ${profile}: it is a measured run`);
  }
  if (looksLikeTrace(text) || looksLikeProfile(text) || looksLikePlan(text)) {
    throw new UsageError(`Cannot predict a run from ${file}: give the .mlir file`);
  }
  const { timeline } = await simulateSide(asked);
  const audit = auditRun(timeline, await readProfile(host, profile, csv));
  const top = topRows(options);
  printAnswer(
    { host, options },
    () => runAuditJson(audit, [file, profile], top),
    (style) => renderRunAudit(audit, style, top),
  );
  const threshold = readThreshold(options.text("threshold"));
  const { pairedMeasuredUs, pairedPredictedUs, pairedBand } = audit;
  const isWorse = pairedMeasuredUs >
    (threshold === undefined ? pairedBand.upperUs : pairedPredictedUs * (1 + threshold));
  if (threshold !== undefined || options.given("fail-on")) return isWorse ? EXIT.finding : EXIT.ok;
  const isSame = audit.extra.length + audit.missing.length === 0 &&
    audit.ops.every(({ error }) => error === 0);
  return isSame ? EXIT.ok : EXIT.finding;
}

function diffDocument(
  report: DiffReport,
  findings: readonly DiffFinding[],
  input: readonly string[],
  threshold: number | undefined,
  explained: Explainable,
  top: number,
) {
  const { a, b } = report;
  const changes = report.changes.slice(0, top);
  const about = ({ ops: _, parts: __, ...side }: DiffSide) => side;
  const told = ({ readers: _, ...op }: DiffOp) => op;
  return {
    schema: "tilewright.diff/1",
    input,
    device: a.device === b.device ? a.device : null,
    summary: diffSummary(report, findings),
    threshold,
    lostSharding: lostOps(report).map(({ before, after }) => ({
      function: before.function,
      a: before.id,
      b: after?.id ?? null,
      name: before.name,
      location: before.location,
      layouts: { a: before.layouts, b: after?.layouts ?? [] },
      explain: after === undefined ? null : explainCommand(explained, after),
    })),
    a: about(a),
    b: about(b),
    changes: changes.map((change) => ({
      ...change,
      a: change.a && told(change.a),
      b: change.b && told(change.b),
      group: change.group && { a: change.group.a.map(told), b: change.group.b.map(told) },
    })),
  } as const;
}

/** The decision of a side, for `explain` commands; for a program as written, a policy's decision of it. */
function explainable({ side, file, text, policy, options }: AskedSide): Explainable {
  if (looksLikeTrace(text)) return { file, options: [] };
  if (looksLikePlan(text)) {
    const plan = parsePlanDocument(text, file);
    return { file: plan.input, options: ["--policy", plan.policy, "--device", plan.device] };
  }
  const device = options.text(`device-${side}`) ?? options.text("device");
  return {
    file,
    options: [
      ...policy === undefined || options.flag("keep-graph") ? ["--keep-graph"] : [],
      ...policy === undefined ? [] : ["--policy", policy.name],
      ...device === undefined ? [] : ["--device", device],
    ],
  };
}

async function policyOfSide(options: Options, side: "a" | "b"): Promise<Policy | undefined> {
  const name = options.text(`policy-${side}`);
  return name === undefined ? undefined : await policyAtLevel(options, name, true);
}

async function readSide(asked: AskedSide): Promise<DiffSide> {
  const { file, text, side, policy } = asked;
  if (looksLikeTrace(text)) return sideOfTrace(file, readTrace(text, file));
  if (looksLikePlan(text)) {
    if (policy !== undefined) {
      throw inputError(
        "diff/plan-with-policy",
        `Cannot optimize ${file}: it is a plan already; give the .mlir file or leave out --policy-${side}`,
      );
    }
    return sideOfDocument(file, parsePlanDocument(text, file));
  }
  const { label, graph, plan, timeline } = await simulateSide(asked);
  return sideOfTimeline(label, graph, plan, timeline);
}

/** A file for one side: as written, or decided with a policy. */
async function simulateSide(
  { host, options, policyOptions, file, text, side, policy, progress }: AskedSide,
): Promise<{ label: string; graph: Graph; plan: Plan | undefined; timeline: Timeline }> {
  const deviceName = options.text(`device-${side}`);
  const device = deviceName === undefined ? undefined : await findDevice(host, deviceName);
  const context = { host, options };
  const input = { file, text };
  if (policy === undefined) {
    return {
      label: file,
      plan: undefined,
      ...await simulatedAsWritten(context, input, policyOptions, device),
    };
  }
  const workbench = await loadForPolicies(context, input, policyOptions, device);
  const decided = carryOutFormats(workbench, policyOptions);
  progress.stage(`${baseName(file)}: ${policy.name} for ${workbench.device.name}`);
  const tools = policyTools(host, policyOptions, progress);
  const { workbench: { binding }, plan, timeline } = decideGraph(decided, policy, policyOptions, tools);
  return { label: `${file} (${policy.name})`, graph: binding.graph, plan, timeline };
}
