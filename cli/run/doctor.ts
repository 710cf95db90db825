// SPDX-License-Identifier: Apache-2.0
import { isFaulty } from "../../lib/memory/memory_verdict.ts";
import { chipDescription, type Device } from "../../sim/devices/device.ts";
import { getDevice } from "../../sim/devices/device_registry.ts";
import type { MemoryVerdict } from "../../lib/memory/memory_verdict.ts";
import { checkMemory } from "../../pipeline/check_memory.ts";
import { diagnose, type Diagnosis } from "../../pipeline/doctor/diagnosis.ts";
import { explainFailure } from "../../pipeline/doctor/explain_failure.ts";
import { type ClashSite, simulatedSites, siteOfFailure, siteOfOp } from "../../pipeline/doctor/locate.ts";
import { type Patient, patientsOf } from "../../pipeline/doctor/patient.ts";
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
import type { Host } from "../host.ts";
import { DOCTOR_OPTIONS } from "../commands/doctor.ts";
import { loadInput } from "../load_input.ts";
import { optionsOfCommand } from "../policy_options.ts";
import { baseName, createProgress } from "../progress.ts";
import { renderDoctor } from "../render/doctor_report.ts";
import { styleOf } from "../render/style.ts";
import { jsonOutput } from "../json_output.ts";

/** Sites that are examined when the simulation alone finds them. */
const SITES_EXAMINED = 3;

/** The examined part of a program. */
interface Examination {
  readonly device: Device;
  readonly verdict: MemoryVerdict | undefined;
  readonly diagnoses: readonly Diagnosis[];
  /** Number of further ops that do not fit and were not examined. */
  readonly hidden: number;
}

/** Without a program there is nothing to examine. */
const NOTHING_EXAMINED: Omit<Examination, "device"> = { verdict: undefined, diagnoses: [], hidden: 0 };

/** Runs `doctor`. */
export async function run({ host, positionals, options }: Invocation): Promise<ExitCode> {
  const [file] = positionals;
  const failures = await readFailures(host, options);
  if (file === undefined && failures === undefined) {
    throw new UsageError("Cannot run doctor without input: name a file, or give --log or --message");
  }
  const { device, verdict, diagnoses, hidden } = file === undefined
    ? { device: await deviceOfFailures({ host, options }, failures ?? []), ...NOTHING_EXAMINED }
    : await examine({ host, options }, file, failures);
  const chip = chipDescription(device);
  const messages = (failures ?? []).map((failure) => explainFailure(failure, chip));
  if (options.flag("json")) {
    host.stdout.write(
      jsonOutput({
        schema: "tilewright.doctor/1",
        input: file ?? null,
        device: device.name,
        summary: { verdict, messages: messages.length, examinedOps: diagnoses.length },
        messages,
        diagnoses,
        moreOps: hidden,
      }),
    );
  } else {
    const report = {
      input: file,
      device: device.name,
      messages,
      diagnoses,
      moreOps: hidden,
      verdict,
      logged: failures !== undefined,
    };
    const top = options.number("top") ?? 8;
    host.stdout.write(renderDoctor(report, styleOf(host, options), host.stdout.columns, top));
  }
  const isIll = messages.length > 0 || (verdict !== undefined && isFaulty(verdict));
  return isIll ? EXIT.finding : EXIT.ok;
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
): Promise<Examination> {
  const { host, options } = context;
  const progress = createProgress(host);
  progress.stage(`${baseName(file)}: reading`);
  const policyOptions = optionsOfCommand(options, DOCTOR_OPTIONS);
  const workbench = await loadInput(context, file, policyOptions);
  const { verdict } = checkMemory(workbench, policyOptions.tensorL1UsageCap);
  const sites = sitesOf(patientsOf(workbench, policyOptions), failures, options.number("op"));
  const examined = failures === undefined ? sites.slice(0, SITES_EXAMINED) : sites;
  const diagnoses = examined.map((site, index) => {
    progress.stage(
      `${baseName(file)}: trying remedies for op ${site.op}, ${index + 1} of ${examined.length}`,
    );
    return diagnose(site);
  });
  progress.done();
  return { device: workbench.device, verdict, diagnoses, hidden: sites.length - examined.length };
}

/** Failures in the log; `undefined` without a log. */
async function readFailures(
  host: Host,
  options: Options,
): Promise<readonly RuntimeFailure[] | undefined> {
  const path = options.text("log");
  const message = options.text("message");
  if (path === undefined && message === undefined) return undefined;
  const text = [path === undefined ? "" : await host.readText(path), message ?? ""].join("\n");
  const failures = readRuntimeLog(text);
  if (failures.length > 0) return failures;
  if (message !== undefined) {
    throw new UsageError(
      "Cannot find an L1 clash or a full bank in --message; give the whole line, with its addresses",
    );
  }
  return [];
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

/** A chip on which the cores and addresses of a log exist. */
function deviceOfLog(failures: readonly RuntimeFailure[]): Device {
  const wormhole = getDevice("n150");
  const { workerGrid, l1Size } = chipDescription(wormhole);
  const exceeds = failures.some((failure) =>
    failure.kind !== "bank_full" && (
      failure.cores.some(({ end }) => end.x >= workerGrid.columns || end.y >= workerGrid.rows) ||
      (failure.kind === "circular_buffer_clash" && failure.tensorAddress > l1Size)
    )
  );
  return exceeds ? getDevice("p150") : wormhole;
}
