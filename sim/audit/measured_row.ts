// SPDX-License-Identifier: Apache-2.0
import { type DiagnosticError, inputErrors, isRecord } from "../../lib/diagnostics/diagnostic.ts";
import type { Params } from "./measured_ops/measured_op.ts";
import { recordIn, textIn } from "./measured_ops/texts.ts";

/** One published measurement. Fields that only some groups have stay as they are in the file. */
export interface MeasuredRow {
  /** Document or file with its revision. */
  readonly source: string;
  /** Bundled device, or a chip that is not modelled. */
  readonly device: string;
  /** As the source names it. */
  readonly op: string;
  /** Kind of measurement, which decides how the row becomes a question. */
  readonly group: string;
  /** Extents by name, for example `M`; `{}` when there are none. */
  readonly shapes: Params;
  /** As the source spells it, `""` when it does not say. */
  readonly dtype: string;
  /** Likewise, for example `HiFi2`. */
  readonly fidelity: string;
  /** Cores, for example `8x8` or `4 cores`, `""` when unknown. */
  readonly grid: string;
  /** By operand, for example `in0`; `{}` when there are none. */
  readonly layouts: Params;
  /** How the run was set up, for example `trace`; `{}` when there is nothing. */
  readonly config: Params;
  /** Values by name with their unit in it, for example `us` or `GBps`. */
  readonly measured: Params;
  /** The measured quantity: host wall time, device kernel duration, cycles. */
  readonly basis: string;
  /** `""` when the row is not suspect. */
  readonly quality: string;
}

/**
 * Reads a file of measurements.
 *
 * @param file name to show in errors
 * @param json what `JSON.parse` returned
 * @throws {DiagnosticError} if it is no array of rows with source, device, op, group and measured values
 */
export function parseMeasuredRows(file: string, json: unknown): MeasuredRow[] {
  if (!Array.isArray(json)) throw invalid(file, ["the file must hold one JSON array of rows"]);
  const faults: string[] = [];
  const rows = json.map((entry: unknown, index) => {
    const row = isRecord(entry) ? entry : {};
    for (const field of ["source", "device", "op", "group"]) {
      if (typeof row[field] !== "string") faults.push(`row ${index}: "${field}" must be a text`);
    }
    if (!isRecord(row.measured)) faults.push(`row ${index}: "measured" must be an object of numbers`);
    return {
      source: textIn(row, "source"),
      device: textIn(row, "device"),
      op: textIn(row, "op"),
      group: textIn(row, "group"),
      shapes: recordIn(row, "shapes"),
      dtype: textIn(row, "dtype"),
      fidelity: textIn(row, "fidelity"),
      grid: textIn(row, "grid"),
      layouts: recordIn(row, "layouts"),
      config: recordIn(row, "config"),
      measured: recordIn(row, "measured"),
      basis: textIn(row, "basis"),
      quality: textIn(row, "quality"),
    };
  });
  if (faults.length > 0) throw invalid(file, faults);
  return rows;
}

function invalid(file: string, faults: readonly string[]): DiagnosticError {
  return inputErrors("measurements/invalid", `Cannot read measurements ${file}`, faults);
}
