// SPDX-License-Identifier: Apache-2.0
import type { CostModel } from "../cost/cost_model.ts";
import type { Graph, GraphFunction } from "../graph/graph.ts";
import type { OpModel } from "../opmodel/op_model.ts";
import { NO_OVERRIDES, type OptimizerOverrides } from "../overrides/overrides.ts";
import type { FunctionPlan, Plan } from "../plan/plan.ts";
import type { DecisionTrace } from "../propagation/decision_trace.ts";
import type { ScoreName } from "../propagation/layout_score.ts";
import type { SolveBinaryProgram } from "../solver/binary_program.ts";
import type { SpillPolicyName } from "../spill/spill_policy.ts";

/** What every policy is given. */
export interface PolicyContext {
  /** What to decide; a policy reads it and changes nothing. */
  readonly graph: Graph;
  /** Legality and bytes; its layout table is shared with `cost`. */
  readonly opModel: OpModel;
  /** Prices for the policies that search by time. */
  readonly cost: CostModel;
  /** A policy reads those that concern it and ignores the rest. */
  readonly options: PolicyOptions;
  /** Solver of 0/1 programs for `--spill exact` and other exact methods; loading one is the caller's business. */
  readonly solveBinaryProgram?: SolveBinaryProgram | undefined;
  /**
   * Predicted µs of a finished plan by a finer model than `cost`, never below what `cost` adds up to. A policy that
   * compares finished plans asks it before the last choice.
   */
  readonly judge?: ((fn: GraphFunction, plan: FunctionPlan) => number) | undefined;
  /** Receives what the pass-based policies decided for each function, and why. */
  readonly decisionTrace?: ((trace: DecisionTrace) => void) | undefined;
  /** Receives the text of `--trace-solver`, one phase of a shard solver at a time. */
  readonly traceSolver?: (text: string) => void;
}

/** Options that more than one policy reads; names and defaults follow ttmlir-opt (tt-mlir:options). */
export interface PolicyOptions {
  /** `--tensor-l1-usage-cap`: share of L1 that may be used. */
  readonly tensorL1UsageCap: number;
  /** `--beam-width`. */
  readonly beamWidth: number;
  /** `--max-legal-layouts`. */
  readonly maxLegalLayouts: number;
  /** `--max-input-candidates-per-operand`. */
  readonly maxInputCandidatesPerOperand: number;
  /** `--max-reshard-candidates-per-type`. */
  readonly maxReshardCandidatesPerType: number;
  /** `--enable-l1-sharding-layouts`. */
  readonly enableL1ShardingLayouts: boolean;
  /** `--row-major-enabled`. */
  readonly rowMajorEnabled: boolean;
  /** `--score` of the pass-based policies; `undefined` takes the policy's own. */
  readonly score: ScoreName | undefined;
  /** `--spill` of the pass-based policies; `undefined` takes the policy's own. */
  readonly spill: SpillPolicyName | undefined;
  /** `--schedule`: `input` keeps the order, `memory` reorders where that removes spills. */
  readonly schedule: "input" | "memory";
  /** `--override-output-layout`, `--insert-memreconfig`, `--override-conv2d-config`, `--override-conv3d-config`. */
  readonly overrides: OptimizerOverrides;
  /** `--memreconfig-enabled`: chain policies may convert operands. */
  readonly memReconfigEnabled: boolean;
  /** `--l1-interleaved-fallback-analysis-enabled`: chain policies move what is left to L1 interleaved where it fits. */
  readonly l1InterleavedFallback: boolean;
  /** `--solve-for-optimal-first-op-input`: the shard solver picks the layout that a chain reads its input in. */
  readonly solveForOptimalFirstOpInput: boolean;
  /** `--legacy-quirks`: chain policies repeat the faults of the original where those change decisions. */
  readonly legacyQuirks: boolean;
}

/** Defaults of ttmlir-opt's code (tt-mlir:options), not of its documentation. */
export const DEFAULT_POLICY_OPTIONS: PolicyOptions = {
  tensorL1UsageCap: 0.95,
  beamWidth: 8,
  maxLegalLayouts: 64,
  maxInputCandidatesPerOperand: 64,
  maxReshardCandidatesPerType: 4,
  enableL1ShardingLayouts: true,
  rowMajorEnabled: false,
  score: undefined,
  spill: undefined,
  schedule: "input",
  overrides: NO_OVERRIDES,
  memReconfigEnabled: true,
  l1InterleavedFallback: false,
  solveForOptimalFirstOpInput: false,
  legacyQuirks: false,
};

/** A way to decide layouts: a pure function from graph to plan. */
export interface Policy {
  /** Name for `--policy`. */
  readonly name: string;
  /** One line for help. */
  readonly summary: string;
  /**
   * Decides every function of kind `forward_device` or `trace_main`. The same context gives the same plan.
   *
   * @throws {DiagnosticError} when an override leaves an op without a legal layout (chain policies)
   */
  decide(context: PolicyContext): Plan;
}
