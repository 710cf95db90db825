// SPDX-License-Identifier: Apache-2.0
import { ANALYSIS_NAMES } from "../../lib/analysis/print_analysis.ts";
import type { Mesh } from "../../lib/device/mesh.ts";
import { DiagnosticError } from "../../lib/diagnostics/diagnostic.ts";
import { getProfile } from "../../lib/dialect/ttnn_profile.ts";
import { parseModule } from "../../lib/ir/mod.ts";
import { isFaulty } from "../../lib/memory/memory_verdict.ts";
import type { OpModel } from "../../lib/opmodel/op_model.ts";
import type { CandidateFilter } from "../../lib/opmodel/candidate_filter.ts";
import { printOutputLayoutOverrides } from "../../lib/overrides/output_layout_override.ts";
import { planToJson } from "../../lib/plan/plan_json.ts";
import { LAYOUT_LIMITS, type PolicyOptions, TENSOR_L1_USAGE_CAP } from "../../lib/policy/options.ts";
import type { DecisionTrace } from "../../lib/propagation/decision_trace.ts";
import { decisionTraceV3 } from "../../lib/propagation/decision_trace_v3.ts";
import type { Workbench } from "../../pipeline/load.ts";
import { requireMachine } from "../../pipeline/mesh.ts";
import {
  carryOutFormats,
  type Optimized,
  optimizeModule,
  type OptimizeTools,
  spelledAs,
} from "../../pipeline/optimize.ts";
import { type PlanDocument, planDocument } from "../../pipeline/plan_document.ts";
import { comparedFreedom, decidedWith } from "../../pipeline/plan_gap.ts";
import type { LoadedModule } from "../../pipeline/prepared_module.ts";
import { readModule } from "../../pipeline/read_module.ts";
import type { Device } from "../../sim/devices/device.ts";
import { dataParallel } from "../../sim/timeline/data_parallel.ts";
import { findDevice } from "../choose_device.ts";
import {
  type CommandContext,
  EXIT,
  type ExitCode,
  type Invocation,
  type Options,
  UsageError,
} from "../command.ts";
import { OPTIMIZE_EMITS } from "../commands/shared_options.ts";
import { decidedGraph } from "../graph_options.ts";
import { type Host, isStandardOutput } from "../host.ts";
import { jsonOutput } from "../json_output.ts";
import { inputFile, loadInput, type LoadInputOptions, loadText, meshShapeOf } from "../load_input.ts";
import { chosenPolicy, optionsForPolicies, policyTools, requireOverrides } from "../policy_options.ts";
import { baseName, createProgress, type Progress } from "../progress.ts";
import { pythonTitle } from "../python_title.ts";
import { readEmit, requireOneStandardOutput } from "../read_emit.ts";
import { plural } from "../render/format.ts";
import { planGroups, renderPlan, selectedRows, shownOps } from "../render/plan_table.ts";
import type { RowSelection } from "../render/row_selection.ts";
import { styleOf } from "../render/style.ts";
import { unpricedWarnings, verdictText, verdictWarnings } from "../render/verdict.ts";
import { type DeviceChoice, renderWhatIf } from "../render/what_if_table.ts";
import { readRowSelection, requireRowsInRange, rowsJson, selectsRows } from "../row_options.ts";
import { unusedAssumptionWarnings } from "../run_assumptions.ts";
import config from "../../deno.json" with { type: "json" };

/**
 * Modules with more ops than this run a full garbage collection after parsing and after the search,
 * because V8 would otherwise let the heap grow fourfold. It takes 1 % of the time; with fewer ops the search
 * needs more memory than reading and writing.
 */
const COLLECTED_OPS = 10_000;

/** Options of what a decision prints or writes, and of what it starts from. */
const NOT_OF_ANALYSES = ["json", "csv", "output", "emit", "pin", "confirm", "gap"] as const;

export async function run({ positionals, ...context }: Invocation): Promise<ExitCode> {
  const { host, options } = context;
  const file = inputFile(host, positionals);
  const analysis = ANALYSIS_NAMES.find((name) => name === options.text("print-analysis"));
  if (analysis !== undefined) {
    const unread = NOT_OF_ANALYSES.find((name) => options.given(name));
    if (unread !== undefined) {
      throw new UsageError(
        `Cannot use --${unread} with --print-analysis, which prints text and decides nothing; leave out one of them`,
      );
    }
    const { analysisText }: typeof import("./print_analysis.ts") = await import(
      "./print_analysis.ts" satisfies string
    );
    host.stdout.write(await analysisText(context, file, analysis));
    return EXIT.ok;
  }
  const names = (options.text("device") ?? "").split(",").filter((name) => name !== "");
  const progress = createProgress(host);
  try {
    return names.length > 1
      ? await compareDevices(context, file, names, progress)
      : await optimizeOne(context, file, progress);
  } finally {
    progress.done();
  }
}

async function optimizeOne(context: CommandContext, file: string, progress: Progress): Promise<ExitCode> {
  const { host, options } = context;
  const emits = options.texts("emit").map((text) => readEmit(text, OPTIMIZE_EMITS));
  requireOneStandardOutput([
    ["--output", options.text("output")],
    ...emits.map(({ kind, path }) => [`--emit ${kind}`, path] as const),
  ]);
  const selection = readRowSelection(options);
  const decideOnce = async (filters: readonly CandidateFilter[] = []): Promise<DecidedInput> =>
    options.text("op-model") === "ttnn"
      ? await (await loadByBackend()).decideByBackend(
        host,
        file,
        (asked, onLoaded) => decideWith([...filters, ...asked], onLoaded),
        progress,
      )
      : await decideWith(filters);
  const decideWith = (
    filters: readonly CandidateFilter[],
    onLoaded?: (workbench: Workbench) => Promise<void>,
  ): Promise<DecidedInput> =>
    decide(context, file, async (how) => {
      const loaded = await loadInput(context, file, { ...how, filters });
      await onLoaded?.(loaded);
      return loaded;
    }, progress);
  const { decided, isRefused } = options.flag("confirm")
    ? await (await loadConfirmed()).decideConfirmed(host, file, decideOnce, progress)
    : { decided: await decideOnce(), isRefused: false };
  const { document, optimized, traces } = decided;
  progress.done();
  const { verdict } = document.summary;
  requireRowsInRange(options, shownOps(document).map(({ id }) => id));
  const { unpriced, assumptions } = optimized.timeline;
  host.stderr.write(
    verdictWarnings(verdict) + unpricedWarnings(unpriced) + unusedAssumptionWarnings(options, assumptions),
  );
  // First, before any output is written: ttnn's Python may lack an op.
  const python = emits.some(({ kind }) => kind === "ttnn-python") ? await pythonText(file, decided) : "";
  const output = options.text("output");
  // A plan that does not run is reported and never written.
  const isFault = isFaulty(verdict) || isRefused;
  if (output !== undefined && !isFault) await host.writeText(output, optimized.text);
  if (traces.length > 0) await host.makeFolder(traceFolder(options));
  for (const { kind, path } of emits) {
    if (kind === "overrides") await host.writeText(path, await overridesText(host, document));
    else if (kind === "model-explorer") await host.writeText(path, await explorerText(file, decided));
    else if (!isFault) await host.writeText(path, python);
  }
  for (const trace of traces) await writeTrace(context, trace);
  const report = isStandardOutput(output) || emits.some(({ path }) => isStandardOutput(path))
    ? host.stderr
    : host.stdout;
  report.write(
    options.flag("json")
      ? selectsRows(options) ? selectedJson(document, selection) : `${planToJson(document)}\n`
      : renderPlan(document, styleOf(host, options, report), report.columns, selection),
  );
  return isFault ? EXIT.finding : EXIT.ok;
}

function selectedJson(document: PlanDocument, selection: RowSelection): string {
  const { input, device, summary, policy } = document;
  const rows = selectedRows(document, selection);
  const groups = selection.groupBy === undefined ? undefined : planGroups(rows, selection.groupBy);
  const of = shownOps(document).length;
  return rowsJson({ input, device, summary: { policy, ...summary }, of }, rows, groups);
}

/** `--device a,b,c`: the same input decided for each, side by side. */
async function compareDevices(
  context: CommandContext,
  file: string,
  names: readonly string[],
  progress: Progress,
): Promise<ExitCode> {
  const { host, options } = context;
  if (options.flag("confirm")) throw new UsageError("Cannot confirm plans for several devices; name one");
  if (options.text("op-model") === "ttnn") {
    throw new UsageError("Cannot ask ttnn for several devices; name one");
  }
  if (options.given("output")) {
    throw new UsageError(
      "Cannot write one file for several devices; leave out --output, or name one device",
    );
  }
  const text = await host.readText(file);
  const { module } = readModule(text, file, options.text("module"));
  const meshShape = meshShapeOf(options, module);
  const load = (how: LoadInputOptions): Promise<LoadedModule> => loadText(context, { file, text }, how);
  const choices: DeviceChoice[] = [];
  const misfits: DeviceMisfit[] = [];
  for (const name of names) {
    const device = await findDevice(host, name);
    try {
      requireMachine(module, device, meshShape);
      const { document, optimized, mesh } = await decide(context, file, load, progress, device);
      choices.push({ document, mesh, parallel: dataParallel(optimized, mesh, device) });
    } catch (error) {
      const [reason] = error instanceof DiagnosticError ? error.diagnostics : [];
      if (reason?.code !== "device/mesh") throw error;
      misfits.push({ device: name, reason: reason.message });
      host.stderr.write(`warning: ${reason.message}\n`);
    }
  }
  progress.done();
  if (options.flag("json")) {
    host.stdout.write(whatIfJson(file, choices, misfits));
  } else {
    const lacking = misfits.map(({ device }) => device);
    host.stdout.write(renderWhatIf(choices, lacking, styleOf(host, options), host.stdout.columns));
  }
  return misfits.length === 0 &&
      choices.every(({ document }) => !isFaulty(document.summary.verdict))
    ? EXIT.ok
    : EXIT.finding;
}

/** A device that the input cannot run on. */
interface DeviceMisfit {
  readonly device: string;
  readonly reason: string;
}

function whatIfJson(
  file: string,
  choices: readonly DeviceChoice[],
  misfits: readonly DeviceMisfit[],
): string {
  const [fastest] = choices.map(({ document }) => document)
    .sort((a, b) => a.summary.predictedUs - b.summary.predictedUs);
  const [busiest] = choices.toSorted((a, b) => b.parallel.perSecond - a.parallel.perSecond);
  return jsonOutput({
    schema: "tilewright.what-if/1",
    input: file,
    device: null,
    summary: {
      fastest: fastest?.device,
      predictedUs: fastest?.summary.predictedUs,
      mostPerSecond: busiest?.document.device,
    },
    policy: fastest?.policy,
    devices: choices.map(({ document: { device, summary }, parallel }) => ({ device, summary, parallel })),
    misfits,
  });
}

/** A decided input with everything needed for its outputs. */
export interface DecidedInput {
  readonly document: PlanDocument;
  readonly optimized: Optimized;
  readonly traces: readonly DecisionTrace[];
  readonly opModel: OpModel;
  readonly policyOptions: PolicyOptions;
  /** Axes of the mesh that it runs on; `[]` for one chip. */
  readonly mesh: Mesh;
  readonly workbench: Pick<Workbench, "chip" | "mesh" | "device">;
}

/**
 * Decides an input for one device with the options of the command line, pins and lower bounds included.
 *
 * @param load reads and loads the input; taken as a function so that the text can be collected while deciding
 */
async function decide(
  context: CommandContext,
  file: string,
  load: (how: LoadInputOptions) => Promise<LoadedModule>,
  progress: Progress,
  device?: Device,
): Promise<DecidedInput> {
  const { host, options } = context;
  const policy = await chosenPolicy(options);
  const isBounded = options.flag("gap") && policy.tellsGap !== true;
  const policyOptions = optionsForPolicies(host, options, [policy], [
    TENSOR_L1_USAGE_CAP,
    ...isBounded ? LAYOUT_LIMITS : [],
  ]);
  const profileName = options.text("ttnn-profile");
  const profile = profileName === undefined ? undefined : getProfile(profileName);
  progress.stage(`${baseName(file)}: reading`);
  const workbench = await load({ ...policyOptions, ...decidedGraph(options), device });
  collectAfter(workbench, host);
  // Other chips may be shown for comparison, but no text is written that would not run on the chip that it
  // names.
  const otherwise = workbench.describedOtherwise;
  if (otherwise !== undefined && options.given("output")) throw new DiagnosticError([otherwise]);
  requireOverrides(host, workbench, policyOptions);
  // Pins name ops of the decided graph, so the graph changes of overrides come first.
  const subject = carryOutFormats(spelledAs(workbench, policyOptions, profile), policyOptions, profile);
  const pin = options.text("pin");
  const pinned = pin === undefined
    ? undefined
    : await (await loadKeptPins()).readPins(host, pin, subject, policy, policyOptions);
  const tools = policyTools(host, policyOptions);
  progress.stage(`${baseName(file)}: ${policy.name} for ${workbench.device.name}`);
  const started = host.now();
  const traces: DecisionTrace[] = [];
  const wantsTraces = options.flag("enable-decision-trace") || options.given("decision-trace-dir");
  const optimizeBy = (how: PolicyOptions, held: Pick<OptimizeTools, "pinned"> = {}): Optimized =>
    optimizeModule(subject, policy, how, {
      ...tools,
      ...held,
      onOp: progress.op,
      onDecided: () => collectAfterSearch(subject, host),
      ...(wantsTraces ? { decisionTrace: (trace: DecisionTrace) => void traces.push(trace) } : {}),
      profile,
    });
  const again = pinned?.keepWhole((held) => optimizeBy(policyOptions, held));
  // With less room than the plan was made for, only layouts are kept, if possible.
  const isWhole = again !== undefined && !isFaulty(again.memory.verdict);
  if (again !== undefined && !isWhole) {
    host.stderr.once(
      `remark: ${pin}: the plan ${verdictText(again.memory.verdict)} here; ` +
        `only its layouts are kept, as far as they are legal\n`,
    );
  }
  const held = isWhole ? policyOptions : pinned?.options ?? policyOptions;
  const optimized = isWhole ? again : optimizeBy(held);
  const wallMs = Math.round(host.now() - started);
  const isFreeBounded = optimized.isOverridden && options.flag("gap");
  if (isBounded || isFreeBounded) progress.stage(`${baseName(file)}: bounding the time`);
  const bounds = isBounded || isFreeBounded ? await loadBounds() : undefined;
  const freedom = comparedFreedom(optimized.plan);
  const document = planDocument(optimized, {
    input: file,
    version: config.version,
    wallMs,
    bound: isBounded
      ? bounds?.lowerBoundOf(optimized.workbench, decidedWith(optimized.plan, held), freedom)
      : undefined,
    freeBound: isFreeBounded
      ? bounds?.freeLowerBoundOf(workbench, decidedWith(optimized.plan, policyOptions), freedom)
      : undefined,
  });
  if (wantsTraces && traces.length === 0) {
    host.stderr.write(`remark: ${policy.name} searches without a decision trace; none is written\n`);
  }
  const { mesh, chip } = workbench;
  const about = { chip, mesh, device: workbench.device };
  const { opModel } = optimized.workbench.planning();
  return { document, optimized, traces, opModel, policyOptions, mesh, workbench: about };
}

/**
 * The code of lower bounds, which most runs do not need. Deno loads the module of a literal `import()` before
 * it starts; `satisfies` makes the name no literal.
 */
async function loadBounds(): Promise<typeof import("../../pipeline/lower_bound.ts")> {
  return await import("../../pipeline/lower_bound.ts" satisfies string);
}

/** The code that queries the real backend, loaded on demand like that of lower bounds. */
async function loadConfirmed(): Promise<typeof import("./confirm/decide_confirmed.ts")> {
  return await import("./confirm/decide_confirmed.ts" satisfies string);
}

/** Like {@linkcode loadConfirmed}. */
async function loadByBackend(): Promise<typeof import("./confirm/decide_by_backend.ts")> {
  return await import("./confirm/decide_by_backend.ts" satisfies string);
}

/** The code that keeps pinned plans, loaded on demand like that of lower bounds. */
async function loadKeptPins(): Promise<typeof import("./kept_pins.ts")> {
  return await import("./kept_pins.ts" satisfies string);
}

/** Likewise. */
async function loadPins(): Promise<typeof import("../../pipeline/pins.ts")> {
  return await import("../../pipeline/pins.ts" satisfies string);
}

/** Runs the garbage collector for a long module. */
function collectAfter({ module }: Workbench, host: Host): void {
  if (module.operations.length > COLLECTED_OPS) host.collectGarbage?.();
}

/**
 * Like {@linkcode collectAfter}, and drops the op model's answers to the search; the finished plan needs few
 * of them.
 */
function collectAfterSearch(workbench: Workbench, host: Host): void {
  if (workbench.module.operations.length <= COLLECTED_OPS) return;
  for (const { opModel, cost } of [workbench, workbench.planning()]) {
    opModel.forgetAnswers?.();
    cost.forgetAnswers?.();
  }
  collectAfter(workbench, host);
}

function traceFolder(options: Options): string {
  return options.text("decision-trace-dir") ?? ".";
}

/** The plan as a Python program. */
async function pythonText(
  file: string,
  { document: { device }, optimized: { text }, workbench }: DecidedInput,
): Promise<string> {
  const { pythonProgramOf }: typeof import("../../pipeline/python_program.ts") = await import(
    "../../pipeline/python_program.ts" satisfies string
  );
  const title = pythonTitle(file, device, config.version);
  return pythonProgramOf(parseModule(text, file), workbench, { title }).text;
}

/** The decided graph with alternative layouts, for Model Explorer. */
async function explorerText(
  file: string,
  { optimized: { graph, plan, timeline }, opModel, policyOptions }: DecidedInput,
): Promise<string> {
  const { tellOfferedLayouts }: typeof import("../../pipeline/offered_layouts.ts") = await import(
    "../../pipeline/offered_layouts.ts" satisfies string
  );
  const { modelExplorer }: typeof import("../../sim/export/model_explorer.ts") = await import(
    "../../sim/export/model_explorer.ts" satisfies string
  );
  const tell = tellOfferedLayouts(graph, opModel, policyOptions);
  return `${JSON.stringify(modelExplorer(graph, plan, timeline, baseName(file), tell))}\n`;
}

/** The plan as options to paste; remarks name the decisions that options cannot express. */
async function overridesText(host: Host, { ops }: PlanDocument): Promise<string> {
  const { namedLayouts } = await loadPins();
  const { overrides, ambiguous, unnamed } = namedLayouts(ops);
  if (unnamed > 0) {
    host.stderr.once(`remark: ${plural(unnamed, "op")} without a name location cannot be overridden\n`);
  }
  if (ambiguous.length > 0) {
    host.stderr.once(`remark: ops of one location were decided differently: ${ambiguous.join(", ")}\n`);
  }
  return overrides.size === 0 ? "" : `override-output-layout=${printOutputLayoutOverrides(overrides)}\n`;
}

async function writeTrace({ host, options }: CommandContext, trace: DecisionTrace): Promise<void> {
  // Loaded on demand: loading paths takes longer than deciding a small graph.
  const { join } = await import("@std/path");
  const path = join(traceFolder(options), `${trace.function}_decision_trace.json`);
  await host.writeText(path, `${JSON.stringify(decisionTraceV3(trace), null, 2)}\n`);
  host.stderr.write(`${path}: decision trace\n`);
}
