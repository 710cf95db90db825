// SPDX-License-Identifier: Apache-2.0

/**
 * Text to decided text and back: loading, optimizing, documents of results, comparisons.
 *
 * @module
 */

export * from "../pipeline/load_module.ts";
export { type LoadedModule, type PrepareOptions, unfinishedWarning } from "../pipeline/prepared_module.ts";
export * from "../pipeline/read_module.ts";
export * from "../lib/passes/pass_options.ts";
export type { GraphChange, MergedOp, UnfinishedPass } from "../lib/passes/graph_pass.ts";
export type { GraphChangeCount } from "../pipeline/graph_changes.ts";
export type { PreparedGraph } from "../pipeline/prepared_graph.ts";
export * from "../pipeline/load.ts";
export { type Target, targetOfFile, targetOfModule } from "../pipeline/target.ts";
export * from "../pipeline/check_memory.ts";
export * from "../pipeline/optimize.ts";
export { type ConversionRow, type OpRow, opRows, type SavedRow } from "../pipeline/op_rows.ts";
export * from "../pipeline/plan_document.ts";
export type { Certificate, PlanGap } from "../pipeline/plan_gap.ts";
export type { PlanSummary, SavedSummary, WrittenSummary } from "../pipeline/plan_summary.ts";
export type { DecidedGraph } from "../pipeline/decided_graph.ts";
export type { BackendAdvice } from "../pipeline/backend_advice.ts";
export type { FreeAdvice } from "../pipeline/free_advice.ts";
export type { Saving } from "../pipeline/saving.ts";
export * from "../pipeline/lower_bound.ts";
export * from "../pipeline/diff_side.ts";
export type { MoveCounts } from "../pipeline/compared_times.ts";
export * from "../pipeline/diff.ts";
export type { ChangedField } from "../pipeline/diff_fields.ts";
export type { OpGroup } from "../pipeline/op_groups.ts";
