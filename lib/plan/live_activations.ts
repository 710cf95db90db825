// SPDX-License-Identifier: Apache-2.0
import type { GraphFunction, GraphOp, OpId } from "../graph/graph.ts";
import type { OpSpecificAttributes } from "../op_config/op_config.ts";
import type { FunctionPlan } from "./plan.ts";
import { instanceOf } from "./steps.ts";

/** What {@linkcode withLiveActivationsKept} must know of the ops of a function. */
export interface ActivationContext {
  /** Config that an op of the input carries. */
  readonly ownConfig: (op: GraphOp) => OpSpecificAttributes | undefined;
  /** Operand whose buffer an op's first result may share. */
  readonly viewOf: (op: OpId) => number | undefined;
}

/**
 * `deallocate_activation` frees the activation of a convolution once it is read. It is switched off where the activation
 * is an argument, is returned, or has a later reader, itself or through a view: forks that stay in L1 for their whole
 * life need that (tt-mlir:memory-layout-propagation).
 */
export function withLiveActivationsKept(
  fn: GraphFunction,
  plan: FunctionPlan,
  context: ActivationContext,
): FunctionPlan {
  const order = plan.schedule ?? fn.ops.map((op) => op.id);
  const position = new Int32Array(fn.ops.length + 1);
  order.forEach((op, index) => position[op] = index);
  position[fn.ops.length] = order.length;
  const owner = new Map<number, number>();
  const ownerOf = (instance: number): number => {
    let current = instance;
    for (let next = owner.get(current); next !== undefined; next = owner.get(current)) current = next;
    return current;
  };
  const operandsOf = (op: GraphOp): readonly number[] =>
    op.operands.map((value, operand) =>
      instanceOf(fn, value, plan.decisions[op.id]?.operands[operand] ?? { kind: "value" })
    );
  for (const id of order) {
    const op = fn.ops[id];
    const viewOf = context.viewOf(id);
    const viewed = op === undefined || viewOf === undefined ? undefined : operandsOf(op)[viewOf];
    const [result] = op?.results ?? [];
    if (viewed !== undefined && result !== undefined) owner.set(result, viewed);
  }
  const lastRead = new Map<number, number>();
  const read = (instance: number, at: number): void => {
    const buffer = ownerOf(instance);
    lastRead.set(buffer, Math.max(lastRead.get(buffer) ?? -1, at));
  };
  for (const op of fn.ops) {
    for (const instance of operandsOf(op)) read(instance, position[op.id] ?? 0);
  }
  for (const { value, source, beforeOp } of plan.conversions) {
    read(instanceOf(fn, value, source), position[beforeOp] ?? order.length);
  }
  for (const value of fn.arguments) read(value, order.length);
  fn.results.forEach((value, index) => {
    read(instanceOf(fn, value, plan.results[index] ?? { kind: "value" }), order.length);
  });
  return {
    ...plan,
    decisions: plan.decisions.map((decision) => {
      const op = fn.ops[decision.op];
      const config = op === undefined ? undefined : decision.config ?? context.ownConfig(op);
      if (op === undefined || config?.kind !== "conv2d") return decision;
      if (config.conv2dConfig?.deallocateActivation !== true) return decision;
      const [activation] = operandsOf(op);
      if (activation === undefined) return decision;
      if ((lastRead.get(ownerOf(activation)) ?? 0) <= (position[op.id] ?? 0)) return decision;
      return {
        ...decision,
        config: { ...config, conv2dConfig: { ...config.conv2dConfig, deallocateActivation: false } },
        reasons: [...decision.reasons, "keeps its activation, which is read again"],
      };
    }),
  };
}
