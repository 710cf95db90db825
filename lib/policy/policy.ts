// SPDX-License-Identifier: Apache-2.0
import type { Rival } from "../chains/rival.ts";
import type { CostModel } from "../cost/cost_model.ts";
import type { Graph, GraphFunction, OpId } from "../graph/graph.ts";
import type { OpModel } from "../opmodel/op_model.ts";
import type { Freedom } from "../optimal/exploration/way_table.ts";
import type { FunctionPlan, Plan } from "../plan/plan.ts";
import type { DecisionTrace } from "../propagation/decision_trace.ts";
import type { SolveBinaryProgram } from "../solver/binary_program.ts";
import type { PolicyOptions } from "./options.ts";
import type { PolicyOption } from "./policy_option.ts";

/** A plan that fits. */
export interface KnownPlan extends Rival {
  /** Of one function. */
  readonly plan: FunctionPlan;
}

/** The best plans known of some functions. */
export type KnownPlans = ReadonlyMap<GraphFunction, KnownPlan>;

/** What every policy is given. */
export interface PolicyContext {
  /** What to decide; a policy reads it and changes nothing. */
  readonly graph: Graph;
  /** Legality and bytes; its layout table is shared with `cost`. */
  readonly opModel: OpModel;
  /** Prices for the policies that search by time. */
  readonly cost: CostModel;
  /** A policy reads those that it lists ({@linkcode Policy.options}) and no others. */
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
  /** Is told which op pass 1 comes to, in every round anew. */
  readonly onOp?: ((fn: GraphFunction, op: OpId) => void) | undefined;
  /** Receives the text of `--trace-solver`, one phase of a shard solver at a time. */
  readonly traceSolver?: (text: string) => void;
}

/** What is asked of a policy by its name where its code is not needed. */
export type PolicyFacts = Pick<Policy, "name" | "freedom" | "tellsGap">;

/**
 * A way to decide layouts, with everything that is to be known of it: a pure function from graph to plan and what it
 * reads. One policy is one file in `lib/policy/policies/`, which exports it as `policy`.
 */
export interface Policy {
  /** Name for `--policy`. */
  readonly name: string;
  /** One line for help. */
  readonly summary: string;
  /** Lists name policies in this order. */
  readonly place: number;
  /** What its plans may do: a lower bound holds for plans of one freedom. */
  readonly freedom: Freedom;
  /** Every option that it reads; no other one changes its plans. */
  readonly options: readonly PolicyOption<unknown>[];
  /** It has no other way than sharded layouts, so it decides at optimization level 2 only. */
  readonly onlySharded?: boolean;
  /** How far its plan is from the best one is part of its answer, whether asked for or not. */
  readonly tellsGap?: boolean;
  /** Its name in ttmlir-opt's former `memory-layout-analysis-policy`. */
  readonly compilerName?: string;
  /**
   * Decides every function that runs on the device ({@linkcode isDecided}). The same context gives the same plan.
   *
   * @param rivals what policies of chains give in to where theirs take longer before they are made to fit
   * @throws {DiagnosticError} when an override leaves an op without a legal layout
   */
  decide(context: PolicyContext, rivals?: KnownPlans): Plan;
}
