// SPDX-License-Identifier: Apache-2.0
import { quantile, sum } from "../audit/statistics.ts";
import { measuredPairs } from "../audit/measured_pairs.ts";
import { type AccuracyClass, accuracyClassOf, type RowModel } from "../audit/row_model.ts";
import { type FittedRange, type FittedRanges, kindName } from "../cost/coverage.ts";
import { ARCHITECTURE_FILES } from "../devices/architecture_files.ts";
import type { ConstantFile, DeviceConstant } from "../devices/constants.ts";
import { parseDeviceFile } from "../devices/device.ts";
import { type MeasuredDeviceLookup, MICROBENCHMARK_FILES } from "../microbenchmarks/measured_device.ts";
import type { Calibration } from "./calibrate.ts";
import { PUBLISHED_FOLDS } from "./cross_validation.ts";

/** A file of constants with its path under `sim`. */
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

/** Published errors per architecture and class of ops. */
export type ClassErrors = Readonly<Record<string, Readonly<Partial<Record<AccuracyClass, number>>>>>;

/** Rows that one published table counts for at most: no sweep of thousands of rows speaks for everything. */
const TABLE_ROWS = 300;

/** Errors of rows: the larger of predicted over measured and its inverse, minus 1; rows of long tables weigh less. */
function weightedErrors(
  rows: readonly RowModel[],
  heldOut: ReadonlyMap<RowModel, number>,
): readonly { readonly row: RowModel; readonly value: number; readonly weight: number }[] {
  const known = rows.filter((row) => heldOut.has(row));
  const tables = Map.groupBy(known, ({ group, table }) => `${group} ${table}`);
  return known.map((row) => {
    const ratio = 1 + (heldOut.get(row) ?? 0);
    const length = tables.get(`${row.group} ${row.table}`)?.length ?? 1;
    const value = ratio > 0 ? Math.max(ratio, 1 / ratio) - 1 : Infinity;
    return { row, value, weight: Math.min(1, TABLE_ROWS / length) };
  });
}

/** Value that 68 of 100 of these, by weight, do not exceed: the half-width of the 68 % interval of errors. */
export function narrowHalfWidth(
  values: readonly { readonly value: number; readonly weight: number }[],
): number {
  const sorted = values.toSorted((a, b) => a.value - b.value);
  let left = 0.68 * sum(sorted.map(({ weight }) => weight));
  return sorted.find(({ weight }) => (left -= weight) <= 1e-9)?.value ?? 0;
}

/**
 * Error per class of ops and architecture: the half-width of the interval that holds 68 % of the rows that were held back.
 * Classes with too few rows are left out.
 *
 * @param heldOut relative error of each row, predicted without its published table
 */
export function classErrors(
  rows: readonly RowModel[],
  heldOut: ReadonlyMap<RowModel, number>,
  devices: MeasuredDeviceLookup,
): ClassErrors {
  return byClass(
    weightedErrors(rows, heldOut),
    devices,
    (values) => values.length < LEAST_ROWS ? undefined : narrowHalfWidth(values),
  );
}

/** Errors by architecture and class. @param errorOf the error of a class; `undefined` leaves it out */
function byClass<Error extends { readonly row: RowModel }>(
  errors: readonly Error[],
  devices: MeasuredDeviceLookup,
  errorOf: (ofClass: readonly Error[]) => number | undefined,
): ClassErrors {
  const result: Record<string, Partial<Record<AccuracyClass, number>>> = {};
  for (const [architecture, ofChip] of byArchitecture(errors, devices)) {
    const entry: Partial<Record<AccuracyClass, number>> = result[architecture] = {};
    for (const [name, ofClass] of Map.groupBy(ofChip, ({ row }) => accuracyClassOf(row))) {
      const error = name === undefined ? undefined : errorOf(ofClass);
      if (name !== undefined && error !== undefined) entry[name] = Number(error.toFixed(3));
    }
  }
  return result;
}

/** The common error of whole graphs, per architecture: what 68 % of language models predicted end to end do not exceed. */
export function graphErrors(
  rows: readonly RowModel[],
  heldOut: ReadonlyMap<RowModel, number>,
  devices: MeasuredDeviceLookup,
): Readonly<Record<string, number>> {
  const graphs = weightedErrors(rows, heldOut).filter(({ row }) => row.group === "e2e");
  return Object.fromEntries(
    [...byArchitecture(graphs, devices)].filter(([, values]) => values.length >= LEAST_ROWS)
      .map(([architecture, values]) => [architecture, Number(narrowHalfWidth(values).toFixed(3))]),
  );
}

function byArchitecture<Error extends { readonly row: RowModel }>(
  errors: readonly Error[],
  devices: MeasuredDeviceLookup,
): ReadonlyMap<string, readonly Error[]> {
  return Map.groupBy(errors, ({ row }) => devices(row.device).architecture);
}

/**
 * Error of the ratio of two predictions by class, from the pairs among the rows (`sim/audit/measured_pairs.ts`): the mean
 * absolute error of the normal distribution that has their median error, in the median report group. The mean itself was
 * rejected: a few pairs that an allocator or a fallback decides would widen the range of all others (with the median,
 * claims are right as often as they state, see docs/accuracy.md). Two kinds of pairs do not count: those predicted as equal, which no plan distinguishes, and
 * those far apart, whose order is beyond doubt and whose errors are larger.
 */
export function ratioErrors(
  rows: readonly RowModel[],
  heldOut: ReadonlyMap<RowModel, number>,
  devices: MeasuredDeviceLookup,
): ClassErrors {
  const errors = measuredPairs(rows).flatMap(({ a, b, measuredRatio }) => {
    const [errorA, errorB] = [heldOut.get(a), heldOut.get(b)];
    if (errorA === undefined || errorB === undefined) return [];
    const predictedRatio = a.measured * (1 + errorA) / (b.measured * (1 + errorB));
    const error = Math.abs(Math.log(predictedRatio / measuredRatio));
    const distance = Math.abs(Math.log(predictedRatio));
    return distance < EQUIVALENT || distance > IN_DOUBT || !Number.isFinite(error) ? [] : [{ row: a, error }];
  });
  return byClass(errors, devices, (ofClass) => {
    const groups = [...Map.groupBy(ofClass, ({ row }) => row.group).values()]
      .filter(({ length }) => length >= LEAST_ROWS)
      .map((own) => median(own.map(({ error }) => error)) * MEAN_OVER_MEDIAN);
    return groups.length === 0 ? undefined : median(groups);
  });
}

function median(values: readonly number[]): number {
  return quantile(values.toSorted((a, b) => a - b), 0.5);
}

/** Mean over median of the absolute value of a normal deviate. */
const MEAN_OVER_MEDIAN = 1.183;

/** Predictions that differ by less are of the same question. */
const EQUIVALENT = 1e-9;

/** Logarithm of a predicted ratio from which on an order is beyond doubt. */
const IN_DOUBT = 0.1;

/** Published errors: by file and class, and of whole graphs by file. */
interface PublishedErrors {
  readonly accuracy: ClassErrors;
  readonly ratioAccuracy: ClassErrors;
  readonly graphs: Readonly<Record<string, number>>;
}

/** WrittenConstants of a file that is being made, by section and name. */
type WrittenConstants = Record<string, Record<string, DeviceConstant>>;

/**
 * The device files with fitted values and published errors. A value goes into the file of the task's device where that
 * file states the constant itself, else into its architecture's file.
 */
export function calibratedFiles(
  entries: readonly ConstantFileEntry[],
  calibration: Calibration,
  errors: PublishedErrors,
): ConstantFileEntry[] {
  const states = (name: string | undefined, section: string, constant: string) =>
    entries.some(({ file }) => file.name === name && file.constants[section]?.[constant] !== undefined);
  return entries.map(({ path, file }) => {
    const constants: WrittenConstants = {};
    for (const [section, values] of Object.entries(file.constants)) constants[section] = { ...values };
    for (const { task, values } of calibration.fits) {
      setConstants(constants, values, (section, name, old, value) => {
        const owner = states(task.device, section, name) ? task.device : task.architecture;
        return file.name === owner
          ? { ...old, value, kind: "fitted", prior: old.prior ?? old.value }
          : undefined;
      });
    }
    for (const section of ["accuracy", "ratioAccuracy"] as const) {
      setConstants(constants, { [section]: errors[section][file.name] ?? {} }, measuredFrom(ERRORS[section]));
    }
    const common = errors.graphs[file.name];
    if (common !== undefined) {
      const source = "language models end to end, published tables held back";
      setConstants(constants, { graphAccuracy: { common } }, measuredFrom(source));
    }
    guessUnpaired(constants, file.name, errors);
    return { path, file: { ...file, constants } };
  });
}

const ERRORS = {
  accuracy: "half-width of the 68 % interval, published tables held back",
  ratioAccuracy: "error of the ratio of two held-back rows within 10 % of each other",
} as const;

/** Replaces constants that a file already states by those that `make` makes of them. */
function setConstants(
  constants: WrittenConstants,
  values: Readonly<Record<string, Readonly<Record<string, number | undefined>>>>,
  make: (section: string, name: string, old: DeviceConstant, value: number) => DeviceConstant | undefined,
): void {
  for (const [section, own] of Object.entries(values)) {
    for (const [name, value] of Object.entries(own)) {
      const old = constants[section]?.[name];
      const made = old === undefined || value === undefined ? undefined : make(section, name, old, value);
      if (made !== undefined) constants[section] = { ...constants[section], [name]: made };
    }
  }
}

function measuredFrom(what: string): Parameters<typeof setConstants>[2] {
  const source = `derived:audit, ${what}, ${PUBLISHED_FOLDS} folds`;
  return (_section, _name, { unit }, value) => ({ value, unit, source, kind: "measured" });
}

/** Errors of ratios without pairs: as if two predictions shared nothing of their error. */
function guessUnpaired(constants: WrittenConstants, name: string, errors: PublishedErrors): void {
  const [told, paired] = [errors.accuracy, errors.ratioAccuracy]
    .map((classes) => new Set(Object.keys(classes[name] ?? {})));
  setConstants(constants, {
    ratioAccuracy: Object.fromEntries(
      Object.entries(constants.accuracy ?? {}).map(([of, { value }]) => [of, value]),
    ),
  }, (_section, of, { kind, unit }, single) => {
    // Errors from pairs that no longer exist do not apply to these predictions.
    const isStale = told?.has(of) === true && paired?.has(of) !== true;
    if (kind !== "guess" && !isStale) return undefined;
    const source = "derived:audit, without pairs: as if two predictions shared nothing of their error";
    return { value: Number((single * Math.SQRT2).toFixed(3)), unit, source, kind: "guess" };
  });
}

/** File under `sim` of the ranges of the bundled devices. */
export const RANGES_FILE = "cost/fitted_ranges.json";

/** Rows of the class that are added to the rows of a kind, so that kinds with few rows get about the error of the class. */
const CLASS_ROWS = 10;

/**
 * Shortest and longest measured time of each kind of op, in µs rounded outwards, and the error of its rows over that of their
 * class, by architecture and name.
 *
 * @param heldOut relative error of each row, predicted without its published table
 */
export function fittedRanges(
  rows: readonly RowModel[],
  heldOut: ReadonlyMap<RowModel, number>,
  devices: MeasuredDeviceLookup,
): FittedRanges {
  const timed = weightedErrors(rows, heldOut).filter(({ row }) =>
    row.costClass !== undefined && row.placement !== undefined && row.unit !== "GB/s"
  );
  const classes = classErrors(rows, heldOut, devices);
  const named = <Value>(entries: Iterable<readonly [string, Value]>) =>
    Object.fromEntries([...entries].sort(([a], [b]) => a < b ? -1 : 1));
  return named([...byArchitecture(timed, devices)].map(([architecture, ofChip]) => {
    const kinds = Map.groupBy(
      ofChip,
      ({ row: { costClass, placement } }) =>
        costClass === undefined || placement === undefined ? "" : kindName(costClass, placement),
    );
    return [
      architecture,
      named([...kinds].map(([name, own]): [string, FittedRange] => {
        const times = own.map(({ row }) =>
          row.unit === "us" ? row.measured : row.measured / devices(row.device).clock.aiclk
        );
        const [first] = own;
        const accuracyClass = first === undefined ? undefined : accuracyClassOf(first.row);
        const ofClass = ofChip.filter(({ row }) => accuracyClassOf(row) === accuracyClass);
        const share = CLASS_ROWS / sum(ofClass.map(({ weight }) => weight));
        const error = narrowHalfWidth([
          ...own,
          ...ofClass.map(({ value, weight }) => ({ value, weight: weight * share })),
        ]);
        const published = accuracyClass === undefined ? undefined : classes[architecture]?.[accuracyClass];
        return [name, [
          Math.floor(Math.min(...times) * 100) / 100,
          Math.ceil(Math.max(...times) * 100) / 100,
          Number((published === undefined ? 1 : error / published).toFixed(2)),
        ]];
      })),
    ];
  }));
}
