// SPDX-License-Identifier: Apache-2.0
import type { GraphFunction, OpId } from "../graph/graph.ts";
import type { ImprovementLog } from "../improve/improvement_log.ts";
import type { L1Region } from "../memory/l1_schedule.ts";
import type { FunctionPlan } from "../plan/plan.ts";
import type { DecisionTrace } from "../propagation/decision_trace.ts";
import type { OpEvaluator } from "../search/op_evaluator.ts";
import type { OpRoles } from "../search/op_roles.ts";
import type { FunctionSearchLog } from "./search_log.ts";
import type { SearchStepName } from "./search_plan.ts";

/** Inputs of the pass-based policies for one function. */
export interface FunctionContext {
  readonly fn: GraphFunction;
  readonly evaluator: OpEvaluator;
  readonly roles: OpRoles;
  readonly region: L1Region;
  /** Predicted µs of a finished plan by a detailed cost model, if the caller has one. */
  readonly detailedCost: ((plan: FunctionPlan) => number) | undefined;
  /** Receives the trace of decisions and reasons; `undefined` saves the cost of recording it. */
  readonly deliverTrace: ((trace: DecisionTrace) => void) | undefined;
  /** Called with each op that pass 1 visits. */
  readonly onOp: ((op: OpId) => void) | undefined;
  /** Steps that the search leaves out. */
  readonly leftOut: ReadonlySet<SearchStepName>;
  /** Effects of moves on programs so far. */
  readonly improvements: ImprovementLog;
  /** Receives the record of every step of the search. */
  readonly deliverSearchLog: ((log: FunctionSearchLog) => void) | undefined;
}
