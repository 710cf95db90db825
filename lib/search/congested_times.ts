// SPDX-License-Identifier: Apache-2.0
import type { RuntimeEstimate } from "../cost/cost_model.ts";
import { takesNoTime } from "../cost/takes_no_time.ts";
import type { OpId } from "../graph/graph.ts";
import type { LayoutId } from "../layout/layout_table.ts";
import { COST_CLASSES } from "../ops/cost_class.ts";
import type { TensorShape } from "../ops/op_signature.ts";
import type { OpEvaluator } from "./op_evaluator.ts";
import type { Choice } from "./impls.ts";

/**
 * Predicted time in µs of an op that changes layouts, including the congestion between its flows; `undefined`
 * if the cost model does not know it, or the op changes no layout.
 */
export function congestedOpMicroseconds(
  evaluator: OpEvaluator,
  op: OpId,
  { inputs, ...chosen }: Choice,
): number | undefined {
  const signature = evaluator.signature(op);
  const traits = evaluator.traits(op);
  const [tensor] = signature.operands;
  const [from] = inputs;
  const [to] = chosen.outputs;
  if (!COST_CLASSES[traits.costClass].changesLayout || tensor === undefined) return undefined;
  if (from === undefined || to === undefined) return undefined;
  const { config, isView } = evaluator.footprint(op, inputs, chosen);
  if (takesNoTime(signature, isView)) return 0;
  const estimate = evaluator.cost.getOpRuntime(signature, inputs, chosen.outputs, config);
  return congested(evaluator, estimate, tensor, from, to);
}

/**
 * Predicted time in µs of moving a tensor, like {@linkcode congestedOpMicroseconds}; `Infinity` if it cannot be
 * moved.
 */
export function congestedMoveMicroseconds(
  evaluator: OpEvaluator,
  tensor: TensorShape,
  from: LayoutId,
  to: LayoutId,
): number | undefined {
  if (from === to) return 0;
  const reshard = evaluator.reshard(tensor, from, to);
  if (reshard === undefined) return Infinity;
  const leg = (source: LayoutId, target: LayoutId): number | undefined => {
    const estimate = evaluator.cost.getReshardRuntime(tensor, source, target);
    return congested(evaluator, estimate, tensor, source, target);
  };
  if (reshard.via === undefined) return leg(from, to);
  const first = leg(from, reshard.via);
  const second = leg(reshard.via, to);
  return first === undefined || second === undefined ? undefined : first + second;
}

function congested(
  { cost }: OpEvaluator,
  estimate: RuntimeEstimate,
  tensor: TensorShape,
  from: LayoutId,
  to: LayoutId,
): number | undefined {
  const extra = cost.congestionMicroseconds?.(estimate, tensor, from, to);
  return extra === undefined ? undefined : estimate.microseconds + extra;
}
