// SPDX-License-Identifier: Apache-2.0
import { readEntries, requireTexts } from "../measured_row.ts";
import { isRecord } from "../../../lib/diagnostics/diagnostic.ts";
import { recordIn, textIn } from "./texts.ts";
import { excluded, type RowExclusion, type RowReading } from "../row_model.ts";

/** Parameters of a measurement by name, as the source spells them. */
export type Params = Readonly<Record<string, unknown>>;

/** One published measurement of an op, in the schema of `measured-ops-2.json`. */
export interface MeasuredOp {
  /** Unique in its file. */
  readonly id: string;
  /** Family of ops; names of parameters repeat within it. */
  readonly group: string;
  /** Chip, board or architecture; a machine as `machine: …`. */
  readonly chip: string;
  /** The measurement in a line. */
  readonly what: string;
  /** Parameters of the run as in the source; absent or `null` if not stated. */
  readonly params: Params;
  /** The number, its unit, and the kind of clock. */
  readonly measured: { readonly value: number; readonly unit: string; readonly quantity: string };
  /** Document, thread or file of the number. */
  readonly source: string;
  /** Remarks of the collectors. */
  readonly note: string;
}

/** Whether a value is a list whose first row has `params`, as in the schema of `measured-ops-2.json`. */
export function isMeasuredOps(json: unknown): json is readonly unknown[] {
  if (!Array.isArray(json)) return false;
  const first: unknown = json[0];
  return isRecord(first) && "params" in first;
}

/** A file of op measurements. */
export interface MeasuredOps {
  /** In the order of the file. */
  readonly rows: readonly MeasuredOp[];
  /** Rows whose measured value is `null`, left out by name. */
  readonly exclusions: readonly RowExclusion[];
}

/**
 * Reads a file of op measurements.
 *
 * @param file name to show in errors
 * @throws {DiagnosticError} if a row has no id, group, chip or parameters, or a measured value that is neither a
 * finite number nor `null`; it lists all such rows
 */
export function parseMeasuredOps(file: string, json: readonly unknown[]): MeasuredOps {
  const exclusions: RowExclusion[] = [];
  const rows = readEntries(file, json, "row", (row, fault): MeasuredOp[] => {
    requireTexts(row, ["id", "group", "chip"], fault);
    if (!isRecord(row.params)) fault('"params" must be an object');
    const [id, group, chip] = [textIn(row, "id"), textIn(row, "group"), textIn(row, "chip")];
    const measured = recordIn(row, "measured");
    const { value } = measured;
    if (value === null) {
      exclusions.push(excluded(group, chip, `the value of ${id} is not in the row`));
      return [];
    }
    if (typeof value !== "number" || !Number.isFinite(value)) {
      fault('"measured.value" must be a number');
      return [];
    }
    return [{
      id,
      group,
      chip,
      what: textIn(row, "what"),
      params: recordIn(row, "params"),
      measured: { value, unit: textIn(measured, "unit"), quantity: textIn(measured, "quantity") },
      source: sourceOf(row),
      note: textIn(row, "note"),
    }];
  });
  return { rows: rows.flat(), exclusions };
}

/** A measurement with its prediction on a device; rows of one source, which `table` may name otherwise, count as one table. */
export function modelledOp(
  { group, params, source }: MeasuredOp,
  device: string,
  model: Omit<RowReading, "configuration" | "table">,
  table: string = source,
): RowReading {
  return {
    device,
    configuration: `${group} ${device} ${JSON.stringify(params)}`,
    table: `${group} ${device} ${table}`,
    ...model,
  };
}

/** The source of a row, a text or a record of texts, as one line. */
function sourceOf(row: Params): string {
  const parts = recordIn(row, "source");
  return textIn(row, "source") || Object.keys(parts).map((name) => textIn(parts, name)).join(" ");
}
