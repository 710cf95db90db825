// SPDX-License-Identifier: Apache-2.0
import { opId } from "../graph/graph.ts";
import { keepingActivation, withLiveActivationsKept } from "../plan/live_activations.ts";
import type { LayoutProgram } from "../search/layout_program.ts";

const KEPT = "keeps its activation, which is read again";

/**
 * Lets convolutions of a program keep their activation where it is read again, as the plan will write them: the
 * activation then lies in L1 beside what the convolution makes, which pass 2 has to know.
 *
 * @returns whether a config changed
 */
export function keepActivations(program: LayoutProgram): boolean {
  const { evaluator } = program;
  const kept = program.ops.map(({ config }, op) => {
    const freeing = config ?? evaluator.ownConfig(opId(evaluator.fn, op));
    return freeing === undefined ? undefined : keepingActivation(freeing);
  });
  if (kept.every((config) => config === undefined)) return false;
  const plan = program.toPlan();
  const written = withLiveActivationsKept(evaluator, plan);
  let isChanged = false;
  for (const [index, config] of kept.entries()) {
    const decision = program.ops[index];
    if (decision === undefined || config === undefined) continue;
    if (written.decisions[index]?.config === plan.decisions[index]?.config) continue;
    const { outputs, isSpilled = false } = decision;
    program.setOutputs(opId(evaluator.fn, index), { outputs, config }, KEPT, isSpilled);
    isChanged = true;
  }
  return isChanged;
}
