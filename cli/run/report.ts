// SPDX-License-Identifier: Apache-2.0
import { readProfile } from "../read_profile.ts";
import config from "../../deno.json" with { type: "json" };
import { usableL1Bytes } from "../../lib/device/chip_description.ts";
import type { GraphFunction } from "../../lib/graph/graph.ts";
import { isOverridden } from "../../lib/overrides/overrides.ts";
import type { Plan } from "../../lib/plan/plan.ts";
import { identityPlan } from "../../lib/plan/steps.ts";
import type { PolicyOptions } from "../../lib/policy/options.ts";
import type { Policy } from "../../lib/policy/policy.ts";
import type { DecisionTrace } from "../../lib/propagation/decision_trace.ts";
import type { OpEvaluator } from "../../lib/search/op_evaluator.ts";
import { planQuestions } from "../../pipeline/explain/alternatives.ts";
import { gapReport, type KnownEvaluators } from "../../pipeline/explain/gap_report.ts";
import { viewsOf } from "../../pipeline/explain/views.ts";
import { type DiffSide, sideOfDocument, sideOfTimeline } from "../../pipeline/diff_side.ts";
import type { Workbench } from "../../pipeline/load.ts";
import { opRows } from "../../pipeline/op_rows.ts";
import { checkMemory } from "../../pipeline/check_memory.ts";
import { carryOutFormats, optimizeModule } from "../../pipeline/optimize.ts";
import { looksLikePlan, parsePlanDocument, planDocument, planSummary } from "../../pipeline/plan_document.ts";
import { spreadTensors } from "../../lib/dialect/local_shape.ts";
import {
  buildReport,
  type PlannedProgram,
  type PolicyResult,
  type ReportInput,
} from "../../pipeline/report/report.ts";
import { auditRun, type RunAudit } from "../../sim/audit/run/audit_run.ts";
import { advise } from "../../sim/timeline/advice.ts";
import { simulateGraph } from "../../sim/timeline/simulate.ts";
import type { Timeline } from "../../sim/timeline/timeline.ts";
import { POLICY_NAMES } from "../commands/policy_options.ts";
import {
  COMMAND_LINE,
  type CommandContext,
  EXIT,
  type ExitCode,
  type Invocation,
  type Options,
  UsageError,
} from "../command.ts";
import { isStandardOutput } from "../host.ts";
import { inputFile } from "../load_input.ts";
import { loadForPolicies, simulatedAsWritten } from "../load_for_policies.ts";
import { optionsForPolicies, policyAtLevel, policyTools } from "../policy_options.ts";
import { baseName, createProgress, type Progress } from "../progress.ts";
import { renderReportPage } from "../render/report/page.ts";

/** Name of the input's own layouts, beside the names of policies. */
const AS_WRITTEN = "as-written";

/** One variant of the program, decided and simulated. */
interface ReportVariant extends PolicyResult {
  /** Its graph: the one after passes, or the one as written. */
  readonly workbench: Workbench;
  readonly plan: Plan | undefined;
  readonly timeline: Timeline;
  readonly views: readonly DecisionTrace[];
  /** The evaluators of its policy by function, with the answers of op and cost model. */
  readonly evaluators: KnownEvaluators;
}

export async function run({ positionals, ...context }: Invocation): Promise<ExitCode> {
  const { host, options } = context;
  const file = inputFile(host, positionals);
  if (options.flag("as-written") && options.origin("policy") === COMMAND_LINE) {
    throw new UsageError(
      "Option --policy decides layouts, --as-written shows those of the file; give one of them " +
        "(--policies and --baseline name policies to compare with)",
    );
  }
  const progress = createProgress(host);
  if (options.flag("serve")) return await serve(context, file, progress);
  const found = await read(context, file, progress);
  const visualizer = options.text("visualizer");
  if (visualizer !== undefined) {
    const { writeVisualizer }: typeof import("./report_visualizer.ts") = await import(
      "./report_visualizer.ts" satisfies string
    );
    await writeVisualizer(host, visualizer, { input: baseName(file), ...found.subject });
    host.stderr.write(`${visualizer}: db.sqlite, perf\n`);
    if (!options.given("output")) return EXIT.ok;
  }
  const output = options.text("output") ?? "report.html";
  const page = await pageOf(context, file, progress, found);
  await host.writeText(output, page);
  if (!isStandardOutput(output)) host.stderr.write(`${output}: ${Math.ceil(page.length / 1024)} KiB\n`);
  return EXIT.ok;
}

/** Serves the page until the process is ended. */
async function serve(context: CommandContext, file: string, progress: Progress): Promise<ExitCode> {
  const { host, options } = context;
  if (host.servePage === undefined || file === "-") {
    throw new UsageError(
      "Option --serve shows a file of this machine, as it changes; it needs a file and a network",
    );
  }
  const other = baselineName(options);
  const files = [file, options.text("profile"), isPolicy(other) || other === AS_WRITTEN ? undefined : other];
  const { url, finished } = await host.servePage({
    port: options.number("port") ?? 0,
    files: files.filter((path) => path !== undefined),
    page: async () => {
      const page = await pageOf(context, file, progress, await read(context, file, progress));
      host.stderr.status("");
      return page;
    },
  });
  host.stderr.write(`${url} shows ${baseName(file)} as it changes; Ctrl+C ends it\n`);
  await finished;
  return EXIT.ok;
}

function isPolicy(name: string): boolean {
  return POLICY_NAMES.includes(name);
}

/** A file that was read, with its variants. */
interface DecidedFile {
  readonly policyOptions: PolicyOptions;
  readonly loaded: Workbench;
  /** The variant that the page is about. */
  readonly subject: ReportVariant;
  readonly decide: (name: string) => Promise<ReportVariant>;
}

/** Reads a file and decides the variant that its page is about. */
async function read(context: CommandContext, file: string, progress: Progress): Promise<DecidedFile> {
  const { host, options } = context;
  const subjectName = options.flag("as-written") ? AS_WRITTEN : options.text("policy") ?? "";
  const policies = [subjectName, ...comparedNames(options), baselineName(options)].filter(isPolicy)
    .map((name) => policyOf(options, name));
  const policyOptions = optionsForPolicies(host, options, await Promise.all(policies));
  progress.stage(`${baseName(file)}: reading`);
  const text = await host.readText(file);
  const loaded = await loadForPolicies(context, { file, text }, policyOptions);
  const formatted = carryOutFormats(loaded, policyOptions);
  const decide = createDecider(context, file, formatted, policyOptions, progress);
  return { policyOptions, loaded, subject: await decide(subjectName), decide };
}

async function pageOf(
  context: CommandContext,
  file: string,
  progress: Progress,
  { policyOptions, loaded, subject, decide }: DecidedFile,
): Promise<string> {
  const compared: ReportVariant[] = [];
  for (const name of [AS_WRITTEN, ...comparedNames(context.options)]) {
    if (name !== subject.policy) compared.push(await decide(name));
  }
  const other = baselineName(context.options);
  const baseline = other === AS_WRITTEN || isPolicy(other)
    ? baselineOf(await decide(other))
    : await readBaseline(context, other, policyOptions);
  progress.stage(`${baseName(file)}: drawing the page`);
  const page = await renderReportPage(buildReport({
    ...contentsOf(subject, loaded, policyOptions),
    input: baseName(file),
    policies: [subject, ...compared].map(({ policy, about, summary }) => ({ policy, about, summary })),
    baseline: baseline.side,
    other: baseline.program,
    subject: sideOf(subject),
    measured: await readRun(context, subject.timeline),
  }));
  return page;
}

function comparedNames(options: Options): readonly string[] {
  return (options.text("policies") ?? "").split(",").filter((name) => name !== "");
}

function baselineName(options: Options): string {
  return options.text("baseline") ?? "dram";
}

/** The report of the page's own variant, without other variants and without a measured run. */
function contentsOf(
  { policy, summary, workbench, plan, timeline, views, evaluators }: ReportVariant,
  loaded: Workbench,
  policyOptions: PolicyOptions,
): Omit<ReportInput, "input" | "policies" | "baseline" | "other" | "subject" | "measured"> {
  const { graph } = workbench.binding;
  return {
    version: config.version,
    policy,
    summary,
    advice: advise(graph, timeline, workbench),
    gap: plan === undefined || summary.certificate === undefined
      ? undefined
      : gapReport(workbench, plan, policyOptions, loaded, evaluators),
    graph,
    plan,
    timeline,
    rows: opRows(graph, plan, timeline),
    device: workbench.device,
    views,
    questions: plan === undefined ? undefined : planQuestions(workbench, graph, plan, policyOptions),
    mesh: workbench.mesh,
    spread: spreadTensors(workbench.module),
  };
}

/** The measured run of `--profile` beside the prediction. */
async function readRun({ host, options }: CommandContext, timeline: Timeline): Promise<RunAudit | undefined> {
  const profile = options.text("profile");
  if (profile === undefined) return undefined;
  return auditRun(timeline, await readProfile(host, profile));
}

/** Returns the variant of a policy's name, or of `as-written`; each is decided once. `formatted` has the overridden formats. */
function createDecider(
  { host, options }: CommandContext,
  file: string,
  formatted: Workbench,
  policyOptions: PolicyOptions,
  progress: Progress,
): (name: string) => Promise<ReportVariant> {
  const tools = policyTools(host, policyOptions, progress);
  const known = new Map<string, ReportVariant>();
  const decideOnce = async (name: string): Promise<ReportVariant> => {
    const found = known.get(name) ?? await decide(name);
    known.set(name, found);
    return found;
  };
  const decide = async (name: string): Promise<ReportVariant> => {
    if (name === AS_WRITTEN) return asWritten(formatted, policyOptions, await decideOnce("dram"));
    const policy = await policyOf(options, name);
    // Plans are compared with `dram` without overrides and freedoms.
    const isOther = policy.name === "dram" || policyOptions.free !== undefined ||
      isOverridden(policyOptions.overrides);
    const baseline = isOther ? undefined : (await decideOnce("dram")).timeline;
    progress.stage(`${baseName(file)}: ${policy.name}`);
    const traces: DecisionTrace[] = [];
    const evaluators = new Map<GraphFunction, OpEvaluator>();
    const optimized = optimizeModule(formatted, policy, policyOptions, {
      ...tools,
      baseline,
      decisionTrace: (trace) => void traces.push(trace),
      evaluated: (evaluator) => void evaluators.set(evaluator.fn, evaluator),
    });
    const { summary } = planDocument(optimized, {
      input: file,
      version: config.version,
      // The page is the same on every run, so it has no timestamp.
      wallMs: 0,
    });
    const { plan, timeline, workbench } = optimized;
    return {
      policy: policy.name,
      about: policy.summary,
      summary,
      workbench,
      plan,
      timeline,
      views: viewsOf(optimized, traces),
      evaluators,
    };
  };
  return decideOnce;
}

/**
 * The policy of a name at the optimization level of the options: at level 0 always `dram`.
 *
 * @throws {UsageError} if the user gave this policy by `--policy`, and the level rules it out
 */
function policyOf(options: Options, name: string): Promise<Policy> {
  return policyAtLevel(options, name, options.given("policy") && name === options.text("policy"));
}

/** The program with its own layouts; TTIR with those of its lowering. */
function asWritten(formatted: Workbench, options: PolicyOptions, baseline: ReportVariant): ReportVariant {
  const { workbench, timeline } = formatted.asWritten?.() ?? {
    workbench: formatted,
    timeline: simulateGraph(formatted.binding.graph, undefined, formatted, {
      tensorL1UsageCap: options.tensorL1UsageCap,
    }),
  };
  const { binding: { graph }, chip } = workbench;
  const memory = checkMemory(workbench, options.tensorL1UsageCap);
  const plan: Plan = {
    schema: "tilewright.plan/1",
    policy: AS_WRITTEN,
    device: chip.name,
    functions: graph.functions.map(identityPlan),
  };
  const l1BudgetBytes = usableL1Bytes(chip, options.tensorL1UsageCap, graph.constEvalL1Bytes);
  const program = { plan, timeline, memory, baseline: baseline.timeline, l1BudgetBytes };
  return {
    policy: AS_WRITTEN,
    about: "The layouts that the input has",
    summary: planSummary(program, opRows(graph, undefined, timeline)),
    workbench,
    plan: undefined,
    timeline,
    views: [],
    evaluators: new Map(),
  };
}

function sideOf({ policy, workbench, plan, timeline }: ReportVariant): DiffSide {
  return sideOfTimeline(policy, workbench.binding.graph, plan, timeline);
}

/** A plan that changes are listed against. */
interface ComparedPlan {
  readonly side: DiffSide;
  /** `undefined` for a plan, which is known by its rows alone. */
  readonly program: PlannedProgram | undefined;
}

function baselineOf(variant: ReportVariant): ComparedPlan {
  const { workbench: { binding: { graph } }, plan, timeline } = variant;
  return { side: sideOf(variant), program: { graph, plan, timeline } };
}

/** Another file, simulated as written as `diff` does, or a plan. */
async function readBaseline(
  context: CommandContext,
  path: string,
  policyOptions: PolicyOptions,
): Promise<ComparedPlan> {
  const text = await context.host.readText(path);
  if (looksLikePlan(text)) {
    return { side: sideOfDocument(path, parsePlanDocument(text, path)), program: undefined };
  }
  const { graph, timeline } = await simulatedAsWritten(context, { file: path, text }, policyOptions);
  return {
    side: sideOfTimeline(path, graph, undefined, timeline),
    program: { graph, plan: undefined, timeline },
  };
}
