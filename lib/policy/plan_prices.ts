// SPDX-License-Identifier: Apache-2.0
import { planMicroseconds } from "../cost/plan_runtime.ts";
import { type GraphFunction, opAt, valueAt } from "../graph/graph.ts";
import { opSignatures } from "../graph/signature.ts";
import type { OpModel } from "../opmodel/op_model.ts";
import { faultsOf, memoryOf } from "./plan_memory.ts";
import type { FunctionPlan } from "../plan/plan.ts";
import type { PlannedExecution } from "../plan/steps.ts";
import type { PolicyContext } from "./policy.ts";

/** Predicted µs of functions under a plan, and whether they fit. */
export interface Price {
  readonly microseconds: number;
  /** 0: fits; 1: contains ops of unknown memory; 2: does not fit; 3: contains ops that the backend refuses. */
  readonly misfit: number;
  /**
   * Ops that the backend refuses, that do not fit, that cannot be checked, or whose operand layouts their input filters
   * exclude ({@linkcode opsOutsideInputFilter}).
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
    const memory = memoryOf(this.#context, fn, plan);
    return {
      microseconds: detailedCost?.(fn, plan) ?? planMicroseconds(fn, plan, opModel, cost),
      misfit: MISFIT[memory.verdict.status],
      unverifiedOps: faultsOf(memory) + opsOutsideInputFilter(fn, memory.execution, opModel),
    };
  }
}

/**
 * Number of movable ops of a planned function with an operand in a layout that the op's input filter excludes
 * and the input does not use there. The backend accepts more than a device computes correctly
 * (tt-mlir:op-rules), and chain policies check nothing else: they may give decode attention keys from L1.
 */
export function opsOutsideInputFilter(
  fn: GraphFunction,
  { steps, layouts }: PlannedExecution,
  opModel: OpModel,
): number {
  const signatures = opSignatures(fn);
  return steps.filter((step) => {
    if (step.kind !== "op") return false;
    const signature = signatures[step.op];
    const { operands } = opAt(fn, step.op);
    // Ops that do not move read operands as in the input, or from a dispatch whose result they write.
    return signature !== undefined && opModel.traits(signature).movable &&
      step.operands.some((instance, operand) => {
        const layout = layouts[instance];
        const value = operands[operand];
        if (layout === undefined || value === undefined) return false;
        const id = opModel.layouts.intern(layout);
        const { layout: declared } = valueAt(fn, value);
        return !opModel.acceptsInput(signature, operand, id) &&
          (declared === undefined || opModel.layouts.intern(declared) !== id);
      });
  }).length;
}
