// SPDX-License-Identifier: Apache-2.0
import type { GraphFunction } from "../../lib/graph/graph.ts";
import { freeOf } from "../../lib/policy/free.ts";
import { LAYOUT_LIMITS, type PolicyOptions, TENSOR_L1_USAGE_CAP } from "../../lib/policy/options.ts";
import type { Policy } from "../../lib/policy/policy.ts";
import type { PolicyOption } from "../../lib/policy/policy_option.ts";
import type { FunctionSearchLog } from "../../lib/policy/search_log.ts";
import { stepFacts } from "../../lib/policy/search_plan.ts";
import type { OpEvaluator } from "../../lib/search/op_evaluator.ts";
import { type GapReport, gapReport } from "../../pipeline/explain/gap_report.ts";
import type { DecidedGraph } from "../../pipeline/decided_graph.ts";
import { backendAdvice } from "../../pipeline/backend_advice.ts";
import { freeAdvice } from "../../pipeline/free_advice.ts";
import type { Workbench } from "../../pipeline/load.ts";
import { carryOutFormats, decideGraph, type DecisionTools } from "../../pipeline/optimize.ts";
import type { PlanGap } from "../../pipeline/plan_gap.ts";
import { type ExitCode, type Invocation, UsageError } from "../command.ts";
import type { Envelope } from "../json_output.ts";
import { inputFile } from "../load_input.ts";
import { loadForPolicies } from "../load_for_policies.ts";
import { chosenPolicy, optionsForPolicies, policyTools } from "../policy_options.ts";
import { printAnswer } from "../print_answer.ts";
import { baseName, createProgress, type Progress } from "../progress.ts";
import { renderGapReport, tellingRegions } from "../render/gap_table.ts";
import { renderSearch } from "../render/search_table.ts";
import type { Style } from "../render/style.ts";
import { topRows } from "../row_options.ts";

/** A file with the plan of a policy. */
interface DecidedText {
  readonly file: string;
  readonly policy: Policy;
  readonly policyOptions: PolicyOptions;
  readonly workbench: Workbench;
  /** The decided graph: after applying formats of overrides, and freedoms. */
  readonly decided: DecidedGraph;
  readonly progress: Progress;
}

/** Reads the input and decides its plan. */
async function decided(
  { host, options, positionals }: Invocation,
  further: readonly PolicyOption<unknown>[],
  told: Pick<DecisionTools, "evaluated" | "searchLog"> = {},
): Promise<DecidedText> {
  const file = inputFile(host, positionals);
  const policy = await chosenPolicy(options);
  const policyOptions = optionsForPolicies(host, options, [policy], further);
  const progress = createProgress(host);
  progress.stage(`${baseName(file)}: ${policy.name}`);
  const input = { file, text: await host.readText(file) };
  const workbench = await loadForPolicies({ host, options }, input, policyOptions);
  const found = decideGraph(
    carryOutFormats(workbench, policyOptions),
    policy,
    policyOptions,
    { ...policyTools(host, policyOptions, progress), ...told },
  );
  return { file, policy, policyOptions, workbench, decided: found, progress };
}

/** Prints the document of `--json`, or the text under a title. */
function print(
  invocation: Invocation,
  { file, policy, workbench: { device } }: DecidedText,
  document: (of: DocumentOf) => Envelope,
  text: (title: string, style: Style) => string,
): ExitCode {
  return printAnswer(
    invocation,
    () => document({ input: file, device: device.name, policy: policy.name }),
    (style) => text(`${file} on ${device.name}, policy ${policy.name}`, style),
  );
}

type DocumentOf = Readonly<Record<"input" | "device" | "policy", string>>;

/** Runs `explain --gap`: the breakdown of the time between a plan and its lower bound. */
export async function explainGap(invocation: Invocation): Promise<ExitCode> {
  const { options } = invocation;
  for (const name of ["op", "trace"]) {
    if (options.given(name)) throw new UsageError(`Cannot explain the gap of one op; leave out --${name}`);
  }
  const evaluators = new Map<GraphFunction, OpEvaluator>();
  const plan = await decided(invocation, [TENSOR_L1_USAGE_CAP, ...LAYOUT_LIMITS], {
    evaluated: (evaluator) => void evaluators.set(evaluator.fn, evaluator),
  });
  plan.progress.stage(`${baseName(plan.file)}: comparing with the optimum`);
  const { workbench, plan: layouts } = plan.decided;
  const report = gapReport(workbench, layouts, plan.policyOptions, plan.workbench, evaluators);
  const advice = freeAdvice(plan.decided, freeOf(plan.policy, plan.policyOptions));
  const unspelled = backendAdvice(plan.decided);
  const top = topRows(options);
  return print(
    invocation,
    plan,
    (of) => ({ ...gapDocument(report, of, top), advice, backendAdvice: unspelled }),
    (title, style) => renderGapReport({ report, advice, backendAdvice: unspelled }, title, style, top),
  );
}

/**
 * Runs `explain --search`: the effect of every step of the search on every function.
 *
 * @throws {UsageError} for a policy without such a search
 */
export async function explainSearch(invocation: Invocation): Promise<ExitCode> {
  for (const name of ["op", "trace", "gap"]) {
    if (invocation.options.given(name)) {
      throw new UsageError(`Cannot explain the search and --${name} at once; leave one out`);
    }
  }
  const logs: FunctionSearchLog[] = [];
  const plan = await decided(invocation, [TENSOR_L1_USAGE_CAP], { searchLog: (log) => void logs.push(log) });
  if (logs.length === 0 && plan.policy.tellsGap !== true) {
    throw new UsageError(
      `Cannot explain the search of ${plan.policy.name}: only auto and optimal search in steps`,
    );
  }
  return print(
    invocation,
    plan,
    (of) => searchDocument(logs, of),
    (title, style) => renderSearch(logs, title, style),
  );
}

/** The document of `--gap --json`: all regions, or the first rows of the table. */
function gapDocument(
  report: GapReport,
  { input, device, policy }: DocumentOf,
  top: number,
): Envelope & Omit<GapReport, keyof PlanGap | "predictedUs"> & { readonly policy: string } {
  const {
    predictedUs,
    lowerBoundUs,
    gap,
    certificate,
    configsSavedUs,
    uncheckedOps,
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
      ...(configsSavedUs === undefined ? {} : { configsSavedUs }),
      ...(uncheckedOps === undefined ? {} : { uncheckedOps }),
      ...(withOverrides === undefined ? {} : { withOverrides }),
      ...(freeLowerBoundUs === undefined ? {} : { freeLowerBoundUs, freeGap }),
    },
    policy,
    ...rest,
    regions: top === Infinity ? rest.regions : tellingRegions(report).slice(0, top),
  };
}

function searchDocument(
  logs: readonly FunctionSearchLog[],
  { input, device, policy }: DocumentOf,
): Envelope & { readonly policy: string; readonly functions: readonly unknown[] } {
  const steps = logs.flatMap((log) => log.steps);
  return {
    schema: "tilewright.search/1",
    input,
    device,
    summary: { functions: logs.length, workUs: steps.reduce((sum, { workUs = 0 }) => sum + workUs, 0) },
    policy,
    functions: logs.map((log) => ({
      ...log,
      steps: log.steps.map(({ step, runs, skipped, workUs, incumbentUs, savedUs, boundUs, raisedUs }) => {
        const { appliesTo, budget, adds } = stepFacts(step);
        return {
          step,
          runs,
          skipped,
          workUs,
          incumbentUs,
          savedUs,
          boundUs,
          raisedUs,
          appliesTo,
          budget,
          adds,
        };
      }),
    })),
  };
}
