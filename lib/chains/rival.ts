// SPDX-License-Identifier: Apache-2.0
import type { CostModel } from "../cost/cost_model.ts";
import { planMicroseconds } from "../cost/plan_runtime.ts";
import type { FunctionPlan } from "../plan/plan.ts";
import type { ChainContext } from "./chain_context.ts";

/** The best known plan of a function. Chains that are slower even before they are made to fit are given up for it. */
export interface Rival {
  /** Its predicted time in µs. */
  readonly microseconds: number;
  /** Prices plans as the search does: for an equal plan never above the rival's own µs. */
  readonly cost: CostModel;
}

/** Whether a plan takes as long as a rival before it is made to fit, which hardly ever makes it faster. */
export function isHopeless(
  { fn, opModel }: ChainContext,
  plan: FunctionPlan,
  rival: Rival | undefined,
): boolean {
  return rival !== undefined && planMicroseconds(fn, plan, opModel, rival.cost) >= rival.microseconds;
}
