// SPDX-License-Identifier: Apache-2.0
import type { OpId } from "../graph/graph.ts";
import type { Choice, OpImpl } from "../search/impls.ts";
import type { OpEvaluator } from "../search/op_evaluator.ts";

/** An op as in the input, for ops without another implementation. */
export function keptImpl(
  evaluator: OpEvaluator,
  id: OpId,
  { inputs, outputs, config }: Pick<Choice, "inputs" | "outputs" | "config">,
): OpImpl {
  return {
    outputs,
    outputsId: evaluator.outputsId(outputs),
    microseconds: evaluator.runtime(id, inputs, { outputs, config }),
    config,
    cores: evaluator.query(id, inputs, outputs[0], config)?.cores ?? 0,
    l1PeakBytes: 0,
    outputL1Bytes: evaluator.l1Bytes(outputs),
    aliasedOperand: evaluator.traits(id).viewOf,
  };
}
