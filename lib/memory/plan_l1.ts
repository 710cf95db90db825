// SPDX-License-Identifier: Apache-2.0
import type { GraphFunction } from "../graph/graph.ts";
import { opSignatures } from "../graph/signature.ts";
import type { LayoutId } from "../layout/layout_table.ts";
import type { OpModel } from "../opmodel/op_model.ts";
import type { FunctionPlan } from "../plan/plan.ts";
import { planExecution, type PlannedExecution } from "../plan/steps.ts";
import { l1Step } from "./l1_step.ts";
import {
  l1Region,
  type L1Schedule,
  type L1Step,
  type L1Timeline,
  simulateL1Schedule,
} from "./l1_timeline.ts";
import { conversionSignature, l1Bytes, opFootprint } from "./op_footprint.ts";

/** Options of {@linkcode simulateL1}. */
export interface SimulateL1Options {
  /** `--tensor-l1-usage-cap`. */
  readonly cap: number;
  /** Bytes per core that const-eval results hold ({@linkcode Graph.constEvalL1Bytes}). */
  readonly constEvalL1Bytes: number;
}

/** The L1 simulation of a plan, together with the execution whose steps and instances it speaks about. */
export interface PlanL1 {
  /** Steps and instances that `timeline` counts in. */
  readonly execution: PlannedExecution;
  /** L1 of one core over these steps. */
  readonly timeline: L1Timeline;
  /** Steps whose circular buffers are not counted, because the op model does not confirm them; in order. */
  readonly unconfirmed: readonly UnconfirmedStep[];
}

/** A step that the op model does not confirm. */
export interface UnconfirmedStep {
  /** Index of the step. */
  readonly position: number;
  /** What the op model says. */
  readonly refusal: string;
}

/**
 * Plays a function plan against L1 by address, from scratch: nothing is taken from whoever made the plan. Positions in
 * the timeline are steps of the execution, tensors are its instances.
 *
 * @example
 * ```ts
 * import { chipDescription, createWorkbench, getDevice, identityPlan, lowerModule, parseModule, simulateL1 } from "@tilewright/tilewright";
 * import { assertEquals } from "@std/assert";
 *
 * const ttir = `func.func @main(%x: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
 *   %0 = "ttir.relu"(%x) : (tensor<64x64xbf16>) -> tensor<64x64xbf16>
 *   return %0 : tensor<64x64xbf16>
 * }`;
 * const device = getDevice("n150");
 * const text = lowerModule(parseModule(ttir, "relu.mlir"), chipDescription(device));
 * const workbench = createWorkbench(parseModule(text, "relu.mlir"), device);
 * for (const fn of workbench.binding.graph.functions) {
 *   const options = { cap: 0.95, constEvalL1Bytes: 0 };
 *   const { timeline } = simulateL1(fn, identityPlan(fn), workbench.opModel, options);
 *   assertEquals(timeline.failures, []);
 * }
 * ```
 */
export function simulateL1(
  fn: GraphFunction,
  plan: FunctionPlan,
  opModel: OpModel,
  options: SimulateL1Options,
): PlanL1 {
  const execution = planExecution(fn, plan);
  const region = l1Region(opModel.chip, options.cap, options.constEvalL1Bytes);
  const unconfirmed: UnconfirmedStep[] = [];
  const schedule = l1Schedule(fn, plan, execution, opModel, unconfirmed);
  return { execution, timeline: simulateL1Schedule(schedule, region), unconfirmed };
}

function l1Schedule(
  fn: GraphFunction,
  plan: FunctionPlan,
  execution: PlannedExecution,
  opModel: OpModel,
  unconfirmed: UnconfirmedStep[],
): L1Schedule {
  const signatures = opSignatures(fn);
  const ids = execution.layouts.map((layout) =>
    layout === undefined ? undefined : opModel.layouts.intern(layout)
  );
  const layoutsOf = (instances: readonly number[]): (LayoutId | undefined)[] =>
    instances.map((instance) => ids[instance]);
  const steps = execution.steps.map((step, position): L1Step => {
    const signature = step.kind === "op" ? signatures[step.op] : conversionSignature(
      fn.values[step.conversion.value]?.tensor,
      execution.layouts[step.operands[0]],
      step.conversion.layout,
      opModel.chip.workerGrid,
    );
    if (signature === undefined) throw new RangeError(`Cannot simulate ${plan.name}: unknown op in a step`);
    const config = step.kind === "op" ? step.config : undefined;
    const footprint = opFootprint(
      opModel,
      signature,
      layoutsOf(step.operands),
      layoutsOf(step.results),
      config,
    );
    if (footprint.refusal !== undefined) unconfirmed.push({ position, refusal: footprint.refusal });
    // A conversion is a copy, whatever its op could share.
    return l1Step(
      step.operands,
      step.results,
      step.kind === "op" ? footprint : { ...footprint, aliasedOperand: undefined },
    );
  });
  return {
    tensors: execution.layouts.length,
    steps,
    liveIn: fn.arguments.map((tensor) => ({ tensor, l1Bytes: l1Bytes(opModel.layouts, ids[tensor]) })),
    liveOut: execution.results,
  };
}
