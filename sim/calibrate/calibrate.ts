// SPDX-License-Identifier: Apache-2.0
import type { Architecture } from "../../lib/device/chip_description.ts";
import { type RowModel, withWorkerGrid } from "../audit/row_model.ts";
import type { ConstantValues } from "../devices/constants.ts";
import {
  type MeasuredDevice,
  type MeasuredDeviceLookup,
  withMeasuredConstants,
} from "../microbenchmarks/measured_device.ts";
import { fitParameters } from "./least_squares.ts";

/** A constant that a task fits, with the range in which it makes physical sense. */
export interface FittedConstant {
  readonly section: string;
  readonly name: string;
  readonly min: number;
  readonly max: number;
}

/** Constants that are fitted together on the groups that they affect. */
export interface CalibrationTask {
  readonly name: string;
  readonly architecture: Architecture;
  /** The only device whose rows count and whose file takes the values; all of the architecture when absent. */
  readonly device?: string;
  /** Report groups (see `RowModel.group`) and the most rows that each may bring. */
  readonly groups: Readonly<Record<string, number>>;
  readonly constants: readonly FittedConstant[];
}

/** Iterations after which a fit stops; ours converge in fewer. */
const MAX_ITERATIONS = 60;

/**
 * Fits a task's constants on rows; except those that no row depends on, which keep the value of their source.
 *
 * @param rows rows of any group and device; those of other tasks are ignored
 * @param seed decides which rows represent a group that has more than its share
 */
export function fitTask(
  task: CalibrationTask,
  rows: readonly RowModel[],
  devices: MeasuredDeviceLookup,
  seed: number,
): ConstantValues {
  const chosen = rowsOfTask(task, rows, devices, seed);
  const current = chosen[0] === undefined ? undefined : devices(chosen[0].device);
  if (current === undefined) return {};
  const parameterOf = ({ section, name, min, max }: FittedConstant) => {
    const constant = current.constants[section]?.[name];
    if (constant === undefined) throw new RangeError(`Cannot fit ${section}.${name}: it does not exist`);
    return { start: constant.prior ?? constant.value, min, max };
  };
  const residuals = (constants: readonly FittedConstant[], values: readonly number[]) => {
    const lookup = tunedDevices(devices, task, fittedValues(constants, values));
    return Float64Array.from(chosen, (row) => logError(row, lookup));
  };
  const showsUp = (constant: FittedConstant) => {
    const [least, most] = [constant.min, constant.max].map((value) => residuals([constant], [value]));
    return least?.some((error, row) => error !== most?.[row]) === true;
  };
  const told = task.constants.filter(showsUp);
  const fitted = fitParameters(told.map(parameterOf), (values) => residuals(told, values), MAX_ITERATIONS);
  return fittedValues(told, fitted);
}

/** Result of a calibration. */
export interface Calibration {
  readonly fits: readonly { readonly task: CalibrationTask; readonly values: ConstantValues }[];
  /** Bundled devices with the fitted constants. */
  readonly devices: MeasuredDeviceLookup;
}

/** Fits all tasks in order, each on top of the ones before, from the values that the constants' sources give. */
export function calibrate(
  tasks: readonly CalibrationTask[],
  rows: readonly RowModel[],
  devices: MeasuredDeviceLookup,
  seed: number,
): Calibration {
  let lookup = priorDevices(devices);
  const fits = tasks.map((task) => {
    const values = fitTask(task, rows, lookup, seed);
    lookup = tunedDevices(lookup, task, values);
    return { task, values };
  });
  return { fits, devices: lookup };
}

/** Devices that are changed, each once. */
function changedDevices(
  devices: MeasuredDeviceLookup,
  change: (device: MeasuredDevice, name: string) => MeasuredDevice,
): MeasuredDeviceLookup {
  const known = new Map<string, MeasuredDevice>();
  return (name) => known.getOrInsertComputed(name, () => change(devices(name), name));
}

/** Devices with the constants that a task fits replaced. */
function tunedDevices(
  devices: MeasuredDeviceLookup,
  task: Pick<CalibrationTask, "architecture" | "device">,
  values: ConstantValues,
): MeasuredDeviceLookup {
  return changedDevices(
    devices,
    (device, name) =>
      device.architecture === task.architecture && (task.device ?? name) === name
        ? withMeasuredConstants(device, values, "calibrate", "fitted")
        : device,
  );
}

/** Devices as their sources describe them, before any fit: every fitted constant back at its prior. */
export function priorDevices(devices: MeasuredDeviceLookup): MeasuredDeviceLookup {
  return changedDevices(devices, (device) => {
    const priors: Record<string, Record<string, number>> = {};
    for (const [section, constants] of Object.entries(device.constants)) {
      for (const [constant, { prior }] of Object.entries(constants)) {
        if (prior !== undefined) (priors[section] ??= {})[constant] = prior;
      }
    }
    return withMeasuredConstants(device, priors, "before calibration", "guess");
  });
}

/** Natural logarithm of predicted over measured. */
function logError(row: RowModel, devices: MeasuredDeviceLookup): number {
  const predicted = row.predict(withWorkerGrid(devices(row.device), row.workerGrid));
  return Math.log(Math.max(predicted, 1e-9) / row.measured);
}

/** Fitted values by section and name, to five digits. */
export function fittedValues(
  constants: readonly Pick<FittedConstant, "section" | "name">[],
  values: readonly number[],
): ConstantValues {
  const result: Record<string, Record<string, number>> = {};
  constants.forEach(({ section, name }, index) => {
    (result[section] ??= {})[name] = Number((values[index] ?? 0).toPrecision(5));
  });
  return result;
}

/** The rows of a task: of its architecture and groups, thinned to each group's share by hash. */
function rowsOfTask(
  task: CalibrationTask,
  rows: readonly RowModel[],
  devices: MeasuredDeviceLookup,
  seed: number,
): RowModel[] {
  return Object.entries(task.groups).flatMap(([group, share]) =>
    rows.filter((row) =>
      row.group === group && devices(row.device).architecture === task.architecture &&
      (task.device === undefined || task.device === row.device)
    )
      .map((row) => ({ row, order: hash(`${seed}/${row.configuration}`) }))
      .sort((a, b) => a.order - b.order)
      .slice(0, share)
      .map(({ row }) => row)
  );
}

/** FNV-1a, 32 bits: the same text gives the same number on every machine. */
export function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193) >>> 0;
  }
  return value;
}
