// SPDX-License-Identifier: Apache-2.0
import type { GraphFunction, OpId } from "../graph/graph.ts";
import type { OpSpecificAttributes } from "../op_config/op_config.ts";
import type { FunctionPlan } from "./plan.ts";
import { type InstanceId, planExecution } from "./steps.ts";

/** Facts about a function for {@linkcode withLiveActivationsKept}. */
export interface ActivationContext {
  readonly fn: GraphFunction;
  /** Config of an op in the input. */
  ownConfig(op: OpId): OpSpecificAttributes | undefined;
  /** `viewOf`: operand whose buffer an op's first result may share. */
  traits(op: OpId): { readonly viewOf: number | undefined };
}

/** Whether a config frees the activation of a convolution after it is read. */
export function freesActivation(config: OpSpecificAttributes | undefined): boolean {
  return config?.kind === "conv2d" && config.conv2dConfig?.deallocateActivation === true;
}

/** A config that does not free the activation of a convolution; `undefined` if the given one does not free it. */
export function keepingActivation(config: OpSpecificAttributes): OpSpecificAttributes | undefined {
  return config.kind === "conv2d" && config.conv2dConfig?.deallocateActivation === true
    ? { ...config, conv2dConfig: { ...config.conv2dConfig, deallocateActivation: false } }
    : undefined;
}

/**
 * Disables `deallocate_activation`, which frees a convolution's activation after reading it, if the
 * activation is an argument, is returned, or has a later reader, directly or through a view
 * (tt-mlir:memory-layout-propagation).
 */
export function withLiveActivationsKept(context: ActivationContext, plan: FunctionPlan): FunctionPlan {
  const { fn } = context;
  const { steps, results } = planExecution(fn, plan);
  const owner = new Map<InstanceId, InstanceId>();
  const ownerOf = (instance: InstanceId): InstanceId => owner.get(instance) ?? instance;
  const lastRead = new Map<InstanceId, number>();
  for (const [at, step] of steps.entries()) {
    for (const instance of step.operands) lastRead.set(ownerOf(instance), at);
    const viewOf = step.kind === "op" ? context.traits(step.op).viewOf : undefined;
    const viewed = viewOf === undefined ? undefined : step.operands[viewOf];
    const [result] = step.results;
    if (viewed !== undefined && result !== undefined) owner.set(result, ownerOf(viewed));
  }
  for (const instance of [...fn.arguments, ...results]) lastRead.set(ownerOf(instance), steps.length);
  const decisions = [...plan.decisions];
  for (const [at, step] of steps.entries()) {
    const decision = step.kind === "op" ? decisions[step.op] : undefined;
    const config = decision === undefined ? undefined : decision.config ?? context.ownConfig(decision.op);
    const kept = config === undefined ? undefined : keepingActivation(config);
    const [activation] = step.operands;
    if (decision === undefined || kept === undefined || activation === undefined) continue;
    if ((lastRead.get(ownerOf(activation)) ?? at) <= at) continue;
    decisions[decision.op] = {
      ...decision,
      config: kept,
      reasons: [...decision.reasons, "keeps its activation, which is read again"],
    };
  }
  return { ...plan, decisions };
}
