// SPDX-License-Identifier: Apache-2.0
import { type GapReport, gapReport } from "../../pipeline/explain/gap_report.ts";
import { carryOutFormats, decidePlan } from "../../pipeline/optimize.ts";
import type { PlanGap } from "../../pipeline/plan_gap.ts";
import { LAYOUT_LIMITS, TENSOR_L1_USAGE_CAP } from "../../lib/policy/options.ts";
import { EXIT, type ExitCode, type Options, UsageError } from "../command.ts";
import { decidedGraph } from "../graph_options.ts";
import type { Host } from "../host.ts";
import { type Envelope, jsonOutput } from "../json_output.ts";
import { inputFile, loadInput } from "../load_input.ts";
import { chosenPolicy, optionsForPolicies, policyTools, requireOverrides } from "../policy_options.ts";
import { baseName, createProgress } from "../progress.ts";
import { renderGapReport } from "../render/gap_table.ts";
import { styleOf } from "../render/style.ts";

/** Runs `explain --gap`: where the time between a plan and its lower bound goes. */
export async function explainGap(
  host: Host,
  options: Options,
  positionals: readonly string[],
): Promise<ExitCode> {
  for (const name of ["op", "trace"]) {
    if (options.given(name)) throw new UsageError(`Cannot explain the gap of one op; leave out --${name}`);
  }
  const file = inputFile(host, positionals);
  const policy = await chosenPolicy(options);
  const policyOptions = optionsForPolicies(host, options, [policy], [TENSOR_L1_USAGE_CAP, ...LAYOUT_LIMITS]);
  const progress = createProgress(host);
  progress.stage(`${baseName(file)}: ${policy.name}`);
  const workbench = await loadInput({ host, options }, file, { ...policyOptions, ...decidedGraph(options) });
  requireOverrides(host, workbench, policyOptions);
  const subject = carryOutFormats(workbench, policyOptions);
  const plan = decidePlan(subject, policy, policyOptions, {
    ...policyTools(host, policyOptions),
    onOp: progress.op,
  });
  progress.stage(`${baseName(file)}: comparing with the optimum`);
  const report = gapReport(subject, plan, policyOptions, workbench);
  progress.done();
  const top = options.number("top") ?? 6;
  const { device } = workbench;
  host.stdout.write(
    options.flag("json")
      ? jsonOutput(gapDocument(report, { input: file, device: device.name, policy: policy.name }))
      : renderGapReport(
        report,
        `${file} on ${device.name}, policy ${policy.name}`,
        styleOf(host, options),
        host.stdout.columns,
        top === 0 ? Infinity : top,
      ),
  );
  return EXIT.ok;
}

/** The document of `--json`. */
function gapDocument(
  report: GapReport,
  { input, device, policy }: Readonly<Record<"input" | "device" | "policy", string>>,
): Envelope & Omit<GapReport, keyof PlanGap | "predictedUs"> & { readonly policy: string } {
  const {
    predictedUs,
    lowerBoundUs,
    gap,
    certificate,
    withOverrides,
    freeLowerBoundUs,
    freeGap,
    ...rest
  } = report;
  return {
    schema: "tilewright.gap/1",
    input,
    device,
    summary: {
      predictedUs,
      lowerBoundUs,
      gap,
      certificate,
      ...(withOverrides === undefined ? {} : { withOverrides }),
      ...(freeLowerBoundUs === undefined ? {} : { freeLowerBoundUs, freeGap }),
    },
    policy,
    ...rest,
  };
}
