// SPDX-License-Identifier: Apache-2.0
import { predictRow } from "../audit/audit_cost_model.ts";
import type { RowModel } from "../audit/row_model.ts";
import type { MeasuredDeviceLookup } from "../microbenchmarks/measured_device.ts";
import { calibrate, type CalibrationTask, hash } from "./calibrate.ts";

/** Folds of the errors that device files publish. */
export const PUBLISHED_FOLDS = 5;

/** Rows that are held out together: all repeats of a configuration, or a whole published table. */
export type HoldOut = "configuration" | "table";

/** How to cross-validate. */
export interface CrossValidationOptions {
  readonly holdOut: HoldOut;
  readonly folds: number;
  readonly seed: number;
}

/** Fold of a row: decided by what is held back together, the same on every machine. */
export function foldOf(row: RowModel, { holdOut, folds, seed }: CrossValidationOptions): number {
  return hash(`${seed}#${row.group}#${holdOut === "table" ? row.table : row.configuration}`) % folds;
}

/**
 * Relative error of every row, predicted with constants that were fitted without the row's fold.
 *
 * @param progress called before each fold
 */
export function crossValidate(
  tasks: readonly CalibrationTask[],
  rows: readonly RowModel[],
  devices: MeasuredDeviceLookup,
  options: CrossValidationOptions,
  progress: (fold: number) => void = () => {},
): ReadonlyMap<RowModel, number> {
  const errors = new Map<RowModel, number>();
  for (let fold = 0; fold < options.folds; fold++) {
    progress(fold);
    const lookup = calibrate(
      tasks,
      rows.filter((row) => foldOf(row, options) !== fold),
      devices,
      options.seed,
    ).devices;
    for (const row of rows) {
      if (foldOf(row, options) === fold) errors.set(row, predictRow(row, lookup) / row.measured - 1);
    }
  }
  return errors;
}
