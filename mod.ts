// SPDX-License-Identifier: Apache-2.0

/**
 * Tilewright decides, without hardware, where every tensor of a TTNN graph lives on a Tenstorrent chip, and says
 * what that costs and why.
 *
 * @example Optimize a module and look at what was decided
 * ```ts
 * import { createWorkbench, DEFAULT_POLICY_OPTIONS, findPolicy, getDevice, optimizeModule, parseModule } from "@tilewright/tilewright";
 * import { assert, assertEquals } from "@std/assert";
 *
 * const layout = "#ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, " +
 *   "memref<2x2x!ttcore.tile<32x32, bf16>, #ttnn.buffer_type<dram>>, <interleaved>>";
 * const tensor = `tensor<64x64xbf16, ${layout}>`;
 * const text = `func.func @main(%x: ${tensor}) -> ${tensor} {
 *   %0 = "ttnn.relu"(%x) : (${tensor}) -> ${tensor}
 *   return %0 : ${tensor}
 * }
 * `;
 * const policy = findPolicy("dram");
 * assert(policy !== undefined);
 * const workbench = createWorkbench(parseModule(text, "relu.mlir"), getDevice("n150"));
 * const { plan, memory, timeline } = optimizeModule(workbench, policy, DEFAULT_POLICY_OPTIONS);
 * assertEquals(plan.functions[0]?.decisions.length, 1);
 * assertEquals(memory.verdict.status, "fits");
 * assert(timeline.inference.totalUs > 0);
 * ```
 *
 * @module
 */

import config from "./deno.json" with { type: "json" };

// ---- Findings

export * from "./lib/diagnostics/diagnostic.ts";

// ---- Text: parse, print, patch, verify, lower

export * from "./lib/ir/mod.ts";
export { createdLayouts, verifyModule, type VerifyOptions } from "./lib/verify/verify_module.ts";
export { keptOps, type LoweringOptions, lowerModule, needsLowering } from "./lib/lowering/mod.ts";
export type { GraphChange } from "./lib/passes/graph_pass.ts";
export {
  detectProfile,
  HEAD_PROFILE,
  profileByName,
  type ProfileName,
  TTNN_PROFILES,
  type TtnnProfile,
} from "./lib/dialect/ttnn_profile.ts";
export type { LayoutGeneration } from "./lib/dialect/ttnn_layout.ts";

// ---- Graph

export * from "./lib/graph/graph.ts";
export type { ExecutionRole } from "./lib/graph/function_role.ts";
export * from "./lib/graph/binding.ts";
export { readGraph } from "./lib/graph/read_graph.ts";
export { opSignatures } from "./lib/graph/signature.ts";

// ---- Layouts: TTNN

export * from "./lib/layout/data_type.ts";
export * from "./lib/layout/ttnn_layout.ts";
export { LayoutError, type LayoutRule } from "./lib/layout/layout_error.ts";
export {
  type LayoutRequest,
  makeLayout,
  shardBytes,
  shardedExtents,
  type WorkerGrid,
} from "./lib/layout/make_layout.ts";
export { type LayoutId, layoutKey, layoutsEqual, LayoutTable } from "./lib/layout/layout_table.ts";
export { describeLayout } from "./lib/layout/describe.ts";
export { verifyLayout } from "./lib/layout/verify_layout.ts";
export {
  type CoreCoord,
  coreCount,
  type CoreRange,
  coreRangesOverlap,
  coreRangeVolume,
  formatCoreRange,
  walkCores,
} from "./lib/layout/core_range.ts";
export { type AlignedChip, type LayoutFootprint, layoutFootprint } from "./lib/layout/layout_footprint.ts";
export { type TtnnGeometry, ttnnGeometry } from "./lib/layout/ttnn_geometry.ts";
export {
  type ElementPlace,
  type PhysicalPlace,
  type TtnnCoordinates,
  ttnnCoordinates,
} from "./lib/layout/ttnn_coordinates.ts";
export { type FacePosition, isSupportedTile, SUPPORTED_TILES } from "./lib/layout/tile_shape.ts";

// ---- Layouts: where shards lie, and what a reshard moves

export * from "./lib/layout/nodes.ts";
export * from "./lib/layout/placement.ts";
export * from "./lib/layout/reshard_class.ts";
export * from "./lib/layout/reshard_transfers.ts";

// ---- Layouts: TTMetal

export * from "./lib/layout/metal_layout.ts";
export * from "./lib/layout/metal_layout_text.ts";
export * from "./lib/layout/metal_conversion.ts";
export * from "./lib/layout/metal_coordinates.ts";
export * from "./lib/layout/metal_padding.ts";
export * from "./lib/layout/virtual_grid.ts";
export * from "./lib/layout/affine_expression.ts";
export * from "./lib/layout/affine_map.ts";
export { parseAffineMap } from "./lib/layout/affine_parser.ts";

// ---- Op model and L1

export * from "./lib/device/chip_description.ts";
export * from "./lib/device/mesh.ts";
export * from "./lib/op_config/op_config.ts";
export * from "./lib/ops/cost_class.ts";
export type { OperandRole, VectorFunction } from "./lib/ops/definition.ts";
export * from "./lib/ops/op_signature.ts";
export * from "./lib/ops/op_traits.ts";
export * from "./lib/opmodel/op_model.ts";
export type * from "./lib/programs/program.ts";
export type { MatmulBlocks, MatmulDataflow } from "./lib/programs/matmul_blocks.ts";
export type { MatmulProblem } from "./lib/programs/matmul_problem.ts";
export type { ProgramTensor, TensorPlacement } from "./lib/programs/program_tensor.ts";
export { createOpModel, type OpModelOptions } from "./lib/opmodel/create_op_model.ts";
export * from "./lib/opmodel/rule_set.ts";
export {
  type L1Definition,
  type L1Failure,
  type L1FailureKind,
  type L1Region,
  l1Region,
  type L1Schedule,
  type L1Step,
  type L1StepUsage,
  type L1Timeline,
  simulateL1Schedule,
} from "./lib/memory/l1_timeline.ts";
export type { BufferPlacement } from "./lib/memory/bank_memory.ts";
export type { DramFailure, DramTimeline } from "./lib/memory/dram_timeline.ts";
export type {
  JudgedOp,
  MemoryVerdict,
  Misfit,
  Shortage,
  Unchecked,
  UncheckedOp,
} from "./lib/memory/memory_verdict.ts";
export type { Definition, Liveness, LivenessStep } from "./lib/graph/liveness.ts";
export { type PlanMemory, simulateMemory, type SimulateMemoryOptions } from "./lib/memory/plan_memory.ts";

// ---- Plans

export * from "./lib/plan/plan.ts";
export { parsePlan, planToJson, toJson } from "./lib/plan/plan_json.ts";
export * from "./lib/plan/steps.ts";
export { verifyPlan } from "./lib/plan/verify_plan.ts";
export { rewriteModule } from "./lib/rewrite/rewrite_module.ts";

// ---- Policies

export * from "./lib/policy/policies.ts";
export * from "./lib/policy/policy.ts";
export { DEFAULT_POLICY_OPTIONS, type PolicyOptions, readPolicyOptions } from "./lib/policy/options.ts";
export type { OptionInput, PolicyOption } from "./lib/policy/policy_option.ts";
export type { ChainOptions } from "./lib/chains/chain_options.ts";
export type { CandidateLimits } from "./lib/search/layout_catalog.ts";
export * from "./lib/propagation/decision_trace.ts";
export { type LayoutScore, SCORE_NAMES, type ScoreName } from "./lib/propagation/layout_score.ts";
export { SPILL_POLICY_NAMES, type SpillPolicyName } from "./lib/spill/spill_policy.ts";
export {
  NO_OVERRIDES,
  type OptimizerOverrides,
  type OutputLayoutOverride,
} from "./lib/overrides/overrides.ts";
export { checkOverrides } from "./lib/overrides/check_overrides.ts";
export { parseOutputLayoutOverrides } from "./lib/overrides/output_layout_override.ts";
export { parseMemReconfigOverrides } from "./lib/overrides/mem_reconfig_override.ts";
export {
  parseConv2dConfigOverrides,
  parseConv3dConfigOverrides,
} from "./lib/overrides/conv_config_override.ts";
export type {
  BinaryProgram,
  BinarySolution,
  SolveBinaryProgram,
  SolveLimits,
  Term,
  UpperRow,
} from "./lib/solver/binary_program.ts";
export { loadHighs } from "./lib/solver/highs.ts";

// ---- Pipeline: text to decided text, and comparisons

export * from "./pipeline/load.ts";
export { type Target, targetOfFile, targetOfModule } from "./pipeline/target.ts";
export * from "./pipeline/check_memory.ts";
export * from "./pipeline/optimize.ts";
export { type ConversionRow, type OpRow, opRows } from "./pipeline/op_rows.ts";
export * from "./pipeline/plan_document.ts";
export type { PlanSummary } from "./pipeline/plan_summary.ts";
export * from "./pipeline/lower_bound.ts";
export type { LowerBound } from "./lib/optimal/lower_bound.ts";
export type { Freedom } from "./lib/optimal/way_table.ts";
export { DEFAULT_OPTIMIZER_LIMITS, type OptimizerLimits } from "./lib/optimal/layout_optimizer.ts";
export * from "./pipeline/diff_side.ts";
export type { MoveCounts } from "./pipeline/count_moves.ts";
export * from "./pipeline/diff.ts";
export type { ChangedField } from "./pipeline/diff_fields.ts";

// ---- Devices

export { DEVICE_NAMES, getDevice, loadDevice } from "./sim/devices/device_registry.ts";
export type {
  ConstantFile,
  ConstantKind,
  ConstantUnits,
  ConstantValues,
  DeviceConstant,
  DeviceConstants,
  Sections,
} from "./sim/devices/constants.ts";
export * from "./sim/devices/device.ts";
export { DEVICE_SCHEMA } from "./sim/devices/device_schema.ts";
export type { MachineAxis } from "./sim/devices/mesh_file.ts";

// ---- Simulator

export * from "./lib/cost/cost_model.ts";
export { type CostModelOptions, createCostModel } from "./sim/cost/runtime.ts";
export {
  simulateFunction,
  simulateGraph,
  type SimulationContext,
  type SimulationOptions,
} from "./sim/timeline/simulate.ts";
export * from "./sim/timeline/timeline.ts";
export * from "./sim/timeline/error_band.ts";
export type { L1Pressure, StepL1 } from "./sim/timeline/l1_pressure.ts";
export * from "./sim/timeline/advice.ts";
export * from "./sim/export/chrome_trace.ts";
export * from "./sim/export/perf_csv.ts";
export * from "./sim/export/simulation_json.ts";

// ---- Audits: predictions against recorded answers and published measurements

export * from "./lib/opmodel/audit/audit.ts";
export * from "./lib/opmodel/audit/expectation_row.ts";
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
} from "./sim/audit/audit_cost_model.ts";
export { type MeasuredRow, parseMeasuredRows } from "./sim/audit/measured_row.ts";
export type { AccuracyClass, BaselineWork, RowExclusion, RowModel } from "./sim/audit/row_model.ts";
export type { ErrorStatistics } from "./sim/audit/statistics.ts";
export {
  getMeasuredDevice,
  type MeasuredDevice,
  type MeasuredDeviceLookup,
} from "./sim/microbenchmarks/measured_device.ts";
export { MICROBENCHMARK_SCHEMA } from "./sim/microbenchmarks/microbenchmark_schema.ts";

/** Version of Tilewright, as declared in `deno.json`. */
export const VERSION: string = config.version;
