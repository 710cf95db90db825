// SPDX-License-Identifier: Apache-2.0
import { COST_CLASSES } from "../../lib/ops/cost_class.ts";
import type { DeviceProgram } from "../../lib/programs/program.ts";
import type { PairedRun } from "../audit/run/pair_run.ts";
import type { AccuracyClass } from "../audit/row_model.ts";
import { type ErrorStatistics, errorStatistics, quantile } from "../audit/statistics.ts";
import { type ConstantValues, type DeviceConstant, mapValues } from "../devices/constants.ts";
import { type Device, type DeviceFile, withConstants } from "../devices/device.ts";
import { microsecondsOf } from "../kernels/kernel.ts";
import { priceOp } from "../kernels/price_program.ts";
import { type FittedConstant, fittedValues } from "./calibrate.ts";
import { narrowHalfWidth } from "./calibrated_files.ts";
import { fitParameters } from "./least_squares.ts";
import { CALIBRATION_TASKS } from "./tasks.ts";

/** Result of a fit to a user's own run. */
export interface RunFit {
  /** A device file that extends the device with the constants that changed. */
  readonly file: DeviceFile;
  /** Errors of the paired ops before, and with the file. */
  readonly before: ErrorStatistics;
  readonly after: ErrorStatistics;
}

/** Programs of one op and what they took. */
interface TimedPrograms {
  readonly accuracyClass: AccuracyClass;
  readonly programs: readonly DeviceProgram[];
  readonly us: number;
}

/** A constant that changes by less is left out of the file. */
const LEAST_CHANGE = 0.005;

/** Iterations after which the fit stops. */
const MAX_ITERATIONS = 30;

/**
 * Fits the constants that `calibrate` fits on ops to a run of one program on a device, within their ranges, starting from
 * the device's values. Constants that do not affect the run stay; gaps between ops count if the profile has them. The errors
 * that remain become the device's published errors by class, from which the bands of its predictions follow.
 *
 * @param device the device that the run was predicted with
 * @param name name of the new device
 * @param base bundled device that the file extends
 * @param source file of the run, for the constants' sources
 * @throws {RangeError} if no op is paired
 */
export function fitToRun(
  device: Device,
  { pairs }: PairedRun,
  { name, base, source }: { readonly name: string; readonly base: string; readonly source: string },
): RunFit {
  const runs = pairs.filter(({ measured }) => measured.us > 0)
    .map(({ measured, predicted }): TimedPrograms => ({
      accuracyClass: COST_CLASSES[predicted.step.costClass].accuracy,
      programs: predicted.step.estimate.programs,
      us: measured.us,
    }));
  const before = errorStatistics(errorsOn(runs, device));
  if (before === undefined) throw new RangeError("Cannot fit to a run without paired ops");
  const kernels = fitKernels(device, runs);
  const gaps = pairs.flatMap(({ measured: { gapUs } }) => gapUs ?? []).sort((a, b) => a - b);
  const errors = classErrors(runs, withConstants(device, kernels, "trial", "fitted"));
  const fitted = changed(device, {
    ...kernels,
    ...(errors === undefined ? {} : { accuracy: errors }),
    // Pauses of the host are not launches, so the median of the gaps is taken.
    ...(gaps.length === 0 ? {} : { dispatch: { tracedGap: Number(quantile(gaps, 0.5).toPrecision(4)) } }),
  });
  const file: DeviceFile = {
    schema: "tilewright.device/1",
    name,
    architecture: device.architecture,
    summary: `${base} fitted to ${source}`,
    extends: base,
    constants: describedConstants(device, fitted, source),
  };
  const after = errorStatistics(errorsOn(runs, withConstants(device, fitted, source, "fitted"))) ?? before;
  return { file, before, after };
}

/** The constants of kernels, fitted to the times of runs from the values that the device has. */
function fitKernels(device: Device, runs: readonly TimedPrograms[]): ConstantValues {
  const constants = kernelConstants(device);
  const valuesOf = (values: readonly number[]): ConstantValues => fittedValues(constants, values);
  const fitted = fitParameters(
    constants.map(({ section, name, min, max }) => {
      const start = device.constants[section]?.[name]?.value ?? min;
      return { start, min: Math.min(min, start), max: Math.max(max, start) };
    }),
    (values) => {
      const tuned = withConstants(device, valuesOf(values), "trial", "fitted");
      return Float64Array.from(
        runs,
        ({ programs, us }) => Math.log(Math.max(1e-6, timeOf(programs, tuned)) / us),
      );
    },
    MAX_ITERATIONS,
  );
  return valuesOf(fitted);
}

/** Constants of the device that `calibrate` fits on ops, each once, with the range of the last task. */
function kernelConstants(device: Device): readonly FittedConstant[] {
  const constants = CALIBRATION_TASKS.filter(({ architecture, groups }) =>
    architecture === device.architecture &&
    Object.keys(groups).some((group) => /^(gemm|op_profile|eltwise)/.test(group))
  ).flatMap((task) => task.constants)
    .filter(({ section, name }) => device.constants[section]?.[name] !== undefined);
  return [
    ...new Map(constants.map((constant) => [`${constant.section}.${constant.name}`, constant])).values(),
  ];
}

function timeOf(programs: readonly DeviceProgram[], device: Device): number {
  return microsecondsOf(device, priceOp({ status: "known", programs }, device).cycles);
}

function errorsOn(runs: readonly TimedPrograms[], device: Device): readonly number[] {
  return runs.map(({ programs, us }) => timeOf(programs, device) / us - 1);
}

/** Ops of a class from which its error on a run is taken. */
const LEAST_OPS = 4;

/** The least error that a run shows: repeats of one op differ by as much (published:ops-2, two chips of a board). */
const NOISE = 0.013;

/**
 * Half-widths of the 68 % interval of the errors that are left on a run, by class of ops, as `calibrate` publishes them;
 * `undefined` where no class has enough ops.
 */
function classErrors(
  runs: readonly TimedPrograms[],
  device: Device,
): Readonly<Record<string, number>> | undefined {
  const errors: Record<string, number> = {};
  for (const [accuracyClass, own] of Map.groupBy(runs, (run) => run.accuracyClass)) {
    if (own.length < LEAST_OPS) continue;
    const ratios = errorsOn(own, device).map((error) => 1 + error);
    const halfWidth = narrowHalfWidth(
      ratios.map((ratio) => ({ value: Math.max(ratio, 1 / ratio) - 1, weight: 1 })),
    );
    errors[accuracyClass] = Number(Math.min(1, Math.max(NOISE, halfWidth)).toFixed(3));
  }
  return Object.keys(errors).length === 0 ? undefined : errors;
}

/** The values that differ from the device's own. */
function changed(device: Device, values: ConstantValues): ConstantValues {
  const result: Record<string, Record<string, number>> = {};
  for (const [section, fitted] of Object.entries(values)) {
    for (const [name, value] of Object.entries(fitted)) {
      const old = device.constants[section]?.[name]?.value ?? 0;
      if (Math.abs(value - old) > LEAST_CHANGE * Math.abs(old)) (result[section] ??= {})[name] = value;
    }
  }
  return result;
}

/** Constants as a device file has them. */
function describedConstants(device: Device, values: ConstantValues, source: string): DeviceFile["constants"] {
  return mapValues(values, (own, section) =>
    mapValues(own, (value, name): DeviceConstant => {
      const { unit = "", value: prior = value } = device.constants[section]?.[name] ?? {};
      return { value, unit, source: `calibrate --profile ${source}`, kind: "fitted", prior };
    }));
}
