// SPDX-License-Identifier: Apache-2.0
import { keepingActivation, withLiveActivationsKept } from "../plan/live_activations.ts";
import type { LayoutProgram } from "../search/layout_program.ts";
import { decisionFor } from "../search/program.ts";

const KEPT = "keeps its activation, which is read again";

/**
 * Makes convolutions keep their activation if it is read again, as the plan will write them: the activation
 * then stays in L1 beside the convolution's buffers, which pass 2 has to know.
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
