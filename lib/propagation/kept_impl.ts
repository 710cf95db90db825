// SPDX-License-Identifier: Apache-2.0
import type { OpId } from "../graph/graph.ts";
import type { Choice, OpImpl } from "../search/impls.ts";
import type { OpEvaluator } from "../search/op_evaluator.ts";
import { overrideRefused } from "../search/op_overrides.ts";

/**
 * An op as in the input, for ops without another implementation.
 *
 * @param refusal why the last other implementation was rejected
 * @throws {DiagnosticError} if an override asks for another one
 */
export function keptImpl(
  evaluator: OpEvaluator,
  id: OpId,
  kept: Pick<Choice, "inputs" | "outputs" | "config">,
  refusal = "the op model accepts it with no layout of the operands that is tried",
): OpImpl {
  if (!evaluator.overrides.allow(id, kept.inputs, kept)) throw overrideRefused(evaluator.op(id), refusal);
  const { inputs, outputs, config } = kept;
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
