// SPDX-License-Identifier: Apache-2.0
import { type PredictedError, predictedError } from "../cost/coverage.ts";
import { microsecondsOf } from "../kernels/kernel.ts";
import type { MeasuredDeviceLookup } from "../microbenchmarks/measured_device.ts";
import { bandOf } from "../timeline/error_band.ts";
import type { RowModel } from "./row_model.ts";

/** The error that a prediction of a row is published with. */
export function errorOfRow(row: RowModel, predicted: number, devices: MeasuredDeviceLookup): PredictedError {
  const device = devices(row.device);
  const us = row.unit === "cycles" ? microsecondsOf(device, predicted) : predicted;
  return predictedError(device, row.costClass ?? "eltwise_unary", row.placement, us, row.byBackend === true);
}

/** How many measurements lie in the intervals that they are predicted with. */
export interface IntervalCoverage {
  /** Rows that are times of ops. */
  readonly rows: number;
  /** Share of them in the 68 % interval. */
  readonly narrow: number;
  /** Share of them in the 90 % interval. */
  readonly wide: number;
}

/**
 * Counts measurements inside of the intervals of their predictions; `null` without rows that are times of ops.
 *
 * @param predictedOf the time that a row is predicted with, for example by constants that were fitted without it
 */
export function intervalCoverage(
  rows: readonly RowModel[],
  devices: MeasuredDeviceLookup,
  predictedOf: (row: RowModel) => number | undefined,
): IntervalCoverage | null {
  let [count, narrow, wide] = [0, 0, 0];
  for (const row of rows) {
    const predicted = predictedOf(row);
    if (row.costClass === undefined || row.unit === "GB/s" || predicted === undefined) continue;
    const band = bandOf(predicted, errorOfRow(row, predicted, devices).relativeError);
    count++;
    if (row.measured >= band.lowerUs && row.measured <= band.upperUs) narrow++;
    if (row.measured >= band.lower90Us && row.measured <= band.upper90Us) wide++;
  }
  return count === 0 ? null : { rows: count, narrow: narrow / count, wide: wide / count };
}

/** Coverage of the rows whose first operand lies in one place, or of all (`all`). */
export interface IntervalReport {
  /** Which rows: all, or those whose first operand lies in this place. */
  readonly name: string;
  /** How many of them are predicted. */
  readonly rows: number;
  /** By the shipped constants. */
  readonly shipped: IntervalCoverage | null;
  /** By constants fitted without the rows' configurations; `null` if these were not fitted. */
  readonly configurations: IntervalCoverage | null;
  /** By constants fitted without the rows' tables; `null` if these were not fitted. */
  readonly tables: IntervalCoverage | null;
}

/** Places of first operands, by the names of reports. */
const PLACES: readonly (readonly [name: string, pattern: RegExp])[] = [
  ["all", /./],
  ["in DRAM", /^dram/],
  ["in interleaved L1", /^l1_interleaved/],
  ["in shards in L1", /^l1_sharded/],
];

/**
 * Coverage of all rows of which the place of the first operand is known, and of those of each place; places without
 * a row that is a time of an op are left out.
 *
 * @param shipped time of a row by the shipped constants
 * @param heldOut relative errors of rows that were held back
 */
export function intervalReports(
  rows: readonly RowModel[],
  devices: MeasuredDeviceLookup,
  shipped: (row: RowModel) => number | undefined,
  heldOut: Readonly<Partial<Record<"configurations" | "tables", ReadonlyMap<RowModel, number>>>>,
): readonly IntervalReport[] {
  return PLACES.flatMap(([name, pattern]): IntervalReport[] => {
    const own = rows.filter(({ placement }) => placement !== undefined && pattern.test(placement));
    const of = (errors: ReadonlyMap<RowModel, number> | undefined) =>
      errors === undefined ? null : intervalCoverage(own, devices, (row) => {
        const error = errors.get(row);
        return error === undefined ? undefined : row.measured * (1 + error);
      });
    const all = intervalCoverage(own, devices, shipped);
    return all === null ? [] : [{
      name,
      rows: all.rows,
      shipped: all,
      configurations: of(heldOut.configurations),
      tables: of(heldOut.tables),
    }];
  });
}
