// SPDX-License-Identifier: Apache-2.0
import type { CostModel } from "../cost/cost_model.ts";
import { planMicroseconds } from "../cost/plan_runtime.ts";
import type { FunctionPlan } from "../plan/plan.ts";
import type { ChainContext } from "./chain_context.ts";

/** The best plan known of a function. Chains that take longer before they are made to fit are given up for it. */
export interface Rival {
  /** Its predicted time. */
  readonly microseconds: number;
  /** Prices plans as search does: never above what the rival's own µs say of an equal one. */
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
