// SPDX-License-Identifier: Apache-2.0
import { keepingActivation, withLiveActivationsKept } from "../plan/live_activations.ts";
import type { LayoutProgram } from "./layout_program.ts";
import { decisionFor } from "./program.ts";

const KEPT = "keeps its activation, which is read again";

/**
 * Sets configs of convolutions to keep an activation that has a later reader, as in the written plan. Pass 2
 * then counts the activation in L1 beside the convolution's buffers.
 *
 * @returns whether a config changed
 */
export function keepActivations(program: LayoutProgram): boolean {
  const { evaluator } = program;
  const freeing = evaluator.fn.ops.map(({ id }) => id).filter((id) => {
    const config = decisionFor(program, id).config ?? evaluator.ownConfig(id);
    return config !== undefined && keepingActivation(config) !== undefined;
  });
  if (freeing.length === 0) return false;
  const plan = program.toPlan();
  const written = withLiveActivationsKept(evaluator, plan);
  const readAgain = freeing.filter((id) => written.decisions[id]?.config !== plan.decisions[id]?.config);
  for (const id of readAgain) program.keepActivation(id, KEPT);
  return readAgain.length > 0;
}
