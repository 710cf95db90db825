// SPDX-License-Identifier: Apache-2.0
import { identityPlan } from "../../lib/plan/steps.ts";
import { printOutputLayoutOverrides } from "../../lib/overrides/output_layout_override.ts";
import type { Policy } from "../../lib/policy/policy.ts";
import { policy as dramPolicy } from "../../lib/policy/policies/dram.ts";
import type { Workbench } from "../../pipeline/load.ts";
import { type OpRow, opRows } from "../../pipeline/op_rows.ts";
import { optimizeModule } from "../../pipeline/optimize.ts";
import { namedLayouts } from "../../pipeline/pins.ts";
import { DiagnosticError } from "../../lib/diagnostics/diagnostic.ts";
import { type Host, isStandardOutput } from "../host.ts";
import { formatCount } from "../render/format.ts";
import { verdictText } from "../render/verdict.ts";
import type { CoreRange } from "../../lib/layout/core_range.ts";
import { isFaulty, type MemoryVerdict } from "../../lib/memory/memory_verdict.ts";
import { chipDescription, type Device } from "../../sim/devices/device.ts";
import { getDevice } from "../../sim/devices/device_registry.ts";
import { checkMemory } from "../../pipeline/check_memory.ts";
import { diagnose, type Diagnosis } from "../../pipeline/doctor/diagnosis.ts";
import { explainFailure } from "../../pipeline/doctor/explain_failure.ts";
import { type ClashSite, simulatedSites, siteOfFailure, siteOfOp } from "../../pipeline/doctor/locate.ts";
import { type Patient, patientsOf } from "../../pipeline/doctor/patient.ts";
import { failedCheckOf } from "../../pipeline/doctor/failed_check.ts";
import { reportsNear } from "../../pipeline/doctor/known_reports/near_reports.ts";
import { type Suspect, suspectsOf } from "../../pipeline/doctor/suspects.ts";
import { readRuntimeLog, type RuntimeFailure } from "../../pipeline/doctor/runtime_log.ts";
import { findDevice } from "../choose_device.ts";
import {
  type CommandContext,
  EXIT,
  type ExitCode,
  type Invocation,
  type Options,
  UsageError,
} from "../command.ts";
import { DOCTOR_OPTIONS } from "../commands/doctor.ts";
import { loadInput } from "../load_input.ts";
import { optionsOfCommand } from "../policy_options.ts";
import { printAnswer } from "../print_answer.ts";
import { baseName, createProgress } from "../progress.ts";
import { shellQuoted } from "../render/explain_command.ts";
import { renderDoctor } from "../render/doctor_report.ts";
import { topRows } from "../row_options.ts";

/** Number of sites that are examined if the simulation alone finds them. */
const SITES_EXAMINED = 3;

/** Lines at the end of a log without a known failure in which one that was reported is looked for. */
const LINES_SEARCHED = 50;

/** The examined part of a program. */
interface Examination {
  readonly device: Device;
  readonly verdict: MemoryVerdict | undefined;
  readonly diagnoses: readonly Diagnosis[];
  /** Ops that messages without addresses in L1 may be about. */
  readonly suspects: readonly Suspect[];
  /** Number of further ops that do not fit and were not examined. */
  readonly hidden: number;
  /** The program; `undefined` without one. */
  readonly workbench: Workbench | undefined;
}

/** Without a program there is nothing to examine. */
const NOTHING_EXAMINED: Omit<Examination, "device"> = {
  verdict: undefined,
  diagnoses: [],
  suspects: [],
  hidden: 0,
  workbench: undefined,
};

export async function run({ host, positionals, options }: Invocation): Promise<ExitCode> {
  const [file] = positionals;
  const { text, failures } = await readFailures(host, options);
  if (file === undefined && failures === undefined) {
    throw new UsageError("Cannot run doctor without input: name a file, or give --log or --message");
  }
  if (options.given("apply") !== options.given("output") || options.given("apply") && file === undefined) {
    throw new UsageError(
      "Cannot apply a remedy without a file, its number and --output FILE: give all of them",
    );
  }
  const { device, verdict, diagnoses, suspects, hidden, workbench } = file === undefined
    ? await examineLog({ host, options }, failures ?? []) ??
      { device: await deviceOfFailures({ host, options }, failures ?? []), ...NOTHING_EXAMINED }
    : await examine({ host, options }, file, failures);
  if (workbench !== undefined && options.given("apply")) {
    return await applyRemedy({ host, options }, workbench, diagnoses);
  }
  const chip = chipDescription(device);
  const input = file ?? (workbench === undefined ? undefined : options.text("log"));
  const messages = (failures ?? []).map((failure) =>
    explainFailure(failure, chip, text, input === undefined ? undefined : { op: foundOp(failure, diagnoses) })
  );
  const top = topRows(options);
  const found = { messages, diagnoses, suspects, moreOps: hidden };
  printAnswer(
    { host, options },
    () => ({
      schema: "tilewright.doctor/1",
      input: input ?? null,
      device: device.name,
      summary: { verdict, messages: messages.length, examinedOps: diagnoses.length },
      ...found,
      diagnoses: diagnoses.map(({ remedies, ...diagnosis }) => ({
        ...diagnosis,
        remedies: remedies.slice(0, top),
      })),
    }),
    (style) => {
      const report = { input, device: device.name, ...found, verdict, logged: failures !== undefined };
      return renderDoctor(report, style, top);
    },
  );
  const isIll = messages.length > 0 || (verdict !== undefined && isFaulty(verdict));
  return isIll ? EXIT.finding : EXIT.ok;
}

/** The op of a failure that was found by its addresses; `undefined` if none was, or by a guess. */
function foundOp(failure: RuntimeFailure, diagnoses: readonly Diagnosis[]): string | undefined {
  return diagnoses.find(({ logged, confidence }) => logged === failure && confidence !== "guess")?.name;
}

/**
 * Examines the ops that a log itself prints, such as those that tt-mlir's runtime executes; `undefined` if it prints none
 * that can be read, or nothing is found at them.
 */
async function examineLog(
  context: CommandContext,
  failures: readonly RuntimeFailure[],
): Promise<Examination | undefined> {
  const { host, options } = context;
  const log = options.text("log");
  if (log === undefined || log === "-") return undefined;
  const text = await host.readText(log);
  if (!/"(?:ttnn|ttir)\.\w+"\(/.test(text)) return undefined;
  const device = options.given("device") ? undefined : deviceOfLog(failures);
  // Remarks on a text that does not help are dropped.
  const remarks: string[] = [];
  const quiet: Host = { ...host, stderr: { ...host.stderr, once: (remark) => void remarks.push(remark) } };
  try {
    const examined = await examine({ host: quiet, options }, log, failures, device);
    const isFound = examined.diagnoses.length > 0 ||
      examined.suspects.some(({ foundBy }) => foundBy !== "numbers");
    if (!isFound) return undefined;
    remarks.forEach((remark) => host.stderr.once(remark));
    return examined;
  } catch (error) {
    if (error instanceof DiagnosticError || error instanceof UsageError) return undefined;
    throw error;
  }
}

/** The device of the option, else one that matches the messages of the runtime. */
async function deviceOfFailures(
  { host, options }: CommandContext,
  failures: readonly RuntimeFailure[],
): Promise<Device> {
  const name = options.text("device");
  return name === undefined ? deviceOfLog(failures) : await findDevice(host, name);
}

/** Examines the ops of a file that do not fit, or that the messages are about. */
async function examine(
  context: CommandContext,
  file: string,
  failures: readonly RuntimeFailure[] | undefined,
  device?: Device,
): Promise<Examination> {
  const { host, options } = context;
  const progress = createProgress(host);
  progress.stage(`${baseName(file)}: reading`);
  const policyOptions = optionsOfCommand(options, DOCTOR_OPTIONS);
  const workbench = await loadInput(context, file, { ...policyOptions, device });
  const { verdict } = checkMemory(workbench, policyOptions.tensorL1UsageCap);
  const patients = patientsOf(workbench, policyOptions);
  const sites = sitesOf(patients, failures, options.number("op"));
  const examined = failures === undefined ? sites.slice(0, SITES_EXAMINED) : sites;
  const diagnoses = examined.map((site, index) => {
    progress.stage(
      `${baseName(file)}: trying remedies for op ${site.op}, ${index + 1} of ${examined.length}`,
    );
    return diagnose(site);
  });
  const suspects = (failures ?? [undefined]).flatMap((failure) =>
    suspectsOf(workbench, patients, verdict, failure)
  );
  const hidden = sites.length - examined.length;
  return { device: workbench.device, verdict, diagnoses, suspects, hidden, workbench };
}

/** Writes the program with one remedy, and prints the remedy as options of ttmlir-opt. */
async function applyRemedy(
  { host, options }: CommandContext,
  { toDecide: _, ...workbench }: Workbench,
  diagnoses: readonly Diagnosis[],
): Promise<ExitCode> {
  const number = options.number("apply") ?? 0;
  // Some ops have no remedy.
  const diagnosis = diagnoses.find(({ remedies }) => remedies.length >= number) ?? diagnoses[0];
  const remedy = diagnosis?.remedies[number - 1];
  if (diagnosis === undefined || remedy === undefined) {
    throw new UsageError(
      `Cannot apply remedy ${number}: ${
        diagnosis === undefined
          ? "no op lacks room; --op ID examines one"
          : `op ${diagnosis.op} has ${
            diagnosis.remedies.length === 0 ? "none" : formatCount(diagnosis.remedies.length)
          }`
      }`,
    );
  }
  const { graph } = workbench.binding;
  const functions = graph.functions.map((fn) =>
    fn.name === diagnosis.function ? remedy.plan() : identityPlan(fn)
  );
  const carriedOut: Policy = {
    ...dramPolicy,
    name: "doctor",
    decide: () => ({ schema: "tilewright.plan/1", policy: "doctor", device: workbench.chip.name, functions }),
  };
  const policyOptions = optionsOfCommand(options, DOCTOR_OPTIONS);
  const { text, plan, timeline, memory } = optimizeModule(workbench, carriedOut, policyOptions);
  const path = options.text("output") ?? "";
  await host.writeText(path, text);
  const changed = opRows(graph, plan, timeline).filter(({ before, after }) => before.join() !== after.join());
  const report = isStandardOutput(path) ? host.stderr : host.stdout;
  report.write(
    `op ${diagnosis.op}: ${remedy.description}\n${path}: ${verdictText(memory.verdict)}\n${
      asOptions(changed)
    }\n`,
  );
  return isFaulty(memory.verdict) ? EXIT.finding : EXIT.ok;
}

/** Changed layouts of results as options of ttmlir-opt, or why there are none. */
function asOptions(changed: readonly OpRow[]): string {
  const { overrides, ambiguous, unnamed } = namedLayouts(changed);
  if (overrides.size > 0) {
    return `--override-output-layout ${shellQuoted(printOutputLayoutOverrides(overrides))}`;
  }
  const why = ambiguous.length > 0
    ? `other ops have the name ${ambiguous.join(", ")} too`
    : unnamed > 0
    ? "they name ops by their locations, and the changed op has none"
    : "they fix results of ops that compute, and the remedy changes copies, configs or other ops";
  return `ttmlir-opt has no option for this: ${why}`;
}

/** The log and message, and the failures in them; `failures` are `undefined` without either. */
async function readFailures(
  host: Host,
  options: Options,
): Promise<{ readonly text: string; readonly failures: readonly RuntimeFailure[] | undefined }> {
  const path = options.text("log");
  const message = options.text("message");
  if (path === undefined && message === undefined) return { text: "", failures: undefined };
  const text = [path === undefined ? "" : await host.readText(path), message ?? ""].join("\n");
  const failures = readRuntimeLog(text);
  if (failures.length > 0) return { text, failures };
  // Of a log, the last line that a report is of.
  const check = message !== undefined
    ? failedCheckOf(message)
    : text.trimEnd().split("\n").slice(-LINES_SEARCHED).toReversed().map(failedCheckOf)
      .find((line) => line !== undefined && reportsNear(line, text).length > 0);
  if (check !== undefined) return { text, failures: [check] };
  if (message !== undefined) {
    throw new UsageError(
      "Cannot find an L1 clash, a full bank or a check that failed in --message; give the whole line, with its numbers",
    );
  }
  return { text, failures: [] };
}

function sitesOf(
  patients: readonly Patient[],
  failures: readonly RuntimeFailure[] | undefined,
  op: number | undefined,
): readonly ClashSite[] {
  if (op !== undefined) {
    const site = siteOfOp(patients, op, failures?.[0]);
    if (site === undefined) {
      throw new UsageError(
        `Cannot examine op ${op}: no function has an op with this id; 'tilewright simulate FILE' lists them`,
      );
    }
    return [site];
  }
  if (failures === undefined) return simulatedSites(patients);
  return failures.flatMap((failure) => siteOfFailure(patients, failure) ?? []);
}

/** The board of a log, by its cores, addresses, banks and limits; the first if several match. */
function deviceOfLog(failures: readonly RuntimeFailure[]): Device {
  const boards = LOGGED_BOARDS.map(getDevice);
  return boards.find((device) => failures.every((failure) => mayBeFrom(device, failure))) ??
    getDevice("n150");
}

const LOGGED_BOARDS = ["n150", "p150", "p150-13x10", "quasar"] as const;

function mayBeFrom(device: Device, failure: RuntimeFailure): boolean {
  const { workerGrid, l1Size, l1UnreservedBase, dramBanks, dramBankSize } = chipDescription(device);
  const hasCores = (cores: readonly CoreRange[]): boolean =>
    cores.every(({ end }) => end.x < workerGrid.columns && end.y < workerGrid.rows);
  switch (failure.kind) {
    case "circular_buffer_clash":
      return hasCores(failure.cores) && failure.tensorAddress <= l1Size;
    case "circular_buffers_too_large":
      return hasCores(failure.cores) && failure.l1Bytes === l1Size;
    case "bank_full":
      return failure.memory === "DRAM"
        // A bank may be harvested, and regions for traces and programs are cut off each.
        ? failure.bankSize === undefined
          ? failure.banks === dramBanks
          : failure.bankSize <= dramBankSize && failure.bankSize > dramBankSize / 2
        : (failure.banks ?? 0) <= workerGrid.rows * workerGrid.columns &&
          (failure.bankSize ?? 0) <= l1Size - l1UnreservedBase;
    case "failed_check":
      return true;
  }
}
