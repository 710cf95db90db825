// SPDX-License-Identifier: Apache-2.0

/**
 * Policies: what decides a plan, with its options, overrides, traces and solver.
 *
 * @module
 */

export { getPolicy, policies, POLICY_NAMES } from "../lib/policy/policies.ts";
export * from "../lib/policy/policy.ts";
export type { MoveRecord } from "../lib/improve/improvement_log.ts";
export type { FunctionSearchLog, SearchStepRecord } from "../lib/policy/search_log.ts";
export type { SearchStepName } from "../lib/policy/search_plan.ts";
export { DEFAULT_POLICY_OPTIONS, type PolicyOptions, readPolicyOptions } from "../lib/policy/options.ts";
export { FREE_NAMES, type FreeName, type FreeWord } from "../lib/policy/free.ts";
export type { OptionInput, PolicyOption } from "../lib/policy/policy_option.ts";
export type { ChainOptions } from "../lib/chains/chain_model.ts";
export type { CandidateLimits } from "../lib/search/layout_catalog.ts";
export * from "../lib/propagation/decision_trace.ts";
export { type LayoutScore, SCORE_NAMES, type ScoreName } from "../lib/propagation/layout_score.ts";
export {
  type GreedySpillPolicy,
  SPILL_POLICY_NAMES,
  type SpillPolicyName,
} from "../lib/spill/spill_policy.ts";
export {
  NO_OVERRIDES,
  type OptimizerOverrides,
  type OutputLayoutOverride,
} from "../lib/overrides/overrides.ts";
export { checkOverrides } from "../lib/overrides/check_overrides.ts";
export { parseOutputLayoutOverrides } from "../lib/overrides/output_layout_override.ts";
export { parseMemReconfigOverrides } from "../lib/overrides/output_layout_override.ts";
export {
  parseConv2dConfigOverrides,
  parseConv3dConfigOverrides,
} from "../lib/overrides/conv_config_override.ts";

export type { LowerBound } from "../lib/optimal/lower_bound.ts";
export type { PlanKind } from "../lib/optimal/exploration/impl_table.ts";
export type { OptimizerLimits } from "../lib/optimal/layout_optimizer.ts";
export { DEFAULT_OPTIMIZER_LIMITS } from "../lib/optimal/limits.ts";
