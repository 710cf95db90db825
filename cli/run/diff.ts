// SPDX-License-Identifier: Apache-2.0
import { DiagnosticError } from "../../lib/diagnostics/diagnostic.ts";
import { toJson } from "../../lib/plan/plan_json.ts";
import type { PolicyOptions } from "../../lib/policy/options.ts";
import type { Policy } from "../../lib/policy/policy.ts";
import { type DiffReport, diffSides } from "../../pipeline/diff.ts";
import { type DiffSide, sideOfDocument, sideOfTimeline } from "../../pipeline/diff_side.ts";
import { looksLikeTrace, readTrace } from "../../pipeline/explain/read_trace.ts";
import { sideOfTrace } from "../../pipeline/explain/trace_side.ts";
import { carryOutFormats, decidePlan } from "../../pipeline/optimize.ts";
import { parsePlanDocument } from "../../pipeline/plan_document.ts";
import { simulateGraph } from "../../sim/timeline/simulate.ts";
import { findDevice } from "../choose_device.ts";
import { EXIT, type ExitCode, type Invocation, type Options, UsageError } from "../command.ts";
import type { Host } from "../host.ts";
import { optionsForPolicies, policyAtLevel, policyTools, requireOverrides } from "../policy_options.ts";
import { loadText } from "../load_input.ts";
import { renderDiff, renderDiffMarkdown } from "../render/diff_table.ts";
import { styleOf } from "../render/style.ts";

/** Runs `diff`. */
export async function run({ host, positionals, options }: Invocation): Promise<ExitCode> {
  const threshold = readThreshold(options.text("threshold"));
  const [fileA = "-", fileB = fileA] = positionals;
  const isOneFile = positionals.length === 1;
  if (isOneFile && !["policy-a", "policy-b", "device-a", "device-b"].some((name) => options.given(name))) {
    throw new UsageError(
      "Cannot compare one file with itself; name a second file, or --policy-a and --policy-b",
    );
  }
  const policies = { a: policyOfSide(options, "a"), b: policyOfSide(options, "b") };
  const policyOptions = optionsForPolicies(
    host,
    options,
    [policies.a, policies.b].filter((policy) => policy !== undefined),
  );
  const textA = await host.readText(fileA);
  const textB = isOneFile ? textA : await host.readText(fileB);
  const report = diffSides(
    await readSide(host, options, policyOptions, fileA, textA, "a", policies.a),
    await readSide(host, options, policyOptions, fileB, textB, "b", policies.b),
  );
  if (options.flag("json")) {
    host.stdout.write(`${toJson(diffDocument(report, threshold))}\n`);
  } else if (options.text("format") === "md") {
    host.stdout.write(renderDiffMarkdown(report, options.number("top") ?? 20));
  } else {
    const style = styleOf(host, options);
    host.stdout.write(renderDiff(report, style, options.number("top") ?? 20, host.stdout.columns));
  }
  const { a, b } = report;
  if (b.memory?.status === "does_not_fit" && a.memory?.status !== "does_not_fit") return EXIT.finding;
  if (threshold === undefined) return report.changes.length === 0 ? EXIT.ok : EXIT.finding;
  const isClear = report.comparison !== undefined && report.comparison.verdict !== "too_close_to_call";
  return isClear && Math.abs(report.relativeDelta ?? 0) > threshold ? EXIT.finding : EXIT.ok;
}

/** What `--json` prints: the sides without the parts of their times, which their ops hold. */
function diffDocument(report: DiffReport, threshold: number | undefined) {
  const { comparison, ...rest } = report;
  const side = ({ parts: _, ...fields }: DiffSide) => fields;
  return {
    schema: "tilewright.diff/1",
    threshold,
    ...rest,
    a: side(report.a),
    b: side(report.b),
    verdict: comparison?.verdict,
    confidence: comparison?.confidence,
    deltaErrorUs: comparison?.errorUs,
  };
}

function policyOfSide(options: Options, side: "a" | "b"): Policy | undefined {
  const name = options.text(`policy-${side}`);
  return name === undefined ? undefined : policyAtLevel(options, name, true);
}

async function readSide(
  host: Host,
  options: Options,
  policyOptions: PolicyOptions,
  file: string,
  text: string,
  side: "a" | "b",
  policy: Policy | undefined,
): Promise<DiffSide> {
  if (looksLikeTrace(text)) return sideOfTrace(file, readTrace(text, file));
  if (/^\s*\{/.test(text)) {
    if (policy !== undefined) {
      throw new DiagnosticError([{
        code: "diff/plan-with-policy",
        severity: "error",
        message:
          `Cannot optimize ${file}: it is a plan already; give the .mlir file or leave --policy-${side} away`,
      }]);
    }
    return sideOfDocument(file, parsePlanDocument(text, file));
  }
  const deviceName = options.text(`device-${side}`);
  const device = deviceName === undefined ? undefined : await findDevice(host, deviceName);
  const workbench = await loadText(host, options, file, text, policyOptions, device);
  const { graph } = workbench.binding;
  const { tensorL1UsageCap } = policyOptions;
  if (policy === undefined) {
    const timeline = simulateGraph(graph, undefined, workbench, { tensorL1UsageCap });
    return sideOfTimeline(file, graph, undefined, timeline);
  }
  requireOverrides(host, graph, policyOptions);
  const decided = carryOutFormats(workbench, policyOptions);
  const plan = decidePlan(decided, policy, policyOptions, await policyTools(host, policyOptions));
  const timeline = simulateGraph(decided.binding.graph, plan, decided, { tensorL1UsageCap });
  return sideOfTimeline(`${file} (${policy.name})`, decided.binding.graph, plan, timeline);
}

/** `2%` or `0.02`, as a share. */
function readThreshold(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const match = /^(\d+(?:\.\d+)?)(%?)$/.exec(text.trim());
  if (match === null) {
    throw new UsageError(`Option --threshold needs a share such as 2% or 0.02, not '${text}'`);
  }
  return Number(match[1]) / (match[2] === "%" ? 100 : 1);
}
