// SPDX-License-Identifier: Apache-2.0
import { readProfile } from "../read_profile.ts";
import config from "../../deno.json" with { type: "json" };
import type { MemoryVerdict } from "../../lib/memory/memory_verdict.ts";
import { countChanges } from "../../pipeline/graph_changes.ts";
import type { Workbench } from "../../pipeline/load.ts";
import { auditRun, type RunAudit } from "../../sim/audit/run/audit_run.ts";
import { measuredSlices } from "../../sim/audit/run/measured_slices.ts";
import type { MeasuredStep } from "../../sim/audit/run/profiler_csv.ts";
import { chromeTrace } from "../../sim/export/chrome_trace.ts";
import { modelExplorer } from "../../sim/export/model_explorer.ts";
import { perfCsv } from "../../sim/export/perf_csv.ts";
import { simulationDocument, stepDocument } from "../../sim/export/simulation_json.ts";
import { workers } from "../../sim/kernels/kernel.ts";
import { networkOf } from "../../sim/network/network.ts";
import { type Advice, advise } from "../../sim/timeline/advice.ts";
import { simulateGraph } from "../../sim/timeline/simulate.ts";
import { stepTraffic } from "../../sim/timeline/step_traffic.ts";
import type { Timeline } from "../../sim/timeline/timeline.ts";
import { didYouMean } from "../closest.ts";
import { EXIT, type ExitCode, type Invocation, type Options, UsageError } from "../command.ts";
import { SIMULATE_EMITS } from "../commands/shared_options.ts";
import { SIMULATE_OPTIONS } from "../commands/simulate.ts";
import { isStandardOutput } from "../host.ts";
import { inputFile, loadInput } from "../load_input.ts";
import { optionsOfCommand } from "../policy_options.ts";
import { baseName } from "../progress.ts";
import { pythonText } from "../python_text.ts";
import { readEmit, requireOneStandardOutput } from "../read_emit.ts";
import type { RowSelection } from "../render/row_selection.ts";
import { renderSimulation, shownFunctions, stepGroups } from "../render/simulation.ts";
import { renderStepDetail } from "../render/step_detail.ts";
import { selectSteps, shownSteps } from "../render/step_table.ts";
import { type Style, styleOf } from "../render/style.ts";
import { unpricedWarnings, verdictWarnings } from "../render/verdict.ts";
import { readRowSelection, requireRowsInRange, rowsJson, selectsRows } from "../row_options.ts";
import { unusedAssumptionWarnings } from "../run_assumptions.ts";
import { runAuditParts } from "./audit/run.ts";

export async function run({ host, positionals, options }: Invocation): Promise<ExitCode> {
  const file = inputFile(host, positionals);
  const emits = options.texts("emit").map((text) => readEmit(text, SIMULATE_EMITS));
  requireOneStandardOutput([
    ["--json", options.flag("json") ? "-" : undefined],
    ...emits.map(({ kind, path }) => [`--emit ${kind}`, path] as const),
  ]);
  const selection = readRowSelection(options);
  const { tensorL1UsageCap } = optionsOfCommand(options, SIMULATE_OPTIONS);
  const workbench = await loadInput({ host, options }, file, { tensorL1UsageCap });
  const { graph } = workbench.binding;
  const timeline = simulateGraph(graph, undefined, workbench, {
    ...(options.given("trace") ? { traced: options.flag("trace") } : {}),
    network: options.text("network") === "analytic" ? "analytic" : "flow",
    tensorL1UsageCap,
  });
  const functionName = chooseFunction(options, timeline);
  requireRowsInRange(options, shownFunctions(timeline, functionName).flatMap(shownSteps).map(({ op }) => op));
  const profile = options.text("profile");
  const measured = profile === undefined ? undefined : await readProfile(host, profile);
  const audit = measured === undefined ? undefined : auditRun(timeline, measured);
  const advice = options.flag("advice") ? advise(graph, timeline, workbench) : undefined;
  const detailOp = options.number("detail-op");
  const simulated = { file, workbench, timeline, advice, measured, audit, detailOp };
  // All are created before any is written: ttnn's Python may lack an op.
  const outputs: [path: string, text: string][] = [];
  for (const { kind, path } of emits) {
    outputs.push([
      path,
      kind === "ttnn-python"
        ? await pythonText(file, workbench.module, workbench)
        : emitText(kind, simulated),
    ]);
  }
  for (const [path, text] of outputs) await host.writeText(path, text);
  host.stderr.write(
    verdictWarnings(timeline.verdict) + unpricedWarnings(timeline.unpriced) +
      unusedAssumptionWarnings(options, timeline.assumptions),
  );
  if (options.flag("json")) {
    host.stdout.write(
      selectsRows(options) ? selectedJson(simulated, selection, functionName) : emitText("json", simulated),
    );
  } else if (!emits.some(({ path }) => isStandardOutput(path))) {
    host.stdout.write(reportText(simulated, selection, functionName, styleOf(host, options)));
  }
  return options.flag("strict") ? strictExit(timeline.verdict) : EXIT.ok;
}

/** The `--json` document of selected rows or of one function. */
function selectedJson(
  { file, timeline, workbench }: Simulated,
  selection: RowSelection,
  functionName: string | undefined,
): string {
  const functions = shownFunctions(timeline, functionName);
  const steps = functions.flatMap((fn) =>
    selectSteps(fn, selection).map((step) => ({ function: fn.name, step }))
  );
  const groups = selection.groupBy === undefined
    ? undefined
    : stepGroups(steps.map(({ step }) => step), selection.groupBy);
  const { summary } = simulationDocument(timeline, file, config.version, workbench.mesh);
  const rows = steps.map((row) => ({ function: row.function, ...stepDocument(row.step, workbench.mesh) }));
  const of = functions.flatMap(shownSteps).length;
  return rowsJson({ input: file, device: timeline.device, summary, of }, rows, groups);
}

/**
 * Exit code of `--strict`: a program that the backend refuses is unsupported input; one that does not fit, or
 * may not, is a finding.
 */
function strictExit({ status }: MemoryVerdict): ExitCode {
  if (status === "fits") return EXIT.ok;
  return status === "does_not_run" ? EXIT.badInput : EXIT.finding;
}

/** The table, or the op of `--detail-op` in detail. */
function reportText(
  simulated: Simulated,
  selection: RowSelection,
  functionName: string | undefined,
  style: Style,
): string {
  const { file, timeline, workbench, advice, audit, detailOp } = simulated;
  const detail = detailOf(timeline, detailOp);
  if (detail !== undefined) return `${detailText(detail, simulated, style)}\n`;
  return renderSimulation(timeline, style, {
    input: file,
    ...selection,
    advice,
    functionName,
    graphChanges: countChanges(workbench.graphChanges),
    workerCores: workers(workbench.device),
    measured: audit,
  });
}

/** A simulated input with everything needed for its outputs. */
interface Simulated {
  readonly file: string;
  readonly workbench: Workbench;
  readonly timeline: Timeline;
  /** `undefined` if not requested. */
  readonly advice: readonly Advice[] | undefined;
  /** The run of `--profile`, compared with the prediction. */
  readonly measured: readonly MeasuredStep[] | undefined;
  readonly audit: RunAudit | undefined;
  /** Op whose step is drawn packet by packet. */
  readonly detailOp: number | undefined;
}

function emitText(
  kind: Exclude<keyof typeof SIMULATE_EMITS, "ttnn-python">,
  { file, workbench, timeline, advice, measured, audit, detailOp }: Simulated,
): string {
  const tool = `tilewright ${config.version}`;
  switch (kind) {
    case "json":
      return `${
        JSON.stringify(
          {
            ...simulationDocument(timeline, file, config.version, workbench.mesh),
            ...(workbench.graphChanges.length === 0
              ? {}
              : { graphChanges: countChanges(workbench.graphChanges) }),
            advice,
            ...(audit === undefined ? {} : { measured: runAuditParts(audit) }),
          },
          null,
          2,
        )
      }\n`;
    case "perf-csv":
      return perfCsv(timeline, { tool, device: workbench.device });
    case "model-explorer":
      return `${
        JSON.stringify(modelExplorer(workbench.binding.graph, undefined, timeline, baseName(file)))
      }\n`;
    case "chrome-trace": {
      const detail = detailOf(timeline, detailOp);
      return JSON.stringify(chromeTrace(timeline, {
        tool,
        grid: workbench.chip.workerGrid,
        ...(detail === undefined ? {} : { detail }),
        ...(measured === undefined ? {} : { measured: measuredSlices(timeline, measured) }),
      }));
    }
  }
}

function detailText(
  { functionName, step: index }: StepPlace,
  { timeline, workbench: { binding, device } }: Simulated,
  style: Style,
): string {
  const fn = binding.graph.functions.find((candidate) => candidate.name === functionName);
  const simulated = timeline.functions.find((candidate) => candidate.name === functionName);
  const step = simulated?.steps[index];
  if (fn === undefined || simulated === undefined || step === undefined) {
    throw new RangeError(`Cannot show step ${index} of ${functionName}`);
  }
  const network = networkOf(device);
  const cost = stepTraffic(step, device);
  return renderStepDetail(
    {
      step,
      fn,
      region: simulated.l1Region,
      traffic: network === undefined || cost === undefined ? undefined : { network, cost },
      aiclk: device.clock.aiclk,
    },
    style,
  );
}

interface StepPlace {
  readonly functionName: string;
  readonly step: number;
}

/**
 * The step of an op in the first function of the inference that has it; `undefined` without `--detail-op`.
 *
 * @throws {UsageError} if none has it
 */
function detailOf(timeline: Timeline, op: number | undefined): StepPlace | undefined {
  if (op === undefined) return undefined;
  for (const fn of timeline.functions) {
    if (fn.role !== "inference") continue;
    const step = fn.steps.findIndex((candidate) => candidate.kind === "op" && candidate.id === op);
    if (step !== -1) return { functionName: fn.name, step };
  }
  throw new UsageError(`Cannot draw op ${op}: no function of the inference has an op with this id`);
}

function chooseFunction(options: Options, timeline: Timeline): string | undefined {
  const wanted = options.text("function")?.replace(/^@/, "");
  const names = timeline.functions.map((fn) => fn.name);
  if (wanted === undefined || names.includes(wanted)) return wanted;
  throw new UsageError(
    `Cannot show function '${wanted}'${
      didYouMean(
        wanted,
        names,
        `Functions: ${names.slice(0, 10).join(", ")}${names.length > 10 ? ", …" : ""}`,
      )
    }`,
  );
}
