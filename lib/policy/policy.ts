// SPDX-License-Identifier: Apache-2.0
import type { CostModel } from "../cost/cost_model.ts";
import type { Graph, GraphFunction, OpId } from "../graph/graph.ts";
import type { OpModel } from "../opmodel/op_model.ts";
import type { PlanKind } from "../optimal/exploration/impl_table.ts";
import type { FunctionPlan, Plan } from "../plan/plan.ts";
import type { DecisionTrace } from "../propagation/decision_trace.ts";
import type { OpEvaluator } from "../search/op_evaluator.ts";
import type { FreeName } from "./free.ts";
import type { PolicyOptions } from "./options.ts";
import type { PolicyOption } from "./policy_option.ts";
import type { FunctionSearchLog } from "./search_log.ts";
import type { SearchStepName } from "./search_plan.ts";

/** Everything that a policy decides from. */
export interface PolicyContext {
  /** The graph to decide; policies only read it. */
  readonly graph: Graph;
  /** Legality and bytes; shares its layout table with `cost`. */
  readonly opModel: OpModel;
  /** Prices, for policies that search by time. */
  readonly cost: CostModel;
  /** A policy reads only the options that it lists ({@linkcode Policy.options}). */
  readonly options: PolicyOptions;
  /**
   * Predicted µs of a finished plan by a detailed cost model, ≥ the time by `cost`. Policies that compare finished
   * plans make their final choice by it.
   */
  readonly detailedCost?: ((fn: GraphFunction, plan: FunctionPlan) => number) | undefined;
  /** Receives the decisions and reasons of pass-based policies, function by function. */
  readonly decisionTrace?: ((trace: DecisionTrace) => void) | undefined;
  /** Called with each op that pass 1 visits, again in every round; for progress reports. */
  readonly onOp?: ((fn: GraphFunction, op: OpId) => void) | undefined;
  /** Steps that the search of `auto` and `optimal` leaves out, for ablation. */
  readonly leftOut?: ReadonlySet<SearchStepName> | undefined;
  /** Receives the record of every step of that search, function by function. */
  readonly searchLog?: ((log: FunctionSearchLog) => void) | undefined;
  /**
   * Receives the evaluator of every function that passes decide: later questions about the plan repeat many
   * of its answers.
   *
   * @internal
   */
  readonly evaluated?: ((evaluator: OpEvaluator) => void) | undefined;
  /** Receives the output of `--trace-solver`, one phase of a shard solver per call. */
  readonly traceSolver?: (text: string) => void;
}

/** Facts about a policy that do not need its code. */
export type PolicyFacts = Pick<Policy, "name" | "planKind" | "free" | "tellsGap">;

/**
 * A method to decide layouts: a pure function from graph to plan, with the options that it reads. One policy
 * is one file in `lib/policy/policies/`, which exports it as `policy`.
 */
export interface Policy {
  /** Name for `--policy`. */
  readonly name: string;
  /** One line for help. */
  readonly summary: string;
  /** Rank in lists of policies, ascending. */
  readonly rank: number;
  /** Kind of its plans. A lower bound holds only for plans of the same kind. */
  readonly planKind: PlanKind;
  /** Value of `--free` if not given; default: layouts, as upstream. */
  readonly free?: readonly FreeName[];
  /** Every option that it reads; no other option changes its plans. */
  readonly options: readonly PolicyOption<unknown>[];
  /** Whether it is of no use without sharded layouts: `auto` leaves it out where L1 sharding is off. */
  readonly needsSharding?: boolean;
  /** Whether it ranks finished plans by predicted time, so that the program as written competes with them. */
  readonly ranksByTime?: true;
  /** Whether its output always includes the gap to the lower bound. */
  readonly tellsGap?: boolean;
  /** Its name in ttmlir-opt's former option `memory-layout-analysis-policy`. */
  readonly compilerName?: string;
  /**
   * Decides every function that runs on the device ({@linkcode isDecided}). The same context gives the same
   * plan.
   *
   * @throws {DiagnosticError} when an override leaves an op without a legal layout
   */
  decide(context: PolicyContext): Plan;
}
