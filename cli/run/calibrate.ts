// SPDX-License-Identifier: Apache-2.0
import { readProfile } from "../read_profile.ts";
import { pairRun, predictedSteps } from "../../sim/audit/run/pair_run.ts";
import { errorStatistics } from "../../sim/audit/statistics.ts";
import { calibrate, type Calibration } from "../../sim/calibrate/calibrate.ts";
import {
  bundledFiles,
  calibratedFiles,
  classErrors,
  fittedRanges,
  graphErrors,
  RANGES_FILE,
  ratioErrors,
} from "../../sim/calibrate/calibrated_files.ts";
import { crossValidate, PUBLISHED_FOLDS } from "../../sim/calibrate/cross_validation.ts";
import { fitToRun } from "../../sim/calibrate/fit_to_run.ts";
import { CALIBRATION_TASKS } from "../../sim/calibrate/tasks.ts";
import { DEVICE_NAMES } from "../../sim/devices/device_registry.ts";
import { getMeasuredDevice } from "../../sim/microbenchmarks/measured_device.ts";
import { simulateGraph } from "../../sim/timeline/simulate.ts";
import { EXIT, type ExitCode, type Invocation, UsageError } from "../command.ts";
import { loadInput } from "../load_input.ts";
import { printAnswer } from "../print_answer.ts";
import { formatPercent } from "../render/format.ts";
import { readData } from "./audit/read_data.ts";

export async function run(invocation: Invocation): Promise<ExitCode> {
  const { host, positionals, options } = invocation;
  if (options.text("profile") !== undefined) return await calibrateToRun(invocation);
  if (positionals.length > 0) {
    throw new UsageError(
      "Cannot fit to a model without its run: give --profile FILE, or --data FILE and no model",
    );
  }
  const folds = options.number("folds") ?? PUBLISHED_FOLDS;
  const seed = options.number("seed") ?? 1;
  const { models } = await readData(host, options.texts("data"));
  const heldOut = crossValidate(
    CALIBRATION_TASKS,
    models,
    getMeasuredDevice,
    { holdOut: "table", folds, seed },
    (fold) => host.stderr.write(`fit without fold ${fold + 1} of ${folds}\n`),
  );
  const groups = [...new Set(models.map((row) => row.group))].sort().map((group) => {
    const errors = models.filter((row) => row.group === group).flatMap((row) => heldOut.get(row) ?? []);
    return { group, rows: errors.length, meanError: errorStatistics(errors)?.mape ?? 0 };
  });
  for (const { group, rows, meanError } of groups) {
    host.stderr.write(`${group}: ${rows} rows held back, mean error ${formatPercent(meanError)}\n`);
  }
  const calibration = calibrate(CALIBRATION_TASKS, models, getMeasuredDevice, seed);
  printAnswer(
    invocation,
    () => ({
      schema: "tilewright.calibration/1",
      input: options.texts("data"),
      device: null,
      summary: { rows: models.length, fits: calibration.fits.length },
      groups,
      fits: calibration.fits.map(({ task, values }) => ({ name: task.name, constants: values })),
    }),
    () => fitsText(calibration),
  );
  const folder = options.text("output");
  if (folder !== undefined) {
    const errors = {
      accuracy: classErrors(models, heldOut, getMeasuredDevice),
      ratioAccuracy: ratioErrors(models, heldOut, getMeasuredDevice),
      graphs: graphErrors(models, heldOut, getMeasuredDevice),
    };
    for (const entry of calibratedFiles(bundledFiles(), calibration, errors)) {
      await host.writeText(`${folder}/${entry.path}`, `${JSON.stringify(entry.file, null, 2)}\n`);
    }
    const ranges = fittedRanges(models, heldOut, getMeasuredDevice);
    await host.writeText(`${folder}/${RANGES_FILE}`, `${JSON.stringify(ranges, null, 2)}\n`);
  }
  return EXIT.ok;
}

/** The fitted constants, task by task. */
function fitsText({ fits }: Calibration): string {
  return fits.map(({ task, values }) => {
    const lines = Object.entries(values).flatMap(([section, fitted]) =>
      Object.entries(fitted).map(([name, value]) => `  ${section}.${name} ${value}\n`)
    );
    return `${task.name}\n${lines.join("")}`;
  }).join("");
}

/** Fits a device to a run of a program. */
async function calibrateToRun({ host, positionals, options }: Invocation): Promise<ExitCode> {
  const [model] = positionals;
  const profile = options.text("profile") ?? "";
  if (model === undefined) {
    throw new UsageError("Cannot fit to a profile without its program: calibrate MODEL --profile FILE");
  }
  const workbench = await loadInput({ host, options }, model);
  const { device } = workbench;
  const timeline = simulateGraph(workbench.binding.graph, undefined, workbench);
  const run = pairRun(await readProfile(host, profile), predictedSteps(timeline));
  if (run.pairs.length === 0) {
    throw new UsageError(`Cannot fit to ${profile}: none of its ops is one of ${model}`);
  }
  const base = DEVICE_NAMES.includes(device.name) ? device.name : device.architecture;
  const source = profile.replace(/^.*[\\/]/, "");
  const { file, before, after } = fitToRun(device, run, { name: `${device.name}-fitted`, base, source });
  host.stderr.write(
    `${run.pairs.length} ops paired, ${run.extra.length} measured and ${run.missing.length} predicted ones alone; ` +
      `mean op error ${formatPercent(before.mape)} before, ${formatPercent(after.mape)} fitted\n`,
  );
  const text = `${JSON.stringify(file, null, 2)}\n`;
  const output = options.text("output");
  if (output === undefined) host.stdout.write(text);
  else await host.writeText(output, text);
  return EXIT.ok;
}
