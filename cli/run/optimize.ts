// SPDX-License-Identifier: Apache-2.0
import { ANALYSIS_NAMES } from "../../lib/analysis/print_analysis.ts";
import { DiagnosticError } from "../../lib/diagnostics/diagnostic.ts";
import { parseModule } from "../../lib/ir/mod.ts";
import type { WorkerGrid } from "../../lib/layout/make_layout.ts";
import { isFaulty, type MemoryVerdict } from "../../lib/memory/memory_verdict.ts";
import type { CandidateFilter } from "../../lib/opmodel/candidate_filter.ts";
import { printOutputLayoutOverrides } from "../../lib/overrides/output_layout_override.ts";
import { planToJson } from "../../lib/plan/plan_json.ts";
import type { DecisionTrace } from "../../lib/propagation/decision_trace.ts";
import type { Workbench } from "../../pipeline/load.ts";
import { requireMachine } from "../../pipeline/mesh.ts";
import type { PlanDocument } from "../../pipeline/plan_document.ts";
import type { LoadedModule } from "../../pipeline/prepared_module.ts";
import { readModule } from "../../pipeline/read_module.ts";
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
import { type Host, isStandardOutput } from "../host.ts";
import { inputFile, loadInput, type LoadInputOptions, loadText, meshShapeOf } from "../load_input.ts";
import { printAnswer } from "../print_answer.ts";
import { baseName, createProgress, type Progress } from "../progress.ts";
import { pythonText } from "../python_text.ts";
import { readEmit, requireOneStandardOutput } from "../read_emit.ts";
import { plural } from "../render/format.ts";
import { planGroups, renderPlan, selectedRows, shownOps } from "../render/plan_table.ts";
import type { RowSelection } from "../render/row_selection.ts";
import { styleOf } from "../render/style.ts";
import { unpricedWarnings, verdictText, verdictWarnings } from "../render/verdict.ts";
import { type DeviceChoice, renderWhatIf } from "../render/what_if_table.ts";
import { readRowSelection, requireRowsInRange, rowsJson, selectsRows } from "../row_options.ts";
import { unusedAssumptionWarnings, unusedWeightWarnings } from "../run_assumptions.ts";
import { decide, type DecidedInput } from "./decide_input.ts";

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
  return names.length > 1
    ? await compareDevices(context, file, names, progress)
    : await optimizeOne(context, file, progress);
}

async function optimizeOne(context: CommandContext, file: string, progress: Progress): Promise<ExitCode> {
  const { host, options } = context;
  const emits = options.texts("emit").map((text) => readEmit(text, OPTIMIZE_EMITS));
  requireOneStandardOutput([
    ["--output", options.text("output")],
    ...emits.map(({ kind, path }) => [`--emit ${kind}`, path] as const),
  ]);
  const selection = readRowSelection(options);
  const { decided, isRefused } = await decideAsAsked(context, file, progress);
  const { document, optimized, traces } = decided;
  const { verdict } = document.summary;
  requireRowsInRange(options, shownOps(document).map(({ id }) => id));
  const { unpriced, assumptions } = optimized.timeline;
  host.stderr.write(
    verdictWarnings(verdict) + unpricedWarnings(unpriced) + unusedAssumptionWarnings(options, assumptions) +
      unusedWeightWarnings(options, optimized.text),
  );
  // First, before any output is written: ttnn's Python may lack an op.
  const python = emits.some(({ kind }) => kind === "ttnn-python")
    ? await pythonText(file, parseModule(decided.optimized.text, file), decided.workbench)
    : "";
  const output = options.text("output");
  // A plan that does not run is reported and never written, nor is its Python.
  const isFault = isFaulty(verdict) || isRefused;
  const unwritten = [output, ...emits.flatMap(({ kind, path }) => kind === "ttnn-python" ? [path] : [])]
    .filter((path) => path !== undefined);
  if (isFault && unwritten.length > 0) host.stderr.write(unwrittenText(unwritten, verdict, file));
  if (output !== undefined && !isFault) await host.writeText(output, optimized.text);
  if (traces.length > 0) await host.makeFolder(traceFolder(options));
  for (const { kind, path } of emits) {
    if (kind === "overrides") await host.writeText(path, await overridesText(host, document));
    else if (kind === "model-explorer") await host.writeText(path, await explorerText(file, decided));
    else if (!isFault) await host.writeText(path, python);
  }
  for (const trace of traces) await writeTrace(context, trace, decided.workbench.chip.workerGrid);
  const report = isStandardOutput(output) || emits.some(({ path }) => isStandardOutput(path))
    ? host.stderr
    : host.stdout;
  report.write(
    options.flag("json")
      ? selectsRows(options) ? selectedJson(document, selection) : `${planToJson(document)}\n`
      : renderPlan(document, styleOf(host, options, report), selection),
  );
  return isFault ? EXIT.finding : EXIT.ok;
}

/** Decides the input, by our op model or ttnn's (`--op-model ttnn`), and confirms the plan if asked (`--confirm`). */
async function decideAsAsked(
  context: CommandContext,
  file: string,
  progress: Progress,
): Promise<{ readonly decided: DecidedInput; readonly isRefused: boolean }> {
  const { host, options } = context;
  const decideWith = (
    filters: readonly CandidateFilter[],
    onLoaded?: (workbench: Workbench) => Promise<void>,
  ): Promise<DecidedInput> =>
    decide({
      context,
      file,
      progress,
      load: async (how) => {
        const loaded = await loadInput(context, file, { ...how, filters });
        await onLoaded?.(loaded);
        return loaded;
      },
    });
  // The code that queries the real backend is loaded on demand.
  const decideOnce = async (filters: readonly CandidateFilter[] = []): Promise<DecidedInput> => {
    if (options.text("op-model") !== "ttnn") return await decideWith(filters);
    const { decideByBackend }: typeof import("./confirm/decide_by_backend.ts") = await import(
      "./confirm/decide_by_backend.ts" satisfies string
    );
    return await decideByBackend(
      host,
      file,
      (asked, onLoaded) => decideWith([...filters, ...asked], onLoaded),
      progress,
    );
  };
  if (!options.flag("confirm")) return { decided: await decideOnce(), isRefused: false };
  const { decideConfirmed }: typeof import("./confirm/decide_confirmed.ts") = await import(
    "./confirm/decide_confirmed.ts" satisfies string
  );
  return await decideConfirmed(host, file, decideOnce, progress);
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
    throw new UsageError("Cannot write one file for several devices; leave out --output, or name one device");
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
      const { document, optimized, mesh } = await decide({ context, file, progress, load, device });
      choices.push({ document, mesh, parallel: dataParallel(optimized, mesh, device) });
    } catch (error) {
      const [reason] = error instanceof DiagnosticError ? error.diagnostics : [];
      if (reason?.code !== "device/mesh") throw error;
      misfits.push({ device: name, reason: reason.message });
      host.stderr.write(`warning: ${reason.message}\n`);
    }
  }
  printAnswer(
    context,
    () => whatIfDocument(file, choices, misfits),
    (style) => renderWhatIf(choices, misfits.map(({ device }) => device), style),
  );
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

function whatIfDocument(file: string, choices: readonly DeviceChoice[], misfits: readonly DeviceMisfit[]) {
  const [fastest] = choices.map(({ document }) => document)
    .sort((a, b) => a.summary.predictedUs - b.summary.predictedUs);
  const [busiest] = choices.toSorted((a, b) => b.parallel.perSecond - a.parallel.perSecond);
  return {
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
  } as const;
}

function traceFolder(options: Options): string {
  return options.text("decision-trace-dir") ?? ".";
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
  const { namedLayouts }: typeof import("../../pipeline/pins.ts") = await import(
    "../../pipeline/pins.ts" satisfies string
  );
  const { overrides, ambiguous, unnamed } = namedLayouts(ops);
  if (unnamed > 0) {
    host.stderr.once(`remark: ${plural(unnamed, "op")} without a name location cannot be overridden\n`);
  }
  if (ambiguous.length > 0) {
    host.stderr.once(`remark: ops of one location were decided differently: ${ambiguous.join(", ")}\n`);
  }
  return overrides.size === 0 ? "" : `override-output-layout=${printOutputLayoutOverrides(overrides)}\n`;
}

async function writeTrace(
  { host, options }: CommandContext,
  trace: DecisionTrace,
  workers: WorkerGrid,
): Promise<void> {
  // Loaded on demand: loading them takes longer than deciding a small graph.
  const { join } = await import("@std/path");
  const { upstreamTrace }: typeof import("../../pipeline/explain/upstream_trace.ts") = await import(
    "../../pipeline/explain/upstream_trace.ts" satisfies string
  );
  const path = join(traceFolder(options), `${trace.function}_decision_trace.json`);
  await host.writeText(path, `${JSON.stringify(upstreamTrace(trace, workers), null, 2)}\n`);
  host.stderr.write(`${path}: decision trace\n`);
}

/** That a plan is in no file, why, and what to do. */
function unwrittenText(paths: readonly string[], verdict: MemoryVerdict, file: string): string {
  const names = paths.map((path) => isStandardOutput(path) ? "standard output" : path).join(" and ");
  const why = isFaulty(verdict) ? `the plan ${verdictText(verdict)}` : "ttnn refuses the plan";
  return `error: nothing is written to ${names}: ${why}; 'tilewright doctor ${file}' names the ops and what helps them\n`;
}
