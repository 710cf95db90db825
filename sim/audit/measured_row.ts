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
  return readEntries(file, json, "row", (row, fault) => {
    requireTexts(row, ["source", "device", "op", "group"], fault);
    if (!isRecord(row.measured)) fault('"measured" must be an object of numbers');
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
}

/** Says what is wrong with an entry of a file. */
type EntryFault = (text: string) => void;

/** A fault for each of the fields that is no text. */
export function requireTexts(entry: Params, fields: readonly string[], fault: EntryFault): void {
  for (const field of fields) if (typeof entry[field] !== "string") fault(`"${field}" must be a text`);
}

/**
 * Reads the entries of a file of measurements; what is no object is read as one without fields.
 *
 * @param file name to show in errors
 * @param what an entry is called in them
 * @throws {DiagnosticError} that lists all faults
 */
export function readEntries<Made>(
  file: string,
  entries: readonly unknown[],
  what: string,
  read: (entry: Params, fault: EntryFault) => Made,
): Made[] {
  const faults: string[] = [];
  const made = entries.map((entry, index) =>
    read(isRecord(entry) ? entry : {}, (text) => faults.push(`${what} ${index}: ${text}`))
  );
  if (faults.length > 0) throw invalid(file, faults);
  return made;
}

function invalid(file: string, faults: readonly string[]): DiagnosticError {
  return inputErrors("measurements/invalid", `Cannot read measurements ${file}`, faults);
}
