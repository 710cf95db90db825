// SPDX-License-Identifier: Apache-2.0
import { planMicroseconds } from "../cost/plan_runtime.ts";
import { memoryOf } from "./plan_memory.ts";
import type { FunctionPlan } from "../plan/plan.ts";
import { misfedOps } from "./misfed_ops.ts";
import type { PolicyContext } from "./policy.ts";

/** Predicted µs of functions under a plan, and whether they fit. */
export interface Price {
  readonly microseconds: number;
  /** 0: fits; 1: contains ops of unknown memory; 2: does not fit; 3: contains ops that the backend refuses. */
  readonly misfit: number;
  /**
   * Ops that the backend refuses, that do not fit, that cannot be checked, or whose operand layouts their input filters
   * exclude ({@linkcode misfedOps}).
   */
  readonly unverifiedOps: number;
}

const MISFIT = { fits: 0, unchecked: 1, does_not_fit: 2, does_not_run: 3 } as const;

/** Prices of plans per function of a graph; each plan is placed in L1 and priced once. */
export class PlanPrices {
  readonly #context: PolicyContext;
  readonly #cached: Map<FunctionPlan, Price> = new Map();

  constructor(context: PolicyContext) {
    this.#context = context;
  }

  /** @param index of the function in the graph */
  of(plan: FunctionPlan, index: number): Price {
    return this.#cached.getOrInsertComputed(plan, () => this.#priceOf(plan, index));
  }

  #priceOf(plan: FunctionPlan, index: number): Price {
    const { graph, opModel, cost, detailedCost } = this.#context;
    const fn = graph.functions[index];
    if (fn === undefined) throw new RangeError(`Cannot price function ${index}: the graph has none`);
    const { verdict, execution } = memoryOf(this.#context, fn, plan);
    return {
      microseconds: detailedCost?.(fn, plan) ?? planMicroseconds(fn, plan, opModel, cost),
      misfit: MISFIT[verdict.status],
      unverifiedOps: verdict.refusedOps.length + verdict.misfits.length + verdict.uncheckedOps.length +
        misfedOps(fn, execution, opModel),
    };
  }
}
