// SPDX-License-Identifier: Apache-2.0

/**
 * Audits: predictions beside published measurements.
 *
 * @module
 */

export {
  auditCostModel,
  type AuditPoint,
  type BaselineReport,
  type CostModelAudit,
  type GroupReport,
  type HeldOutErrors,
  type HeldOutReport,
  predictRow,
  type SplitRows,
  splitRows,
} from "../sim/audit/audit_cost_model.ts";
export type { MeasuredPairs } from "../sim/audit/readers/measured_pair_file.ts";
export type { IntervalCoverage, IntervalReport } from "../sim/audit/interval_coverage.ts";
export type { MeasuredPair } from "../sim/audit/measured_pairs.ts";
export type { Params } from "../sim/audit/measured_ops/measured_op.ts";
export { type MeasuredRow, parseMeasuredRows } from "../sim/audit/measured_row.ts";
export type { AccuracyClass, BaselineWork, RowExclusion, RowModel } from "../sim/audit/row_model.ts";
export type { ErrorStatistics } from "../sim/audit/statistics.ts";
export {
  getMeasuredDevice,
  type MeasuredDevice,
  type MeasuredDeviceLookup,
} from "../sim/microbenchmarks/measured_device.ts";
export { MICROBENCHMARK_SCHEMA } from "../sim/microbenchmarks/microbenchmark_schema.ts";
