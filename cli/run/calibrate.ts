// SPDX-License-Identifier: Apache-2.0
import { errorStatistics } from "../../sim/audit/statistics.ts";
import { calibrate } from "../../sim/calibrate/calibrate.ts";
import {
  bundledFiles,
  calibratedFiles,
  classErrors,
  ratioErrors,
} from "../../sim/calibrate/calibrated_files.ts";
import { crossValidate } from "../../sim/calibrate/cross_validation.ts";
import { CALIBRATION_TASKS } from "../../sim/calibrate/tasks.ts";
import { getMeasuredDevice } from "../../sim/microbenchmarks/measured_device.ts";
import { EXIT, type ExitCode, type Invocation, UsageError } from "../command.ts";
import { readData } from "./audit/read_data.ts";

/** Runs `calibrate`. */
export async function run({ host, options }: Invocation): Promise<ExitCode> {
  const folds = options.number("folds") ?? 5;
  if (!Number.isInteger(folds) || folds < 2) {
    throw new UsageError(`Option --folds takes a whole number from 2, not ${folds}`);
  }
  const seed = options.number("seed") ?? 1;
  const { models } = await readData(host, options.texts("data"));
  const heldOut = crossValidate(
    CALIBRATION_TASKS,
    models,
    getMeasuredDevice,
    { holdOut: "configuration", folds, seed },
    (fold) => host.stderr.write(`fit without fold ${fold + 1} of ${folds}\n`),
  );
  for (const group of [...new Set(models.map((row) => row.group))].sort()) {
    const errors = models.filter((row) => row.group === group).flatMap((row) => heldOut.get(row) ?? []);
    const mape = errorStatistics(errors)?.mape ?? 0;
    host.stderr.write(`${group}: ${errors.length} rows held back, mean error ${(mape * 100).toFixed(1)} %\n`);
  }
  const calibration = calibrate(CALIBRATION_TASKS, models, getMeasuredDevice, seed);
  for (const { task, values } of calibration.fits) {
    host.stdout.write(`${task.name}\n`);
    for (const [section, fitted] of Object.entries(values)) {
      for (const [name, value] of Object.entries(fitted)) {
        host.stdout.write(`  ${section}.${name} ${value}\n`);
      }
    }
  }
  const folder = options.text("output");
  if (folder !== undefined) {
    const errors = {
      accuracy: classErrors(models, heldOut, getMeasuredDevice),
      ratioAccuracy: ratioErrors(models, heldOut, getMeasuredDevice),
    };
    for (const entry of calibratedFiles(bundledFiles(), calibration, errors)) {
      await host.writeText(`${folder}/${entry.path}`, `${JSON.stringify(entry.file, null, 2)}\n`);
    }
  }
  return EXIT.ok;
}
