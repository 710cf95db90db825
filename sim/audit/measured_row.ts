// SPDX-License-Identifier: Apache-2.0
import { type DiagnosticError, inputErrors, isRecord } from "../../lib/diagnostics/diagnostic.ts";

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
  readonly shapes: Readonly<Record<string, unknown>>;
  /** As the source spells it, `""` when it does not say. */
  readonly dtype: string;
  /** Likewise, for example `HiFi2`. */
  readonly fidelity: string;
  /** Cores, for example `8x8` or `4 cores`, `""` when unknown. */
  readonly grid: string;
  /** By operand, for example `in0`; `{}` when there are none. */
  readonly layouts: Readonly<Record<string, unknown>>;
  /** How the run was set up, for example `trace`; `{}` when there is nothing. */
  readonly config: Readonly<Record<string, unknown>>;
  /** Values by name with their unit in it, for example `us` or `GBps`. */
  readonly measured: Readonly<Record<string, unknown>>;
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
      source: text(row.source),
      device: text(row.device),
      op: text(row.op),
      group: text(row.group),
      shapes: record(row.shapes),
      dtype: text(row.dtype),
      fidelity: text(row.fidelity),
      grid: text(row.grid),
      layouts: record(row.layouts),
      config: record(row.config),
      measured: record(row.measured),
      basis: text(row.basis),
      quality: text(row.quality),
    };
  });
  if (faults.length > 0) throw invalid(file, faults);
  return rows;
}

/** A finite number of a record, `undefined` when there is none. */
export function numberOf(record: Readonly<Record<string, unknown>>, name: string): number | undefined {
  const value = record[name];
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** A text of a record, `""` when there is none. */
export function textOf(record: Readonly<Record<string, unknown>>, name: string): string {
  return text(record[name]);
}

/** A tensor shape of a record, `undefined` when there is none. */
export function shapeOf(
  record: Readonly<Record<string, unknown>>,
  name: string,
): readonly number[] | undefined {
  const value = record[name];
  if (!Array.isArray(value)) return undefined;
  const extents = value.filter((extent): extent is number => typeof extent === "number");
  return extents.length === value.length ? extents : undefined;
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}

function invalid(file: string, faults: readonly string[]): DiagnosticError {
  return inputErrors("measurements/invalid", `Cannot read measurements ${file}`, faults);
}
