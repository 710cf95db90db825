// SPDX-License-Identifier: Apache-2.0
import type { Params } from "../measured_ops/measured_op.ts";
import { readEntries } from "../measured_row.ts";
import { isRecord } from "../../../lib/diagnostics/diagnostic.ts";
import type { DeviceOp } from "../device_op.ts";
import { numberIn, recordIn, textIn } from "../measured_ops/texts.ts";
import type { NamedProfile } from "../profiles/audit_layers.ts";
import { excluded, type RowExclusion } from "../row_model.ts";
import { deviceOpIn } from "./profile_lines.ts";

/** A file of the schema `measured-ops/3`: device ops that were taken out of several profiles. */
export interface DeviceOpRows {
  /** The ops of each profile, in the order of the file. */
  readonly profiles: readonly NamedProfile[];
  /** Rows of published tables among them, in the schema of `measured-ops-2.json`. */
  readonly published: readonly Params[];
  /** Rows whose time is `null`, left out by name. */
  readonly exclusions: readonly RowExclusion[];
}

/**
 * µs between programs of a traced profile, for single rows, which do not show it: 0.55 to 0.70 in whole profiles
 * (published:ops-2, data of layers).
 */
const TRACED_GAP_US = 0.6;

/** Whether a file is of the schema `measured-ops/3`. */
export function isDeviceOpRows(json: unknown): json is { readonly rows: readonly unknown[] } {
  return isRecord(json) && Array.isArray(json.rows);
}

/**
 * Reads rows of device ops. An id is the name of a profile and the position of the op in it: `llama8b-decode-56`.
 *
 * @param file name to show in errors
 * @throws {DiagnosticError} if a row has no id, no device op or a tensor without a shape
 */
export function readDeviceOpRows(file: string, rows: readonly unknown[]): DeviceOpRows {
  const profiles = new Map<string, DeviceOp[]>();
  const published: Params[] = [];
  const exclusions: RowExclusion[] = [];
  readEntries(file, rows, "row", (row, fault) => {
    const id = textIn(row, "id");
    if (id === "") return fault('"id" must be a text');
    if (row.measuredUs === null) {
      const reason = `the value of ${id} is not in the row`;
      exclusions.push(excluded(textIn(row, "op"), textIn(row, "device"), reason));
    } else if (isRecord(row.params)) {
      published.push(publishedRow(row));
    } else {
      const [, name = id, order] = /^(.*)-(\d+)$/.exec(id) ?? [];
      const op = deviceOpIn({ ...row, extra_outputs: row.extraOutputs }, {
        chip: textIn(row, "deviceText", "device"),
        order: order === undefined ? undefined : Number(order),
        us: numberIn(row, "measuredUs"),
        gapUs: TRACED_GAP_US,
      });
      if (typeof op === "string") fault(op);
      else profiles.getOrInsertComputed(name, () => []).push(op);
    }
  });
  return { profiles: [...profiles].map(([name, ops]) => ({ name, ops })), published, exclusions };
}

/** A row of a published table in the words of `measured-ops-2.json`. */
function publishedRow(row: Params): Params {
  const params = recordIn(row, "params");
  return {
    ...row,
    group: textIn(params, "op"),
    chip: row.device,
    what: textIn(params, "desc"),
    measured: { value: row.measuredUs, unit: "us", quantity: row.quantity },
  };
}
