// SPDX-License-Identifier: Apache-2.0
import type { AccuracyClass, RowModel } from "../audit/row_model.ts";
import { ARCHITECTURE_FILES } from "../devices/architecture_files.ts";
import type { ConstantFile, DeviceConstant } from "../devices/constants.ts";
import { parseDeviceFile } from "../devices/device.ts";
import { type MeasuredDeviceLookup, MICROBENCHMARK_FILES } from "../microbenchmarks/measured_device.ts";
import type { Calibration } from "./calibrate.ts";

/** A file of constants and where it stands under `sim`. */
export interface ConstantFileEntry {
  readonly path: string;
  readonly file: ConstantFile<string>;
}

/** The bundled files that hold fitted constants. */
export function bundledFiles(): readonly ConstantFileEntry[] {
  const devices = Object.entries(ARCHITECTURE_FILES).map(([name, { constants }]): ConstantFileEntry => {
    const path = `devices/architecture/${name}.json`;
    return { path, file: parseDeviceFile(path, constants) };
  });
  const microbenchmarks = MICROBENCHMARK_FILES.map((file): ConstantFileEntry => ({
    path: `microbenchmarks/constants/${file.name}.json`,
    file,
  }));
  return [...devices, ...microbenchmarks];
}

/** Least rows from which a published error is taken. */
const LEAST_ROWS = 4;

/**
 * Mean absolute error per class of ops and architecture, from held-back rows: the mean over report groups, so that a
 * sweep of thousands of rows does not speak for everything. Classes with too few rows are left out.
 *
 * @param heldOut relative error of each row, predicted without it
 */
export function classErrors(
  rows: readonly RowModel[],
  heldOut: ReadonlyMap<RowModel, number>,
  devices: MeasuredDeviceLookup,
): Readonly<Record<string, Readonly<Partial<Record<AccuracyClass, number>>>>> {
  const groups = new Map<string, { architecture: string; accuracyClass: AccuracyClass; errors: number[] }>();
  for (const row of rows) {
    const error = heldOut.get(row);
    if (row.accuracyClass === undefined || error === undefined) continue;
    const { architecture } = devices(row.device);
    const key = `${architecture} ${row.accuracyClass} ${row.group}`;
    const group = groups.get(key);
    if (group === undefined) {
      groups.set(key, { architecture, accuracyClass: row.accuracyClass, errors: [Math.abs(error)] });
    } else {
      group.errors.push(Math.abs(error));
    }
  }
  const means = new Map<string, Map<AccuracyClass, number[]>>();
  for (const { architecture, accuracyClass, errors } of groups.values()) {
    if (errors.length < LEAST_ROWS) continue;
    const classes = means.get(architecture) ?? new Map<AccuracyClass, number[]>();
    means.set(architecture, classes);
    classes.set(accuracyClass, [...classes.get(accuracyClass) ?? [], mean(errors)]);
  }
  const result: Record<string, Partial<Record<AccuracyClass, number>>> = {};
  for (const [architecture, classes] of means) {
    const entry: Partial<Record<AccuracyClass, number>> = {};
    for (const [accuracyClass, values] of classes) entry[accuracyClass] = Number(mean(values).toFixed(3));
    result[architecture] = entry;
  }
  return result;
}

/**
 * The device files with fitted values and published errors. A value goes into the file of the task's device where that
 * file states the constant itself, else into its architecture's file.
 */
export function calibratedFiles(
  entries: readonly ConstantFileEntry[],
  calibration: Calibration,
  errors: Readonly<Record<string, Readonly<Partial<Record<AccuracyClass, number>>>>>,
): ConstantFileEntry[] {
  const states = (name: string | undefined, section: string, constant: string) =>
    entries.some(({ file }) => file.name === name && file.constants[section]?.[constant] !== undefined);
  return entries.map(({ path, file }) => {
    const constants: Record<string, Record<string, DeviceConstant>> = {};
    for (const [section, values] of Object.entries(file.constants)) constants[section] = { ...values };
    for (const { task, values } of calibration.fits) {
      for (const [section, fitted] of Object.entries(values)) {
        for (const [name, value] of Object.entries(fitted)) {
          const owner = states(task.device, section, name) ? task.device : task.architecture;
          const old = constants[section]?.[name];
          if (file.name !== owner || old === undefined) continue;
          constants[section] = {
            ...constants[section],
            [name]: { ...old, value, kind: "fitted", prior: old.prior ?? old.value },
          };
        }
      }
    }
    for (const [name, value] of Object.entries(errors[file.name] ?? {})) {
      const old = constants.accuracy?.[name];
      if (old === undefined || value === undefined) continue;
      const source = "mean absolute error on held-back rows (docs/accuracy.md)";
      constants.accuracy = {
        ...constants.accuracy,
        [name]: { value, unit: old.unit, source, kind: "measured" },
      };
    }
    return { path, file: { ...file, constants } };
  });
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
