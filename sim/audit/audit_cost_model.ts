// SPDX-License-Identifier: Apache-2.0
import type { MeasuredDeviceLookup } from "../microbenchmarks/measured_device.ts";
import { BASELINES } from "./baselines.ts";
import { type IntervalReport, intervalReports } from "./interval_coverage.ts";
import { isMeasuredOps, parseMeasuredOps } from "./measured_ops/measured_op.ts";
import { measuredOpRows } from "./measured_ops/measured_op_rows.ts";
import { type MeasuredRow, parseMeasuredRows } from "./measured_row.ts";
import { layerRows, type NamedProfile } from "./profiles/audit_layers.ts";
import { isDeviceOpRows, readDeviceOpRows } from "./readers/device_op_rows.ts";
import { isMeasuredPairs, type MeasuredPairs, readMeasuredPairs } from "./readers/measured_pair_file.ts";
import { type AuditRow, type RowExclusion, type RowModel, withWorkerGrid } from "./row_model.ts";
import { auditRows } from "./rows.ts";
import { type ErrorStatistics, errorStatistics } from "./statistics.ts";

/** Target mean absolute errors per report group. */
export const TARGETS: Readonly<Record<string, number>> = {
  gemm_known_config: 0.06,
  gemm_out_of_box: 0.12,
  matmul_height_sharded: 0.15,
  eltwise_unary: 0.08,
  noc_latency: 0.08,
  noc_bw: 0.08,
  dram_bw: 0.08,
  reshard: 0.18,
  dispatch: 0.08,
  op_profile: 0.25,
  llm_decode_op: 0.25,
  llm_prefill_op: 0.25,
  e2e: 0.2,
  ccl: 0.25,
  ccl_fused: 0.25,
  fabric_bw: 0.12,
  fabric_latency: 0.12,
};

/** Errors of one group on one device, or of a whole group (`device` is `all`); `null` where nothing was covered. */
export interface GroupReport extends Readonly<Record<keyof ErrorStatistics, number | null>> {
  /** Report group; a group that is split by what is known of its rows is reported as a whole as well. */
  readonly group: string;
  /** Device, or `all` for groups measured on several. */
  readonly device: string;
  /** Rows of the group in the file. */
  readonly rows: number;
  /** How many of them were predicted. */
  readonly covered: number;
  /** Share of covered rows; rows that the file itself flags or that are of other chips do not count. */
  readonly coverage: number;
  /** Reasons with their rows, most first. */
  readonly excluded: readonly { readonly reason: string; readonly rows: number }[];
  /** Target for the mean absolute error, `null` where none was set. */
  readonly target: number | null;
  /** Errors of constants fitted without the rows' own folds; absent when not asked for. */
  readonly heldOut?: HeldOutReport;
  /** Errors of the public models on the covered rows that they apply to. */
  readonly baselines: Readonly<Record<string, BaselineReport>>;
}

/** Errors on held-back rows: folds of configurations, and folds of whole tables. */
export interface HeldOutReport {
  /** No fold holds rows of a configuration that others were fitted on. */
  readonly configurations?: ErrorStatistics;
  /** No fold holds rows of a published table that others were fitted on. */
  readonly tables?: ErrorStatistics;
}

/** A public model's errors. */
export interface BaselineReport extends ErrorStatistics {
  /** Rows that the model applies to. */
  readonly rows: number;
}

/** One predicted row, for plots and for looking closer. */
export interface AuditPoint {
  /** Report group. */
  readonly group: string;
  /** Bundled device that predicted it. */
  readonly device: string;
  /** Identity of the measured configuration. */
  readonly configuration: string;
  /** Unit of both values, as {@linkcode RowModel.unit}. */
  readonly unit: string;
  /** Published value, in `unit`. */
  readonly measured: number;
  /** The simulator's value, in `unit`. */
  readonly predicted: number;
}

/** The document of `audit cost-model --json`, without the points. */
export interface CostModelAudit {
  /** Changes when older documents would be misread. */
  readonly schema: "tilewright.cost-model-audit/1";
  /** All errors are relative: 0.06 is 6 %. */
  readonly errorUnit: "ratio";
  /** Rows of the file. */
  readonly rows: number;
  /** By name; within a group `all` first, then by device. */
  readonly groups: readonly GroupReport[];
  /** How many measurements lie in the intervals of their predictions, by place of the operands. */
  readonly intervals: readonly IntervalReport[];
}

/** Relative errors on held-back rows, by row. */
export interface HeldOutErrors {
  /** `predicted / measured − 1` with the row's configuration held out. */
  readonly configurations?: ReadonlyMap<RowModel, number>;
  /** The same with the row's whole table held out. */
  readonly tables?: ReadonlyMap<RowModel, number>;
}

/** Reasons that lie in the measurements; such rows do not count against the coverage. */
const NOT_OURS =
  /^flagged|^kernel of an earlier|the chip is not modelled|not (named )?in the row|not a time|not (an op|ops) of the dialect|not in the dialect|the dialect has no|are not ops$|corresponds to no op/;

/** The rows of a file as questions and refusals, apart. */
export interface SplitRows extends MeasuredPairs {
  /** Explicit pairs that cannot be predicted; also among `exclusions`. */
  readonly unpaired: readonly RowExclusion[];
  /** Rows of the file. */
  readonly total: number;
}

/** Turns the rows of a file into questions and refusals. */
export function splitRows(rows: readonly MeasuredRow[]): SplitRows {
  return split(auditRows(rows), rows.length);
}

/**
 * Reads a file of measurements, in the schema of `measured-perf.json`, of `measured-ops-2.json`, of
 * `measured-ops-3.json` or of `measured-pairs.json`.
 *
 * @param file name to show in errors
 * @param json what `JSON.parse` returned
 * @throws {DiagnosticError} if it is none of them
 */
export function readMeasurements(file: string, json: unknown): SplitRows {
  if (isDeviceOpRows(json)) {
    const { profiles, published, exclusions } = readDeviceOpRows(file, json.rows);
    const { models, exclusions: unpriced } = joinRows([
      profiledRows(profiles),
      publishedRows(file, published),
    ]);
    return {
      models,
      exclusions: [...unpriced, ...exclusions],
      pairs: [],
      unpaired: [],
      total: json.rows.length,
    };
  }
  if (isMeasuredPairs(json)) {
    const read = readMeasuredPairs(file, json.pairs);
    return { ...read, unpaired: read.exclusions, total: json.pairs.length };
  }
  return isMeasuredOps(json) ? publishedRows(file, json) : splitRows(parseMeasuredRows(file, json));
}

function publishedRows(file: string, json: readonly unknown[]): SplitRows {
  const { rows, exclusions } = parseMeasuredOps(file, json);
  return split([...measuredOpRows(rows), ...exclusions], json.length);
}

/** The ops of profiles as rows. */
export function profiledRows(profiles: readonly NamedProfile[]): SplitRows {
  const rows = layerRows(profiles);
  return split(rows, rows.length);
}

/** The rows of several files together. */
export function joinRows(files: readonly SplitRows[]): SplitRows {
  return {
    models: files.flatMap(({ models }) => models),
    exclusions: files.flatMap(({ exclusions }) => exclusions),
    pairs: files.flatMap(({ pairs }) => pairs),
    unpaired: files.flatMap(({ unpaired }) => unpaired),
    total: files.reduce((sum, { total }) => sum + total, 0),
  };
}

function split(all: readonly AuditRow[], total: number): SplitRows {
  return {
    models: all.filter((row): row is RowModel => row.status === "modelled"),
    exclusions: all.filter((row): row is RowExclusion => row.status === "excluded"),
    pairs: [],
    unpaired: [],
    total,
  };
}

/** Prediction of one row by its device. */
export function predictRow(row: RowModel, devices: MeasuredDeviceLookup): number {
  return row.predict(withWorkerGrid(devices(row.device), row.workerGrid));
}

/**
 * Runs measurements through the cost model and reports its errors by group and device, together with those of public
 * models.
 *
 * @example
 * ```ts
 * import { auditCostModel, getMeasuredDevice, parseMeasuredRows, splitRows } from "@tilewright/tilewright/audit";
 * import { assertEquals } from "@std/assert";
 *
 * const rows = parseMeasuredRows("rows.json", [
 *   { source: "example", device: "n150", op: "matmul", group: "op_target", measured: { us: 10 } },
 * ]);
 * const { audit } = auditCostModel(splitRows(rows), getMeasuredDevice);
 * // No shapes, no prediction: the row is counted as refused.
 * assertEquals(audit.groups.map(({ rows, covered }) => [rows, covered]), [[1, 0]]);
 * ```
 *
 * @param heldOut errors on held-back rows, when they were computed (see `cross_validation.ts`)
 */
export function auditCostModel(
  { models, exclusions, total }: SplitRows,
  devices: MeasuredDeviceLookup,
  heldOut: HeldOutErrors = {},
): { readonly audit: CostModelAudit; readonly points: readonly AuditPoint[] } {
  const points = models.map((row): AuditPoint => ({
    group: row.group,
    device: row.device,
    configuration: row.configuration,
    unit: row.unit,
    measured: row.measured,
    predicted: predictRow(row, devices),
  }));
  const predictedOf = new Map(models.map((row, index) => [row, points[index]?.predicted]));
  const groups = [
    ...new Set([...models, ...exclusions].flatMap((row) => [row.group, familyOf(row.group)])),
  ].sort();
  const isIn = (group: string, row: { group: string }) =>
    row.group === group || familyOf(row.group) === group;
  const reports = groups.flatMap((group): GroupReport[] => {
    const names = [
      ...new Set([...models, ...exclusions].filter((row) => isIn(group, row)).map((row) => row.device)),
    ].sort();
    const scopes = names.length > 1 ? ["all", ...names] : names;
    return scopes.map((device) => {
      const inScope = (row: { group: string; device: string }) =>
        isIn(group, row) && (device === "all" || row.device === device);
      const covered = models.flatMap((row, index) => inScope(row) ? [{ row, point: points[index] }] : []);
      return groupReport({ group, device }, covered, exclusions.filter(inScope), devices, heldOut);
    });
  });
  return {
    audit: {
      schema: "tilewright.cost-model-audit/1",
      errorUnit: "ratio",
      rows: total,
      groups: reports,
      intervals: intervalReports(
        models,
        devices,
        (row) => predictedOf.get(row),
        heldOut,
      ),
    },
    points,
  };
}

/** The file's own group of report groups that split it by what is known of the rows. */
function familyOf(group: string): string {
  return /^gemm_(known_config|out_of_box)$/.test(group) ? "gemm" : group;
}

function groupReport(
  { group, device }: Pick<GroupReport, "group" | "device">,
  covered: readonly { readonly row: RowModel; readonly point: AuditPoint | undefined }[],
  exclusions: readonly RowExclusion[],
  devices: MeasuredDeviceLookup,
  heldOut: HeldOutErrors,
): GroupReport {
  const errors = covered.map(({ row, point }) => (point?.predicted ?? 0) / row.measured - 1);
  const statistics = errorStatistics(errors);
  const reasons = new Map<string, number>();
  for (const { reason } of exclusions) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  const ours = exclusions.filter(({ reason }) => !NOT_OURS.test(reason)).length;
  const held = (errorOf: ReadonlyMap<RowModel, number> | undefined) =>
    errorOf === undefined ? undefined : errorStatistics(covered.flatMap(({ row }) => errorOf.get(row) ?? []));
  const configurations = held(heldOut.configurations);
  const tables = held(heldOut.tables);
  return {
    group,
    device,
    rows: covered.length + exclusions.length,
    covered: covered.length,
    coverage: covered.length === 0 ? 0 : covered.length / (covered.length + ours),
    excluded: [...reasons].map(([reason, rows]) => ({ reason, rows })).sort((a, b) => b.rows - a.rows),
    mape: statistics?.mape ?? null,
    medianApe: statistics?.medianApe ?? null,
    p90: statistics?.p90 ?? null,
    bias: statistics?.bias ?? null,
    target: TARGETS[group] ?? null,
    ...(configurations === undefined && tables === undefined ? {} : {
      heldOut: {
        ...(configurations === undefined ? {} : { configurations }),
        ...(tables === undefined ? {} : { tables }),
      },
    }),
    baselines: baselineReports(covered.map(({ row }) => row), devices),
  };
}

function baselineReports(
  rows: readonly RowModel[],
  devices: MeasuredDeviceLookup,
): Readonly<Record<string, BaselineReport>> {
  const reports: Record<string, BaselineReport> = {};
  for (const { name, predict } of BASELINES) {
    const errors = rows.flatMap((row) => {
      const { work } = row;
      if (work === undefined || row.unit !== "us") return [];
      const device = withWorkerGrid(devices(row.device), row.workerGrid);
      return predict(work, device) / row.measured - 1;
    });
    const statistics = errorStatistics(errors);
    if (statistics !== undefined) reports[name] = { ...statistics, rows: errors.length };
  }
  return reports;
}
