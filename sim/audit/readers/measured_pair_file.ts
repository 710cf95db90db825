// SPDX-License-Identifier: Apache-2.0
import { readEntries } from "../measured_row.ts";
import { isRecord } from "../../../lib/diagnostics/diagnostic.ts";
import type { MeasuredPair } from "../measured_pairs.ts";
import type { MeasuredOp, Params } from "../measured_ops/measured_op.ts";
import { measuredOpRows, readsGroup } from "../measured_ops/measured_op_rows.ts";
import { textIn } from "../measured_ops/texts.ts";
import { type AuditRow, excluded, type RowExclusion, type RowModel } from "../row_model.ts";
import { auditRows } from "../rows.ts";

/** Rows of a file, and the explicit pairs among them: two settings of one op, each with its time. */
export interface MeasuredPairs {
  /** Pairs that the file names itself and of which both runs can be predicted, in the order of the file. */
  readonly pairs: readonly MeasuredPair[];
  /** Predictable rows, in file order: two for a row with two times; for pairs, equal runs of a family once. */
  readonly models: readonly RowModel[];
  /** The other rows in file order, or pairs by id. */
  readonly exclusions: readonly RowExclusion[];
}

/** Whether a file holds explicit pairs. */
export function isMeasuredPairs(json: unknown): json is { readonly pairs: readonly unknown[] } {
  return isRecord(json) && Array.isArray(json.pairs);
}

/**
 * Reads a file of pairs. A pair whose runs are no times of one op that the dialect has, or whose settings are only
 * described in words, is left out by its id.
 *
 * @param file name to show in errors
 * @throws {DiagnosticError} if a pair has no id, no op or not two runs
 */
export function readMeasuredPairs(file: string, json: readonly unknown[]): MeasuredPairs {
  const pairs: MeasuredPair[] = [];
  const exclusions: RowExclusion[] = [];
  const known = new Map<string, AuditRow>();
  readEntries(file, json, "pair", (pair, fault) => {
    const [id, family, chip] = [textIn(pair, "id"), textIn(pair, "family"), textIn(pair, "chip")];
    const { a, b } = pair;
    if (id === "" || textIn(pair, "op") === "" || !isRecord(a) || !isRecord(b)) {
      return fault('"id" and "op" must be texts, "a" and "b" objects');
    }
    const leaveOut = (reason: string): void => {
      exclusions.push(excluded(family, chip, `${id}: ${reason}`));
    };
    if (pair.unit !== "us") return leaveOut("not the time of one op in us");
    if (!isRecord(a.setting) || !isRecord(b.setting)) return leaveOut("the settings are described in words");
    const setting = unquoted(a.setting);
    const runs = [[a, setting], [b, { ...setting, ...unquoted(b.setting) }]] as const;
    const [first, second] = runs.map(([{ measured }, params]) => {
      const key = JSON.stringify([family, chip, pair.op, params, measured]);
      return known.getOrInsertComputed(key, () => runOf(pair, params, measured));
    });
    const left = [first, second].find((run) => run?.status === "excluded");
    if (left?.status === "excluded") leaveOut(left.reason);
    if (first?.status !== "modelled" || second?.status !== "modelled") return;
    const parameter = family.replace(/^.*?: /, "");
    pairs.push({ family, parameter, a: first, b: second, measuredRatio: first.measured / second.measured });
  });
  const models = [...new Set(pairs.flatMap(({ a, b }) => [a, b]))];
  return { pairs, models, exclusions };
}

/** Values of a setting; some files write each as JSON in a text of its own. */
function unquoted(setting: Params): Params {
  return Object.fromEntries(
    Object.entries(setting).map(([name, value]) => [name, typeof value === "string" ? plain(value) : value]),
  );
}

function plain(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** One run of a pair: a product of the GEMM benchmark, or an op in the words of `measured-ops-2.json`. */
function runOf(pair: Params, params: Params, measured: unknown): AuditRow {
  const family = textIn(pair, "family");
  const chip = textIn(pair, "chip");
  if (typeof measured !== "number") return excluded(family, chip, "the value is not in the row");
  const [row = excluded(family, chip, "the op is not modelled")] = params.tuning === undefined
    ? opRow(pair, params, measured)
    : auditRows([{
      source: textIn(pair, "source"),
      device: chip,
      op: "matmul",
      group: "gemm",
      shapes: params,
      dtype: textIn(params, "dtype"),
      fidelity: textIn(params, "fidelity"),
      grid: textIn(params, "grid"),
      layouts: isRecord(params.layouts) ? params.layouts : {},
      config: { tuning: params.tuning, trace: true },
      measured: { us: measured, device_us_derived: measured },
      basis: textIn(pair, "quantity"),
      quality: "",
    }]);
  if (row.status === "excluded") return row;
  // Pairs of these rows are those that the file names.
  const { parameters: _, ...run } = row;
  return { ...run, group: family };
}

function opRow(pair: Params, params: Params, measured: number): readonly AuditRow[] {
  const op = textIn(pair, "op");
  const [named = op] = op.split(" ");
  const group = named === "matmul" && params.kernel !== undefined ? "matmul_decode" : named;
  if (!readsGroup(group)) return [];
  const row: MeasuredOp = {
    id: textIn(pair, "id"),
    group,
    chip: textIn(pair, "chip"),
    what: op,
    params,
    measured: { value: measured, unit: "us", quantity: textIn(pair, "quantity") },
    source: textIn(pair, "source"),
    note: textIn(pair, "note"),
  };
  return measuredOpRows([row]);
}
